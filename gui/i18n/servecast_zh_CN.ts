<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>servecast::gui::CalibrationView</name>
    <message>
        <source>fitted on</source>
        <translation>参与拟合</translation>
    </message>
    <message>
        <source>held out</source>
        <translation>留出</translation>
    </message>
    <message>
        <source>outside the fitted range</source>
        <translation>超出拟合范围</translation>
    </message>
    <message>
        <source>Open a residuals.csv: servecast-calibrate residuals PROFILE SAMPLES --out residuals.csv writes one.</source>
        <translation>请打开 residuals.csv：由 servecast-calibrate residuals PROFILE SAMPLES --out residuals.csv 生成。</translation>
    </message>
    <message>
        <source>Fitted time over measured time</source>
        <translation>拟合时间与实测时间</translation>
    </message>
    <message>
        <source>%1: errors on shapes that were held out of the fit</source>
        <translation>%1：未参与拟合的形状上的误差</translation>
    </message>
    <message>
        <source>measured %1</source>
        <translation>实测 %1</translation>
    </message>
    <message>
        <source>fitted %1 (%2)</source>
        <translation>拟合 %1（%2）</translation>
    </message>
    <message>
        <source>Error (fitted / measured - 1, at most 100 %) over measured time</source>
        <translation>误差（拟合 / 实测 - 1，最多画到 100 %）与实测时间</translation>
    </message>
</context>
<context>
    <name>servecast::gui::ClusterCanvas</name>
    <message>
        <source>busy share of the second</source>
        <translation>该秒内的忙碌比例</translation>
    </message>
    <message>
        <source>KV blocks in use</source>
        <translation>已用 KV 块</translation>
    </message>
    <message>
        <source>share of the link&apos;s capacity</source>
        <translation>占链路容量的比例</translation>
    </message>
    <message>
        <source>0 to 100 %, %1</source>
        <translation>0 至 100 %，%1</translation>
    </message>
    <message>
        <source>There is no report with a cluster to see.
Run with the detail “cluster”.</source>
        <translation>没有可显示集群的报告。
请以明细“集群”运行。</translation>
    </message>
    <message>
        <source>broken</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>warm</source>
        <translation>待命</translation>
    </message>
    <message>
        <source>off</source>
        <translation>未租用</translation>
    </message>
    <message>
        <source>free</source>
        <translation>未占用</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
</context>
<context>
    <name>servecast::gui::ClusterView</name>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Colour: busy share</source>
        <translation>颜色：忙碌比例</translation>
    </message>
    <message>
        <source>Colour: KV use</source>
        <translation>颜色：KV 占用</translation>
    </message>
    <message>
        <source>Colour: link use</source>
        <translation>颜色：链路占用</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Shares</source>
        <translation>比例</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>from</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>to</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节数</translation>
    </message>
    <message>
        <source>Click a GPU or a link.</source>
        <translation>点击 GPU 或链路。</translation>
    </message>
    <message>
        <source>%1 s of %2 s</source>
        <translation>%1 s / %2 s</translation>
    </message>
    <message>
        <source>Replica %1 of pool %2</source>
        <translation>副本 %1，资源池 %2</translation>
    </message>
    <message>
        <source>no replica runs here</source>
        <translation>此处没有副本运行</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>忙碌</translation>
    </message>
    <message>
        <source>KV</source>
        <translation>KV</translation>
    </message>
    <message>
        <source>No batch is known for this moment.</source>
        <translation>此刻没有已知的批次。</translation>
    </message>
    <message>
        <source>Batch now: %1 decodes, %2 prompt tokens, %3 KV blocks held</source>
        <translation>当前批次：%1 个解码，%2 个提示词元，占用 %3 个 KV 块</translation>
    </message>
    <message>
        <source>%1, %2/s each way, latency %3</source>
        <translation>%1，单向 %2/s，延迟 %3</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>从 %1 到 %2</translation>
    </message>
    <message>
        <source>Run with the detail “cluster” to see what each GPU did.</source>
        <translation>以明细“集群”运行即可查看每块 GPU 的情况。</translation>
    </message>
    <message>
        <source>Run with the detail “every batch” to see its batches.</source>
        <translation>以明细“每个批次”运行即可查看其批次。</translation>
    </message>
    <message>
        <source>%1 links</source>
        <translation>%1 条链路</translation>
    </message>
</context>
<context>
    <name>servecast::gui::CompareView</name>
    <message>
        <source>Tick two or more reports on the left to compare them.</source>
        <translation>在左侧勾选两个或更多报告进行比较。</translation>
    </message>
    <message>
        <source>Differences are relative to %1. ▲ better, ▼ worse; where both runs have 90 % intervals, only if these do not overlap.</source>
        <translation>差异以 %1 为基准。▲ 更好，▼ 更差；若两次运行都有 90 % 区间，仅在区间不重叠时标出。</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>首词元延迟</translation>
    </message>
    <message>
        <source>Time per output token</source>
        <translation>每输出词元时间</translation>
    </message>
    <message>
        <source>End to end</source>
        <translation>端到端延迟</translation>
    </message>
</context>
<context>
    <name>servecast::gui::ComparisonModel</name>
    <message>
        <source>The 90 % intervals overlap: the difference may be chance.</source>
        <translation>90 % 区间有重叠：差异可能出于偶然。</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>指标</translation>
    </message>
</context>
<context>
    <name>servecast::gui::Dashboard</name>
    <message>
        <source>Output tokens per second</source>
        <translation>每秒输出词元</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>KV blocks in use</source>
        <translation>已用 KV 块</translation>
    </message>
    <message>
        <source>Busy GPUs</source>
        <translation>忙碌 GPU 数</translation>
    </message>
    <message>
        <source>Power of the GPUs</source>
        <translation>GPU 功率</translation>
    </message>
    <message>
        <source>Cost so far</source>
        <translation>累计成本</translation>
    </message>
    <message>
        <source>Cumulative</source>
        <translation>累积分布</translation>
    </message>
    <message>
        <source>Cumulative distribution, or a histogram</source>
        <translation>累积分布或直方图</translation>
    </message>
    <message>
        <source>Log scale</source>
        <translation>对数刻度</translation>
    </message>
    <message>
        <source>Logarithmic, or a linear axis</source>
        <translation>对数或线性坐标轴</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Time to first token (TTFT)</source>
        <translation>首词元延迟 (TTFT)</translation>
    </message>
    <message>
        <source>Time per output token (TPOT)</source>
        <translation>每输出词元时间 (TPOT)</translation>
    </message>
    <message>
        <source>End to end (E2E)</source>
        <translation>端到端延迟 (E2E)</translation>
    </message>
    <message>
        <source>Drag across any plot to choose requests.</source>
        <translation>在任意图上拖动以选择请求。</translation>
    </message>
    <message>
        <source>%1 of %2 requests chosen</source>
        <translation>已选 %1 / %2 个请求</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>忙碌</translation>
    </message>
    <message>
        <source>rented</source>
        <translation>租用</translation>
    </message>
</context>
<context>
    <name>servecast::gui::DistributionPlot</name>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>chosen</source>
        <translation>已选</translation>
    </message>
    <message>
        <source>SLO %1</source>
        <translation>SLO %1</translation>
    </message>
</context>
<context>
    <name>servecast::gui::FigureCards</name>
    <message>
        <source>SLO</source>
        <translation>SLO</translation>
    </message>
    <message>
        <source>nothing promised</source>
        <translation>未作承诺</translation>
    </message>
    <message>
        <source>Within the SLO</source>
        <translation>满足 SLO 的请求</translation>
    </message>
    <message>
        <source>SLO met: %1 asked</source>
        <translation>达到 SLO：要求 %1</translation>
    </message>
    <message>
        <source>SLO missed: %1 asked</source>
        <translation>未达到 SLO：要求 %1</translation>
    </message>
    <message>
        <source>median %1</source>
        <translation>中位数 %1</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>%1 not completed</source>
        <translation>%1 个未完成</translation>
    </message>
    <message>
        <source>all completed</source>
        <translation>全部完成</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>%1 requests/s</source>
        <translation>%1 请求/s</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>成本</translation>
    </message>
    <message>
        <source>%1 per M tokens</source>
        <translation>%1 / 百万词元</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>能耗</translation>
    </message>
    <message>
        <source>%1 per token</source>
        <translation>%1 / 词元</translation>
    </message>
</context>
<context>
    <name>servecast::gui::LifeBar</name>
    <message>
        <source>queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>stalled</source>
        <translation>停顿</translation>
    </message>
    <message>
        <source>Choose a request to see its life.</source>
        <translation>选择一个请求以查看其生命周期。</translation>
    </message>
    <message>
        <source>KV hand-over</source>
        <translation>KV 交接</translation>
    </message>
    <message>
        <source>gateway</source>
        <translation>网关</translation>
    </message>
    <message>
        <source>earlier LLM calls</source>
        <translation>先前各次</translation>
    </message>
</context>
<context>
    <name>servecast::gui::MainWindow</name>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>场景</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;About Servecast</source>
        <translation>关于 Servecast(&amp;A)</translation>
    </message>
    <message>
        <source>Servecast %1
Forecasts LLM serving before you buy a GPU.
Apache-2.0</source>
        <translation>Servecast %1
在购买 GPU 之前预测大模型服务。
Apache-2.0</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Open scenario…</source>
        <translation>打开场景(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Examples</source>
        <translation>示例(&amp;E)</translation>
    </message>
    <message>
        <source>Open &amp;report…</source>
        <translation>打开报告(&amp;R)…</translation>
    </message>
    <message>
        <source>&amp;Save scenario</source>
        <translation>保存场景(&amp;S)</translation>
    </message>
    <message>
        <source>Save scenario &amp;as…</source>
        <translation>场景另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>Open scenario</source>
        <translation>打开场景</translation>
    </message>
    <message>
        <source>Scenarios (*.yaml *.yml)</source>
        <translation>场景 (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Open report</source>
        <translation>打开报告</translation>
    </message>
    <message>
        <source>Save scenario</source>
        <translation>保存场景</translation>
    </message>
    <message>
        <source>Scenarios (*.yaml)</source>
        <translation>场景 (*.yaml)</translation>
    </message>
    <message>
        <source>Reports</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Click to show; tick to compare</source>
        <translation>点击显示；勾选比较</translation>
    </message>
    <message>
        <source>Open a scenario first.</source>
        <translation>请先打开一个场景。</translation>
    </message>
    <message>
        <source>The scenario has mistakes.</source>
        <translation>场景中有错误。</translation>
    </message>
    <message>
        <source>%1 cannot be made.</source>
        <translation>无法创建 %1。</translation>
    </message>
    <message>
        <source>The scenario has edits that are not saved.</source>
        <translation>场景中有未保存的修改。</translation>
    </message>
    <message>
        <source>&amp;Close report</source>
        <translation>关闭报告(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Export plots of this view…</source>
        <translation>导出此视图的图(&amp;E)…</translation>
    </message>
    <message>
        <source>Export plots</source>
        <translation>导出图</translation>
    </message>
    <message>
        <source>Open &amp;plan…</source>
        <translation>打开规划(&amp;P)…</translation>
    </message>
    <message>
        <source>Open res&amp;iduals…</source>
        <translation>打开残差(&amp;I)…</translation>
    </message>
    <message>
        <source>Open plan</source>
        <translation>打开规划</translation>
    </message>
    <message>
        <source>Plans (*.sqlite)</source>
        <translation>规划 (*.sqlite)</translation>
    </message>
    <message>
        <source>Open residuals</source>
        <translation>打开残差</translation>
    </message>
    <message>
        <source>Residuals (*.csv)</source>
        <translation>残差 (*.csv)</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>Calibration</source>
        <translation>标定</translation>
    </message>
    <message>
        <source>Changed, so that the copy finds its files: %1</source>
        <translation>为使副本文件能找到其引用的文件，已更改：%1</translation>
    </message>
    <message>
        <source>The run was cancelled. Earlier reports are untouched.</source>
        <translation>运行已取消。先前的报告未受影响。</translation>
    </message>
</context>
<context>
    <name>servecast::gui::OperatorErrorModel</name>
    <message>
        <source>fitted on</source>
        <translation>参与拟合</translation>
    </message>
    <message>
        <source>shapes</source>
        <translation>形状数</translation>
    </message>
    <message>
        <source>held out</source>
        <translation>留出</translation>
    </message>
    <message>
        <source>shapes that the fit has not seen</source>
        <translation>拟合未见过的形状</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>half of the held-out shapes are nearer</source>
        <translation>一半留出形状的误差更小</translation>
    </message>
    <message>
        <source>p90</source>
        <translation>p90</translation>
    </message>
    <message>
        <source>nine in ten of the held-out shapes are nearer</source>
        <translation>九成留出形状的误差更小</translation>
    </message>
    <message>
        <source>bias</source>
        <translation>偏差</translation>
    </message>
    <message>
        <source>median of fitted over measured, less 1</source>
        <translation>拟合 / 实测 - 1 的中位数</translation>
    </message>
    <message>
        <source>operator</source>
        <translation>算子</translation>
    </message>
</context>
<context>
    <name>servecast::gui::PlanModel</name>
    <message>
        <source>GPUs</source>
        <translation>GPU 数</translation>
    </message>
    <message>
        <source>cost per hour</source>
        <translation>每小时成本</translation>
    </message>
    <message>
        <source>SLO kept</source>
        <translation>满足 SLO</translation>
    </message>
    <message>
        <source>TTFT p99</source>
        <translation>TTFT p99</translation>
    </message>
    <message>
        <source>TPOT p99</source>
        <translation>TPOT p99</translation>
    </message>
    <message>
        <source>tokens/s per user</source>
        <translation>每用户 token/s</translation>
    </message>
    <message>
        <source>tokens/s per GPU</source>
        <translation>每 GPU token/s</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>结论</translation>
    </message>
</context>
<context>
    <name>servecast::gui::PlanView</name>
    <message>
        <source>best</source>
        <translation>最佳</translation>
    </message>
    <message>
        <source>Open the folder or the plan.sqlite that servecast plan STUDY --out DIR has written.</source>
        <translation>请打开 servecast plan STUDY --out DIR 生成的文件夹或 plan.sqlite。</translation>
    </message>
    <message>
        <source>Filter, e.g.  h100 replicas=4 keeps</source>
        <translation>筛选，例如  h100 replicas=4 keeps</translation>
    </message>
    <message>
        <source>TTFT p99 over cost per hour</source>
        <translation>TTFT p99 与每小时成本</translation>
    </message>
    <message>
        <source>Tokens/s per GPU over tokens/s per user</source>
        <translation>每 GPU token/s 与每用户 token/s</translation>
    </message>
    <message>
        <source>keeps its promises, or may</source>
        <translation>满足承诺，或可能满足</translation>
    </message>
    <message>
        <source>Figures: one draw of calibration error and seed, not the best estimate</source>
        <translation>数值：来自校准误差与随机种子的一次抽样，而非最佳估计</translation>
    </message>
    <message>
        <source>Figures: only the beginning of the workload, in which it broke its promise</source>
        <translation>数值：仅来自负载的开头部分，在此期间已违反承诺</translation>
    </message>
    <message>
        <source>breaks a promise</source>
        <translation>违反承诺</translation>
    </message>
    <message>
        <source>no better than the best</source>
        <translation>不会优于最佳方案</translation>
    </message>
    <message>
        <source>cannot be built, or paid for</source>
        <translation>无法构建或超出预算</translation>
    </message>
</context>
<context>
    <name>servecast::gui::Plot</name>
    <message>
        <source>Save as %1…</source>
        <translation>另存为 %1…</translation>
    </message>
    <message>
        <source>Save plot</source>
        <translation>保存图</translation>
    </message>
    <message>
        <source>Copy image</source>
        <translation>复制图像</translation>
    </message>
</context>
<context>
    <name>servecast::gui::RequestsView</name>
    <message>
        <source>Filter, e.g.  ttft_s &gt; 500ms  status = completed  replica = 3   or a request&apos;s number</source>
        <translation>筛选，例如  ttft_s &gt; 500ms  status = completed  replica = 3   或请求编号</translation>
    </message>
    <message>
        <source>start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>length</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>its tokens</source>
        <translation>其词元</translation>
    </message>
    <message>
        <source>decodes</source>
        <translation>解码数</translation>
    </message>
    <message>
        <source>prefill chunks</source>
        <translation>预填充块</translation>
    </message>
    <message>
        <source>prefill tokens</source>
        <translation>预填充词元</translation>
    </message>
    <message>
        <source>shared with</source>
        <translation>同批请求</translation>
    </message>
    <message>
        <source>%1 of %2 requests. Click a heading to sort.</source>
        <translation>%1 / %2 个请求。点击表头排序。</translation>
    </message>
    <message>
        <source>Request %1, pool %2</source>
        <translation>请求 %1，资源池 %2</translation>
    </message>
    <message>
        <source>   ·   the report has none of its steps</source>
        <translation>   ·   报告中没有它的步骤</translation>
    </message>
    <message>
        <source>… %1 in all</source>
        <translation>… 共 %1 个</translation>
    </message>
    <message>
        <source>   ·   run with the detail “every batch” to see the batches it shared</source>
        <translation>   ·   以明细“每个批次”运行即可查看其所在批次</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Only the %1 requests chosen in the view Run are listed.</source>
        <translation>仅列出在“运行”视图中选中的 %1 个请求。</translation>
    </message>
</context>
<context>
    <name>servecast::gui::RunProgress</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>reading the scenario</source>
        <translation>正在读取场景</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>%1 simulated · %2 arrived · %3 finished</source>
        <translation>已模拟 %1 · 到达 %2 · 完成 %3</translation>
    </message>
</context>
<context>
    <name>servecast::gui::RunView</name>
    <message>
        <source>Open a scenario and press Run, or open a report folder.</source>
        <translation>打开场景并按“运行”，或打开报告文件夹。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Detail: cluster</source>
        <translation>明细：集群</translation>
    </message>
    <message>
        <source>Detail: cluster and every batch</source>
        <translation>明细：集群和每个批次</translation>
    </message>
    <message>
        <source>Detail: none</source>
        <translation>明细：无</translation>
    </message>
    <message>
        <source>What to write beside the report: the cluster second by second, every batch (large)</source>
        <translation>报告之外还写什么：集群逐秒情况、每个批次（较大）</translation>
    </message>
    <message>
        <source>no intervals</source>
        <translation>无区间</translation>
    </message>
    <message>
        <source> replicates</source>
        <translation> 次重复</translation>
    </message>
    <message>
        <source>Repeat the run with other draws of the calibration, for 90 % intervals</source>
        <translation>以校准的不同抽样重复运行，得到 90 % 区间</translation>
    </message>
</context>
<context>
    <name>servecast::gui::ScenarioModel</name>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单位</translation>
    </message>
</context>
<context>
    <name>servecast::gui::ScenarioView</name>
    <message>
        <source>Choose a setting to read what it means; double-click or F2 to change it. Bold: not the default.</source>
        <translation>选择一项设置以查看说明；双击或按 F2 修改。粗体：非默认值。</translation>
    </message>
    <message>
        <source>default %1</source>
        <translation>默认 %1</translation>
    </message>
    <message>
        <source>required</source>
        <translation>必填</translation>
    </message>
    <message>
        <source>Open a scenario, or start from an example.</source>
        <translation>打开一个场景，或从示例开始。</translation>
    </message>
    <message>
        <source>… and %1 more</source>
        <translation>……另有 %1 处</translation>
    </message>
    <message>
        <source>The settings appear here when the text beside has no mistakes.
They are listed below it; a click on one goes to its line.</source>
        <translation>旁边的文本没有错误时，设置会显示在这里。
错误列在文本下方；点击即可跳到所在行。</translation>
    </message>
    <message>
        <source>This is no scenario: it has no settings to show.</source>
        <translation>这不是场景：没有可显示的设置。</translation>
    </message>
    <message>
        <source>%1 (unsaved copy)</source>
        <translation>%1（未保存的副本）</translation>
    </message>
</context>
<context>
    <name>servecast::gui::Simulation</name>
    <message>
        <source>servecast cannot be started: %1</source>
        <translation>无法启动 servecast：%1</translation>
    </message>
    <message>
        <source>servecast was ended by a signal.
%1</source>
        <translation>servecast 被信号终止。
%1</translation>
    </message>
</context>
</TS>
