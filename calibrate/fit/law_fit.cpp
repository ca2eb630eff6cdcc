#include "calibrate/fit/law_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace servecast {
namespace {

constexpr double loss_scale = 0.1;
constexpr int most_steps = 100;
constexpr std::size_t most_rows = 6000;  // more do not move five constants

struct Constant {
  double KernelLaw::*value;
  double low;
  double high;
};

/// The constants that these rows can tell.
std::vector<Constant> free_constants(std::span<const LawRow> rows, double most_launch_s) {
  bool flop = false, bytes = false, ramp = false;
  for (const LawRow& row : rows) {
    flop |= row.work.flop > 0;
    bytes |= row.work.bytes > 0;
    ramp |= row.work.ramp > 0;
  }
  std::vector<Constant> free{{&KernelLaw::launch_s, 1e-7, most_launch_s}};
  if (flop) free.push_back({&KernelLaw::flop_per_s, 1e10, 1e17});
  if (bytes) free.push_back({&KernelLaw::bytes_per_s, 1e7, 1e14});
  if (flop && bytes) free.push_back({&KernelLaw::sharpness, 0.5, 8});
  if (ramp) free.push_back({&KernelLaw::ramp_length, 1, 1e4});
  return free;
}

/// Rates that the fastest rows reach; the launch of the quickest.
KernelLaw first_guess(std::span<const LawRow> rows, double most_launch_s) {
  KernelLaw law{.launch_s = 1, .sharpness = 2, .ramp_length = 0};
  for (const LawRow& row : rows) {
    law.flop_per_s = std::max(law.flop_per_s, row.work.flop / row.seconds);
    law.bytes_per_s = std::max(law.bytes_per_s, row.work.bytes / row.seconds);
    law.launch_s = std::min(law.launch_s, row.seconds);
    if (row.work.ramp > 0) law.ramp_length = 100;
  }
  law.launch_s = std::clamp(law.launch_s, 1e-7, most_launch_s);
  return law;
}

double residual(const KernelLaw& law, const LawRow& row) { return std::log(law(row.work).seconds / row.seconds); }

double loss(const KernelLaw& law, std::span<const LawRow> rows) {
  double sum = 0;
  for (const LawRow& row : rows) sum += std::hypot(1, residual(law, row) / loss_scale) - 1;
  return sum;
}

KernelLaw moved(KernelLaw law, const std::vector<Constant>& free, const Eigen::VectorXd& step) {
  for (std::size_t i = 0; i < free.size(); ++i) {
    const double value = law.*free[i].value * std::exp(std::clamp(step[static_cast<Eigen::Index>(i)], -1.0, 1.0));
    law.*free[i].value = std::clamp(value, free[i].low, free[i].high);
  }
  return law;
}

struct Normal {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd vector;
};

/// J'WJ and -J'Wr with the loss's weights, J by differences.
Normal normal_equations(const KernelLaw& law, const std::vector<Constant>& free, std::span<const LawRow> rows) {
  constexpr double h = 1e-5;
  const auto n = static_cast<Eigen::Index>(free.size());
  std::vector<KernelLaw> nudged;
  for (const Constant& constant : free) {
    nudged.push_back(law);
    nudged.back().*constant.value *= std::exp(h);
  }
  Normal normal{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n)};
  Eigen::VectorXd slope(n);
  for (const LawRow& row : rows) {
    const double r = residual(law, row);
    for (Eigen::Index i = 0; i < n; ++i) slope[i] = (residual(nudged[static_cast<std::size_t>(i)], row) - r) / h;
    const double weight = 1 / std::hypot(1, r / loss_scale);
    normal.matrix += weight * slope * slope.transpose();
    normal.vector -= weight * r * slope;
  }
  return normal;
}

std::vector<LawRow> thinned(std::span<const LawRow> rows) {
  const std::size_t stride = (rows.size() + most_rows - 1) / most_rows;
  std::vector<LawRow> some;
  for (std::size_t i = 0; i < rows.size(); i += stride) some.push_back(rows[i]);
  return some;
}

}  // namespace

KernelLaw fit_law(std::span<const LawRow> all_rows, double most_launch_s) {
  assert(!all_rows.empty());
  const std::vector<LawRow> rows = thinned(all_rows);
  const std::vector<Constant> free = free_constants(rows, most_launch_s);
  KernelLaw law = first_guess(rows, most_launch_s);
  double best = loss(law, rows);
  double damping = 1e-2;
  for (int step = 0; step < most_steps && damping < 1e8; ++step) {
    Normal normal = normal_equations(law, free, rows);
    normal.matrix.diagonal() *= 1 + damping;
    normal.matrix.diagonal().array() += 1e-9;
    const KernelLaw next = moved(law, free, normal.matrix.ldlt().solve(normal.vector));
    const double next_loss = loss(next, rows);
    if (next_loss < best) {
      const bool done = best - next_loss < 1e-9 * best;
      law = next;
      best = next_loss;
      damping = std::max(damping / 5, 1e-9);
      if (done) break;
    } else {
      damping *= 5;
    }
  }
  return law;
}

}  // namespace servecast
