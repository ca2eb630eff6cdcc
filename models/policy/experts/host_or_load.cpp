#include "models/policy/experts/host_or_load.h"

#include <algorithm>
#include <vector>

namespace servecast {
namespace {

/// Links and the host as the experts of one layer fill them up.
class Ways {
 public:
  explicit Ways(const MissView& view) : view_(view), free_s_(view.link_free_s.begin(), view.link_free_s.end()) {
    if (free_s_.empty()) free_s_.push_back(0);
  }

  ServedBy sooner(ExpertId expert, double tokens) {
    const MissCosts& costs = view_.costs;
    const double host_s = host_until_s_ + std::max(costs.host_expert_s, tokens * costs.host_token_s);
    const bool coming = view_.on_its_way(expert);
    double& link_s = free_s_[index(expert) * free_s_.size() / view_.on_gpu.size()];
    const double load_s = coming ? view_.left_s[index(expert)] : link_s + costs.load_s;
    if (host_s <= load_s) {
      host_until_s_ = host_s;
      return ServedBy::host;
    }
    if (!coming) link_s = load_s;
    return ServedBy::load;
  }

 private:
  const MissView& view_;
  std::vector<double> free_s_;
  double host_until_s_ = 0;
};

}  // namespace

void compute_on_host_where_sooner(const MissView& view, std::span<ServedChoice> served) {
  std::vector<ExpertId> asked;
  std::vector<double> tokens(view.on_gpu.size());
  for (std::size_t i = 0; i < served.size(); ++i) {
    if (served[i].by != ServedBy::load) continue;
    double& of_expert = tokens[index(served[i].expert)];
    if (of_expert == 0) asked.push_back(served[i].expert);
    of_expert += view.stands_for.empty() ? 1 : view.stands_for[i / view.active];
  }
  std::vector<ServedBy> ways(view.on_gpu.size(), ServedBy::load);
  Ways so_far(view);
  for (const ExpertId expert : asked) ways[index(expert)] = so_far.sooner(expert, tokens[index(expert)]);
  for (ServedChoice& choice : served)
    if (choice.by == ServedBy::load) choice.by = ways[index(choice.expert)];
}

}  // namespace servecast
