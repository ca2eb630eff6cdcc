#include "sim/plan/runs/forked_evaluator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <list>
#include <utility>

#include "models/base/error.h"
#include "sim/plan/runs/child_run.h"
#include "sim/plan/runs/results_file.h"

namespace servecast {
namespace {

constexpr int look_around_ms = 50;  // how long a wish to stop may go unnoticed

/// One call of evaluate().
class Evaluation {
 public:
  Evaluation(Simulator& simulator, ResultsFile* known, const EvaluatorOptions& options, RunsProgress& progress,
             std::vector<CrashedRun>& crashed, std::span<const RunRequest> requests)
      : simulator_(simulator),
        known_(known),
        options_(options),
        progress_(progress),
        crashed_(crashed),
        requests_(requests),
        results_(requests.size()) {
    progress_.total += requests.size();
  }

  void run() {
    show();
    while (next_ < requests_.size() || !running_.empty()) {
      if (options_.stop && options_.stop()) throw Stopped{};
      while (next_ < requests_.size() && running_.size() < std::max<std::size_t>(1, options_.at_a_time)) start();
      wait();
    }
  }
  std::vector<RunResult> take_results() { return std::move(results_); }

 private:
  struct Running {
    Running(Simulator& simulator, std::span<const RunRequest> requests, std::size_t request, std::string its_name)
        : child(simulator, requests[request]), name(std::move(its_name)), wanted_by{request} {}
    ChildRun child;
    std::string name;
    std::vector<std::size_t> wanted_by;  // requests that are the same run
    std::string key{};                   // empty until received
    bool over = false;
  };

  void start() {
    const std::size_t request = next_++;
    std::string name = known_ != nullptr ? simulator_.name(requests_[request]) : "";
    if (const auto result = known(name)) return end({request}, *result);
    running_.emplace_back(simulator_, requests_, request, std::move(name));
  }

  /// What the file has of a request that was made before, without a child that reads the scenario.
  std::optional<RunResult> known(const std::string& name) const {
    if (known_ == nullptr) return std::nullopt;
    const std::optional<KnownRequest> before = known_->find_request(name);
    if (!before || !simulator_.still(before->rests_on)) return std::nullopt;
    return find(before->key);
  }

  void wait() {
    std::vector<pollfd> sockets;
    for (const Running& run : running_) sockets.push_back({.fd = run.child.socket(), .events = POLLIN, .revents = 0});
    ::poll(sockets.data(), sockets.size(), look_around_ms);
    std::size_t i = 0;
    for (Running& run : running_)
      if (sockets[i++].revents != 0) listen(run);
    std::erase_if(running_, [](const Running& run) { return run.over; });
  }

  void listen(Running& run) {
    switch (run.child.receive()) {
      case ChildRun::Message::nothing_yet:
        return;
      case ChildRun::Message::key:
        return decide(run, run.child.loaded());
      case ChildRun::Message::summary:
        return finish(run, run.child.text());
      case ChildRun::Message::refusal:
        if (known_ != nullptr && !run.key.empty()) known_->add_refusal(run.key, run.child.text());
        return fail(run);
      case ChildRun::Message::failure:
        crashed_.push_back({.request = requests_[run.wanted_by.front()], .how = run.child.text()});
        return fail(run);
    }
  }

  /// Goes on with a run that is neither made nor being made.
  void decide(Running& run, const LoadedRun& loaded) {
    if (!loaded.learned.empty()) simulator_.remember(loaded.learned);
    if (known_ != nullptr) known_->add_request(run.name, {.key = loaded.key, .rests_on = loaded.rests_on});
    if (const auto result = find(loaded.key)) return end(run, *result);
    const auto twin = std::ranges::find(running_, loaded.key, &Running::key);
    if (twin != running_.end()) {
      twin->wanted_by.push_back(run.wanted_by.front());
      run.over = true;
      return;
    }
    run.key = loaded.key;
    run.child.go_on();
  }

  std::optional<RunResult> find(const std::string& key) const {
    if (const auto made = made_.find(key); made != made_.end()) return result_of(key, made->second);
    if (known_ == nullptr) return std::nullopt;
    if (const auto text = known_->find(key)) return result_of(key, *text);
    if (const auto why = known_->find_refusal(key)) return RunResult{.key = key, .summary = {}, .failure = *why};
    return std::nullopt;
  }

  void finish(Running& run, const std::string& text) {
    ++progress_.simulated;
    if (known_ != nullptr)
      known_->add(run.key, text);
    else
      made_[run.key] = text;
    end(run, result_of(run.key, text));
  }

  /// What was found is read from the same text as what was made just now, so that both give the same numbers.
  static RunResult result_of(const std::string& key, const std::string& text) {
    return {.key = key, .summary = summary_from(text, "result " + key), .failure = {}};
  }

  void fail(Running& run) { end(run, {.key = run.key, .summary = {}, .failure = run.child.text()}); }
  void end(Running& run, const RunResult& result) {
    run.over = true;
    end(run.wanted_by, result);
  }
  void end(const std::vector<std::size_t>& wanted_by, const RunResult& result) {
    for (const std::size_t request : wanted_by) results_[request] = result;
    progress_.done += wanted_by.size();
    show();
  }

  void show() const {
    if (options_.progress) options_.progress(progress_);
  }

  Simulator& simulator_;
  ResultsFile* known_;
  const EvaluatorOptions& options_;
  RunsProgress& progress_;
  std::vector<CrashedRun>& crashed_;
  std::span<const RunRequest> requests_;
  std::vector<RunResult> results_;
  std::list<Running> running_{};
  std::map<std::string, std::string> made_{};  // where there is no file to look into
  std::size_t next_ = 0;
};

}  // namespace

std::string to_string(const CrashedRun& crashed) {
  const RunRequest& request = crashed.request;
  std::string text = "the run of " + request.scenario;
  if (!request.set.empty()) text += fmt::format(" with {}", fmt::join(request.set, ", "));
  if (request.seed) text += fmt::format(", seed {}", *request.seed);
  if (request.calibration_draw) text += fmt::format(", draw {} of the calibration", *request.calibration_draw);
  return text + " crashed: " + crashed.how;
}

ForkedEvaluator::ForkedEvaluator(Simulator& simulator, ResultsFile* known, EvaluatorOptions options)
    : simulator_(simulator), known_(known), options_(std::move(options)) {}

std::vector<RunResult> ForkedEvaluator::evaluate(std::span<const RunRequest> requests) {
  Evaluation batch(simulator_, known_, options_, progress_, crashed_, requests);
  batch.run();
  return batch.take_results();
}

}  // namespace servecast
