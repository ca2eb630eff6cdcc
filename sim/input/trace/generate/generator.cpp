#include "sim/input/trace/generate/generator.h"

#include <cassert>
#include <limits>
#include <unordered_map>

#include "sim/input/trace/generate/conversation.h"

namespace servecast {
namespace {

/// Stages say how many sessions begin, not how many turns these have.
std::int64_t most_requests(const GenerateSpec& spec) {
  constexpr auto no_end = std::numeric_limits<std::int64_t>::max();
  if (spec.requests || spec.sessions) return spec.requests.value_or(no_end);
  return stage_requests(spec.arrivals).value_or(no_end);
}

/// What both loops share: conversations, their limits, and requests made of them.
class Generator : public Workload {
 public:
  Generator(const GenerateSpec& spec, std::uint64_t seed, std::uint64_t source,
            const std::filesystem::path& base_folder)
      : suffix_(source == 0 ? "" : "#" + std::to_string(source)),
        conversations_(spec, seed, suffix_, BlockHash{source} << 54, base_folder),
        block_tokens_(spec.system_prompts || spec.sessions || spec.shared_prefix
                          ? static_cast<std::int32_t>(spec.block_tokens)
                          : 0),
        max_requests_(most_requests(spec)),
        duration_s_(spec.duration_s.value_or(std::numeric_limits<double>::infinity())) {}

  double fraction_read() const override {
    const double by_count = static_cast<double>(given_) / static_cast<double>(max_requests_);
    return std::min(1.0, std::max(by_count, latest_s_ / duration_s_));
  }

 protected:
  bool may_arrive(double arrival_s) const { return given_ < max_requests_ && arrival_s < duration_s_; }

  /// The next turn of `talk`.
  Request give(Conversation& talk, SessionId session, double arrival_s) {
    const ConversationTurn& turn = talk.turns[talk.given++];
    latest_s_ = std::max(latest_s_, arrival_s);
    const std::span<const BlockHash> blocks = conversations_.single() ? conversations_.shared_blocks() : talk.blocks;
    return {.id = static_cast<RequestId>(given_++),
            .arrival_s = arrival_s,
            .prompt_tokens = turn.prompt_tokens,
            .output_tokens = turn.output_tokens,
            .session = session,
            .awaited = session != SessionId{},
            .block_tokens = block_tokens_,
            .prefix_blocks = blocks.first(std::min(blocks.size(), turn.whole_blocks)),
            .said_blocks = said(talk, turn)};
  }

  /// Prompt and output of a turn are the beginning of the next prompt; the last block may be part-filled.
  std::span<const BlockHash> said(const Conversation& talk, const ConversationTurn& turn) const {
    if (conversations_.single()) return {};
    const auto tokens = static_cast<std::size_t>(turn.prompt_tokens + turn.output_tokens);
    const auto block = static_cast<std::size_t>(block_tokens_);
    return std::span(talk.blocks).first(std::min(talk.blocks.size(), (tokens + block - 1) / block));
  }

  std::string suffix_;  // of the names of random streams
  ConversationSource conversations_;

 private:
  std::int32_t block_tokens_;
  std::int64_t max_requests_;
  double duration_s_;
  std::int64_t given_ = 0;
  double latest_s_ = 0;
};

/// Sessions arrive by themselves. A session is remembered until its last request has finished.
class OpenGenerator final : public Generator {
 public:
  OpenGenerator(const GenerateSpec& spec, std::uint64_t seed, std::uint64_t source,
                const std::filesystem::path& base_folder)
      : Generator(spec, seed, source, base_folder),
        arrivals_(make_arrivals(spec.arrivals)),
        arrival_rng_(seed, "arrivals" + suffix_) {}

  std::optional<Request> next() override {
    if (!may_arrive(0)) return std::nullopt;
    const double arrival_s = arrivals_->next_s(arrival_rng_);
    if (!may_arrive(arrival_s)) return std::nullopt;
    if (conversations_.single()) {
      conversations_.draw(single_);
      return give(single_, SessionId{}, arrival_s);
    }
    const SessionId session{++sessions_};
    Conversation& talk = active_[session];
    conversations_.draw(talk);
    return give(talk, session, arrival_s);
  }
  std::optional<Request> follow_up(const Request& done, double finish_s) override {
    const auto found = active_.find(done.session);
    assert(found != active_.end());
    Conversation& talk = found->second;
    if (talk.given < talk.turns.size() && may_arrive(finish_s + talk.turns[talk.given].think_s))
      return give(talk, done.session, finish_s + talk.turns[talk.given].think_s);
    active_.erase(found);
    return std::nullopt;
  }

 private:
  std::unique_ptr<ArrivalProcess> arrivals_;
  Rng arrival_rng_;
  Conversation single_;
  std::unordered_map<SessionId, Conversation> active_;  // looked up, never walked through
  std::uint32_t sessions_ = 0;
};

/// A fixed number of clients, each a session to the cluster, that hold one conversation after the other.
class ClosedGenerator final : public Generator {
 public:
  ClosedGenerator(const GenerateSpec& spec, std::uint64_t seed, std::uint64_t source,
                  const std::filesystem::path& base_folder)
      : Generator(spec, seed, source, base_folder),
        talks_(static_cast<std::size_t>(spec.arrivals.closed_loop->clients)),
        think_rng_(seed, "client_think_s" + suffix_) {
    if (spec.arrivals.closed_loop->think_s)
      think_s_ = make_distribution(*spec.arrivals.closed_loop->think_s, base_folder);
  }

  std::optional<Request> next() override {
    if (started_ == talks_.size() || !may_arrive(0)) return std::nullopt;
    conversations_.draw(talks_[started_++]);
    return give(talks_[started_ - 1], SessionId{static_cast<std::uint32_t>(started_)}, 0);
  }
  std::optional<Request> follow_up(const Request& done, double finish_s) override {
    if (!may_arrive(finish_s)) return std::nullopt;
    Conversation& talk = talks_.at(index(done.session) - 1);
    double think_s = 0;
    if (talk.given == talk.turns.size()) {
      conversations_.draw(talk);
      if (think_s_) think_s = think_s_->draw(think_rng_);
    } else {
      think_s = talk.turns[talk.given].think_s;
    }
    if (!may_arrive(finish_s + think_s)) return std::nullopt;
    return give(talk, done.session, finish_s + think_s);
  }

 private:
  std::vector<Conversation> talks_;  // by client
  std::size_t started_ = 0;
  std::unique_ptr<Distribution> think_s_;
  Rng think_rng_;
};

}  // namespace

void check_generator(const GenerateSpec& spec, const std::string& path, SpecProblems& problems) {
  check_arrivals(spec.arrivals, path + ".arrivals", problems);
  check_distribution(spec.prompt_tokens, path + ".prompt_tokens", problems);
  check_distribution(spec.output_tokens, path + ".output_tokens", problems);
  if (spec.sessions) {
    check_distribution(spec.sessions->turns, path + ".sessions.turns", problems);
    if (spec.sessions->think_s) check_distribution(*spec.sessions->think_s, path + ".sessions.think_s", problems);
  }
  if (spec.shared_prefix && (spec.sessions || spec.system_prompts))
    problems.add(path + ".shared_prefix",
                 "'shared_prefix' fixes whole prompts; leave out sessions and system_prompts");
  if (!spec.requests && !spec.duration_s && spec.arrivals.stages.empty())
    problems.add(path, "'generate' never ends: give requests, duration_s or both");
  if (spec.arrivals.closed_loop && !spec.requests)
    problems.add(path, "a closed loop needs 'requests': how many a given time holds depends on the cluster");
  if (spec.system_prompts &&
      spec.system_prompts->count * (spec.system_prompts->tokens / spec.block_tokens) > 100'000'000)
    problems.add(path + ".system_prompts", "all system prompts together have more than 100 million hash blocks");
}

std::unique_ptr<Workload> make_generator(const GenerateSpec& spec, std::uint64_t seed, std::uint64_t source,
                                         const std::filesystem::path& base_folder) {
  if (spec.arrivals.closed_loop) return std::make_unique<ClosedGenerator>(spec, seed, source, base_folder);
  return std::make_unique<OpenGenerator>(spec, seed, source, base_folder);
}

}  // namespace servecast
