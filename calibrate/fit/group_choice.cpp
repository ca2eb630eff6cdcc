#include "calibrate/fit/group_choice.h"

#include <utility>

#include "models/base/quantile.h"
#include "models/hw/profile/kernel_times.h"

namespace servecast {
namespace {

// Batches whose time goes by how many experts they touch.
constexpr std::int64_t fewest_tokens = 32;
constexpr std::int64_t most_tokens = 256;
constexpr double not_halved = 0.9;
constexpr double not_slower = 1.1;  // kernels that are not tuned may take longer in groups
constexpr double halved = 0.7;

}  // namespace

GroupChoice::Layer GroupChoice::layer(std::size_t table, const std::string& dtype, const KernelShape& shape) {
  return {table, dtype, shape.n, shape.k, shape.experts, shape.top_k};
}

void GroupChoice::add(std::size_t table, const std::string& dtype, const KernelShape& shape, double seconds) {
  if (shape.m < fewest_tokens || shape.m > most_tokens || shape.experts < fine_grained_experts) return;
  seconds_[layer(table, dtype, shape)][{shape.tensor_parallel, shape.m}][shape.expert_parallel] = seconds;
}

double GroupChoice::ratio(const Layer& layer, std::int64_t more, std::int64_t fewer) const {
  std::vector<double> ratios;
  for (const auto& [batch, by_groups] : seconds_.at(layer))
    if (by_groups.contains(more) && by_groups.contains(fewer))
      ratios.push_back(by_groups.at(more) / by_groups.at(fewer));
  return ratios.empty() ? 0 : median(std::move(ratios));
}

bool GroupChoice::of(std::size_t table, const std::string& dtype, const KernelShape& shape) const {
  const Layer known = layer(table, dtype, shape);
  if (!seconds_.contains(known)) return false;
  const double first = ratio(known, 2, 1);
  const double further = ratio(known, 4, 2);
  return first > not_halved && first < not_slower && further > 0 && further < halved;
}

}  // namespace servecast
