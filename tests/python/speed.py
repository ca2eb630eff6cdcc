"""How long a million requests take with policies in Python: python3 tests/python/speed.py [REQUESTS]"""

import resource
import sys
import time

import servecast


class FewestTokens:
    def pick(self, request, views):
        return min(views, key=lambda view: view.waiting_tokens + 64 * view.running_requests)


class ShortPrompts:
    def admits(self, request, views):
        return request.prompt_tokens < 4000


def requests(count):
    for number in range(count):
        yield number * 0.02, 500, 50


def scenario(count):
    return servecast.Scenario.load("chat.yaml").set({
        "pools[0].replicas": 8,
        "workload": {"generate": {"requests": count, "arrivals": {"poisson": {"requests_per_s": 50}},
                                  "prompt_tokens": {"fixed": 500}, "output_tokens": {"fixed": 50}}}})


def measured(run):
    """Seconds of the clock and of the processor."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    report = run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - start, spent, report


def main(count):
    chat = scenario(count)
    for title, given in (("no Python", {}), ("router", {"router": FewestTokens()}),
                         ("router, admission, trace", {"router": FewestTokens(), "admission": ShortPrompts(),
                                                       "trace": requests(count)})):
        clock_s, spent_s, report = measured(lambda: chat.run(progress=False, **given))
        print(f"{title}: {clock_s:.1f} s, {spent_s:.1f} s of processor time, {report.summary.requests.completed} requests")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
