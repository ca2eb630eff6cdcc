#pragma once
#include <span>
#include <vector>

#include "sim/report/record/series.h"

namespace servecast {

/// The series of all pools together, second by second.
struct OverTime {
  std::vector<double> arrivals;
  std::vector<double> waiting;
  std::vector<double> running;
  std::vector<double> busy_gpus;
  std::vector<double> rented_gpus;
};

inline OverTime sum_over_pools(std::span<const SeriesRow> rows) {
  OverTime all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].time_s != rows[i - 1].time_s)
      for (auto* amounts : {&all.arrivals, &all.waiting, &all.running, &all.busy_gpus, &all.rented_gpus}) amounts->push_back(0);
    all.arrivals.back() += static_cast<double>(rows[i].arrivals);
    all.waiting.back() += rows[i].waiting;
    all.running.back() += rows[i].running;
    all.busy_gpus.back() += rows[i].busy_gpus;
    all.rented_gpus.back() += rows[i].rented_gpus;
  }
  return all;
}

}  // namespace servecast
