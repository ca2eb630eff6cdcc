<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>servecast::Figure</name>
    <message>
        <source>SLO kept</source>
        <translation>满足 SLO</translation>
    </message>
    <message>
        <source>goodput/s</source>
        <translation>有效吞吐，请求/s</translation>
    </message>
    <message>
        <source>requests/s</source>
        <translation>请求/s</translation>
    </message>
    <message>
        <source>output tokens/s</source>
        <translation>输出词元/s</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU 数</translation>
    </message>
    <message>
        <source>cost per hour</source>
        <translation>每小时价格</translation>
    </message>
    <message>
        <source>cost per M tokens</source>
        <translation>每百万输出词元</translation>
    </message>
    <message>
        <source>energy per token</source>
        <translation>每输出词元能耗</translation>
    </message>
    <message>
        <source>TTFT p50</source>
        <translation>TTFT p50</translation>
    </message>
    <message>
        <source>TTFT p90</source>
        <translation>TTFT p90</translation>
    </message>
    <message>
        <source>TTFT p99</source>
        <translation>TTFT p99</translation>
    </message>
    <message>
        <source>TPOT p50</source>
        <translation>TPOT p50</translation>
    </message>
    <message>
        <source>TPOT p90</source>
        <translation>TPOT p90</translation>
    </message>
    <message>
        <source>TPOT p99</source>
        <translation>TPOT p99</translation>
    </message>
    <message>
        <source>E2E p50</source>
        <translation>E2E p50</translation>
    </message>
    <message>
        <source>E2E p90</source>
        <translation>E2E p90</translation>
    </message>
    <message>
        <source>E2E p99</source>
        <translation>E2E p99</translation>
    </message>
</context>
</TS>
