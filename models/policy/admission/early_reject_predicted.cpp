// Admission "early_reject_predicted": "early_reject" with the decode load at the time when the prompt will be done.
//
// Every request is taken to decode for `decode_s`, from when its prompt was expected to be done when it was taken on.
// So those decode then whose prompts are done by then, and no earlier than `decode_s` before. Damps the swing of
// loads that "early_reject" causes; wrong where outputs differ a lot from `decode_s`.
//
// Mooncake, arXiv 2407.00079, section 7.4 (prediction at the level of the system, with a uniform decode time).
#include <vector>

#include "models/policy/shared/early_reject.h"

namespace servecast {
namespace {

class EarlyRejectPredicted final : public Admission {
 public:
  struct Settings {
    LoadLimits limits{};
    double decode_s = 10;
    void fields(Fields& f) {
      limits.fields(f);
      f.required("decode_s", decode_s, "time that every request is taken to decode", positive);
    }
  };
  explicit EarlyRejectPredicted(const Settings& settings) : settings_(settings) {}

  bool admits(const Request& request, const ReplicaViews& replicas) override {
    const double now_s = request.arrival_s;
    const double ttft_s = least_ttft_s(request, replicas);
    const ReplicaViews& decoding = replicas.decoding();
    const double step_s = even_step_s(decoding_at(now_s, now_s + ttft_s, request, decoding), request, decoding);
    if (!settings_.limits.allow(ttft_s, step_s)) return false;
    const double done_s = now_s + ttft_s;
    prompts_done_s_.insert(std::ranges::upper_bound(prompts_done_s_, done_s), done_s);
    return true;
  }

 private:
  DecodeSide decoding_at(double now_s, double then_s, const Request& request, const ReplicaViews& decoding) {
    const auto gone = std::ranges::upper_bound(prompts_done_s_, now_s - settings_.decode_s);
    prompts_done_s_.erase(prompts_done_s_.begin(), gone);
    const double since_s = then_s - settings_.decode_s;  // those that began before that have left
    const DecodeSide now = decoding_now(decoding);
    const std::int64_t stay = std::clamp<std::int64_t>(done_by(now_s) - done_by(since_s), 0, now.requests);
    const std::int64_t join = done_by(then_s) - done_by(std::max(now_s, since_s));
    const std::int64_t tokens_each = now.requests > 0 ? now.kv_tokens / now.requests : request.prompt_tokens;
    const std::int64_t then = stay + join;
    return {.requests = then, .kv_tokens = then * tokens_each};
  }

  /// Prompts that are done at or before this instant, of those not forgotten.
  std::int64_t done_by(double at_s) const {
    return std::ranges::upper_bound(prompts_done_s_, at_s) - prompts_done_s_.begin();
  }

  Settings settings_;
  std::vector<double> prompts_done_s_;  // of requests that were taken on and should decode still, in order
};

[[maybe_unused]] const bool added = Registry<Admission>::add<EarlyRejectPredicted>(
    "early_reject_predicted", "the same with the decode load expected when the prompt is done (Mooncake)");

}  // namespace
}  // namespace servecast
