// Gateway "proxy": the gateway's own processes. Every request waits for one of them and takes its CPU time, on its
// way in and, if "answer" says so, on its way out.
//
// Put it first: what it takes stands between arrival and the first LLM call, so the report's dispatch times are an
// answer. The instances stand behind a balancer that knows nothing of their load, each with a waiting line of its
// own: one process with an event loop has one worker. Defaults are LiteLLM's (its documentation's benchmarks: 4 CPUs
// an instance): service time and its spread are fitted with Pollaczek-Khinchine on the mean overhead of four
// instances at 1,170 requests/s (3.32 ms) and of two at 1,035.7 (14.74 ms): 1.723 ms in the mean, coefficient of
// variation 0.91. Medians and 99th percentiles of both, 2 and 13 ms and 12 and 43 ms, are no part of the fit: the
// model has 2.2 and 16 and 10 and 63 ms. A proxy in compiled code takes a tenth of that or less. Work on an answer is
// booked when it is complete, not token by token.
#include "models/policy/gateway.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {
namespace {

struct CpuTime {
  double median_s = 0;
  double sigma = 0;
  double token_s = 0;
  void fields(Fields& f) {
    f.field("median_s", median_s, "half of the requests take less");
    f.field("sigma", sigma, "standard deviation of the logarithm; 0: all take the same", {.min = 0, .max = 5});
    f.field("token_s", token_s, "for each token beside that");
  }
};

class Proxy final : public GatewayPolicy {
 public:
  struct Settings {
    std::int64_t instances = 4;
    std::int64_t workers = 1;
    std::string balance = "random";
    CpuTime request{.median_s = 0.001275, .sigma = 0.776};
    CpuTime answer{};
    void fields(Fields& f) {
      f.field("instances", instances, "processes, each with a waiting line of its own", {.min = 1, .max = 10'000});
      f.field("workers", workers, "requests that each works on at a time", {.min = 1, .max = 10'000});
      f.field("balance", balance, "which instance takes the next request", {"random", "round_robin"});
      f.group("request", request, "CPU time on the way in: of a request and its prompt's tokens");
      f.group("answer", answer, "CPU time on the way out: of an LLM call's answer and its tokens");
    }
  };
  explicit Proxy(const Settings& settings) : settings_(settings) {
    for (std::int64_t i = 0; i < settings.instances; ++i)
      instances_.emplace_back(ServiceSettings{.workers = settings.workers});
  }

  bool sees_answers() const override { return settings_.answer.median_s > 0 || settings_.answer.token_s > 0; }
  StageAction arrive(const StageInput& input) override {
    input.note.number = pick(input.rng);
    return {.delay_s = work(input, settings_.request, input.outgoing.request.prompt_tokens)};
  }
  GatewayVerdict answered(const StageInput& input, const GatewayAnswer& answer) override {
    return {.delay_s = work(input, settings_.answer, answer.output_tokens)};
  }
  std::vector<PolicyCount> counts() const override { return {{"cpu_s", cpu_s_}}; }

 private:
  std::int64_t pick(Rng& rng) {
    if (settings_.balance == "round_robin") return next_++ % settings_.instances;
    return static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(settings_.instances)));
  }
  double work(const StageInput& input, const CpuTime& cpu, std::int64_t tokens) {
    const double of_all_s = cpu.sigma > 0 ? cpu.median_s * input.rng.lognormal(0, cpu.sigma) : cpu.median_s;
    const double cpu_s = of_all_s + cpu.token_s * static_cast<double>(tokens);
    cpu_s_ += cpu_s;
    return instances_[static_cast<std::size_t>(input.note.number)].call_s(input.now_s, input.rng, cpu_s);
  }

  Settings settings_;
  std::vector<GatewayService> instances_{};
  std::int64_t next_ = 0;
  double cpu_s_ = 0;
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<Proxy>(
    "proxy", "the gateway's own processes: CPU time of each request, with waiting lines");

}  // namespace
}  // namespace servecast
