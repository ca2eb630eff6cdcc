#include "sim/input/trace/workload/merge.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <unordered_map>

namespace servecast {
namespace {

class Merge final : public Workload {
 public:
  explicit Merge(std::vector<std::unique_ptr<Workload>> sources) : sources_(std::move(sources)) {}

  std::optional<Request> next() override {
    if (heads_.empty())
      for (const auto& source : sources_) heads_.push_back(source->next());
    return next_before(std::numeric_limits<double>::infinity());
  }

  std::optional<Request> next_before(double arrival_s) override {
    const auto earlier = [](const std::optional<Request>& a, const std::optional<Request>& b) {
      return a && (!b || a->arrival_s < b->arrival_s);
    };
    const auto first = std::ranges::min_element(heads_, earlier);
    if (first == heads_.end() || !*first || (*first)->arrival_s >= arrival_s) return std::nullopt;
    const auto source = static_cast<std::uint32_t>(first - heads_.begin());
    const Request request = **first;
    *first = sources_[source]->next();
    return give(request, source);
  }

  std::optional<Request> follow_up(const Request& done, double finish_s) override {
    const auto found = awaited_.find(done.id);
    assert(found != awaited_.end());
    const auto [source, own] = found->second;
    awaited_.erase(found);
    Request known = done;
    known.id = own.id;
    known.session = own.session;
    const std::optional<Request> request = sources_[source]->follow_up(known, finish_s);
    if (!heads_[source]) heads_[source] = sources_[source]->next();  // it may have waited for that
    if (!request) return std::nullopt;
    return give(*request, source);
  }

  double fraction_read() const override {
    double sum = 0;
    for (const auto& source : sources_) sum += source->fraction_read();
    return sum / static_cast<double>(sources_.size());
  }

 private:
  struct Own {
    RequestId id{};
    SessionId session{};
  };
  struct Awaited {
    std::uint32_t source = 0;
    Own own{};  // what the source calls it
  };

  Request give(Request request, std::uint32_t source) {
    const auto id = static_cast<RequestId>(given_++);
    if (request.awaited) awaited_[id] = {.source = source, .own = {.id = request.id, .session = request.session}};
    request.id = id;
    if (request.session != SessionId{}) {  // 1, 2, 3 of two sources become 1, 3, 5 and 2, 4, 6
      const auto count = static_cast<std::uint32_t>(sources_.size());
      request.session = SessionId{(static_cast<std::uint32_t>(request.session) - 1) * count + source + 1};
    }
    return request;
  }

  std::vector<std::unique_ptr<Workload>> sources_;
  std::vector<std::optional<Request>> heads_;       // the next request of each source; filled at the first next()
  std::unordered_map<RequestId, Awaited> awaited_;  // looked up, never walked through
  std::uint32_t given_ = 0;
};

}  // namespace

std::unique_ptr<Workload> merge(std::vector<std::unique_ptr<Workload>> sources) {
  return std::make_unique<Merge>(std::move(sources));
}

}  // namespace servecast
