#include "models/policy/stages/vector_search.h"

#include <algorithm>

#include "models/base/normal_quantile.h"
#include "models/base/stable_math.h"

namespace servecast {
namespace {

struct Curve {
  std::vector<double> recalls{};
  std::vector<double> seconds{};
};

/// Faiss, SIFT1M, IVF1024,PQ32x4fs, one query at a time, 1 to 128 probes: share of nearest neighbours among the
/// first 64.
const Curve& faiss_curve() {
  static const Curve curve{
      .recalls = {0.4613, 0.6184, 0.7552, 0.8177, 0.8552, 0.8925, 0.9107, 0.9275, 0.9361, 0.9408, 0.9416, 0.9428},
      .seconds = {18.7e-6, 22.0e-6, 26.8e-6, 30.8e-6, 35.0e-6, 41.9e-6, 48.7e-6, 62.1e-6, 75.5e-6, 101.2e-6, 123.3e-6,
                  212.6e-6}};
  return curve;
}

/// Log seconds run straight with the recall between neighbouring points; beyond the last ones stand those.
double seconds_at(const Curve& curve, double recall) {
  const auto above =
      static_cast<std::size_t>(std::ranges::lower_bound(curve.recalls, recall) - curve.recalls.begin());
  if (above == 0) return curve.seconds.front();
  if (above == curve.recalls.size()) return curve.seconds.back();
  const double along = (recall - curve.recalls[above - 1]) / (curve.recalls[above] - curve.recalls[above - 1]);
  const double from = stable::log(curve.seconds[above - 1]);
  return stable::exp(from + along * (stable::log(curve.seconds[above]) - from));
}

}  // namespace

void VectorSearchSettings::fields(Fields& f) {
  f.field("index", index,
          "flat: every vector is read; ivf: those of the probed lists; measured: as a published curve says",
          {"flat", "ivf", "measured"});
  f.field("vectors", vectors, "in all; left out: a million, or the answers that a semantic cache holds", positive);
  f.field("bytes_per_vector", bytes_per_vector,
          "as it is read: a code of product quantization; 4 x dimensions for whole floats", positive);
  f.field("lists", lists, "of ivf", at_least_one);
  f.field("probes", probes, "lists that a query reads", at_least_one);
  f.field("recall", recall, "of measured: share of true neighbours that is wanted", fraction);
  f.field("curve_recalls", curve_recalls, "of measured, ascending; left out: those of Faiss on SIFT1M", fraction);
  f.field("curve_seconds", curve_seconds, "of one thread at these recalls", positive);
  f.field("curve_vectors", curve_vectors, "with so many vectors", positive);
  f.field("shards", shards, "servers that hold a part each; all are asked at once", at_least_one);
  f.field("workers", workers, "threads of each: queries at a time, others wait their turn", at_least_one);
  f.field("thread_bytes_per_s", thread_bytes_per_s, "what one thread reads", positive);
  f.field("server_bytes_per_s", server_bytes_per_s, "what all threads of a server read together", positive);
  f.field("fixed_s", fixed_s, "of a query beside what it reads: centres of the lists, sorting");
  f.field("overhead_s", overhead_s, "network and the store's front end, of a query");
  f.field("sigma", sigma, "standard deviation of the logarithm of a shard's time; 0: all take the same",
          {.min = 0, .max = 5});
  f.field("usd", usd, "price of a query");
  f.field("median_s", median_s,
          "a thread's time as it was measured, in place of what it reads; left out: by the index");
}

std::vector<std::string> VectorSearchSettings::problems() const {
  std::vector<std::string> all;
  if (curve_recalls.size() != curve_seconds.size())
    all.emplace_back("'curve_recalls' and 'curve_seconds' must have as many entries as each other");
  if (!std::ranges::is_sorted(curve_recalls) || std::ranges::adjacent_find(curve_recalls) != curve_recalls.end())
    all.emplace_back("'curve_recalls' must ascend");
  if (!curve_recalls.empty() && index != "measured") all.emplace_back("a curve needs index: measured");
  if (probes > lists) all.emplace_back("'probes' must not be above 'lists'");
  const double most = curve_recalls.empty() ? faiss_curve().recalls.back() : curve_recalls.back();
  if (index == "measured" && recall > most)
    all.push_back("'recall' is above " + std::to_string(most) + ", the highest of the curve");
  return all;
}

double VectorSearchSettings::thread_s(double vectors_in_all) const {
  if (median_s) return *median_s;
  const double here = vectors_in_all / static_cast<double>(shards);
  if (index == "measured") {
    const Curve curve = curve_recalls.empty() ? faiss_curve() : Curve{curve_recalls, curve_seconds};
    return seconds_at(curve, recall) * here / curve_vectors;
  }
  const double read = index == "flat" ? 1 : static_cast<double>(probes) / static_cast<double>(lists);
  const double rate = std::min(thread_bytes_per_s, server_bytes_per_s / static_cast<double>(workers));
  return fixed_s + here * read * bytes_per_vector / rate;
}

double VectorSearch::call_s(double now_s, Rng& rng, double held) {
  double thread_s = settings_.thread_s(settings_.vectors.value_or(held));
  if (settings_.sigma > 0) {  // the slowest of all shards: the n-th root of a uniform number is their highest rank
    const double highest = stable::exp(stable::log(1 - rng.uniform()) / static_cast<double>(settings_.shards));
    thread_s *= stable::exp(settings_.sigma * normal_quantile(std::clamp(highest, 1e-12, 1 - 1e-12)));
  }
  return settings_.overhead_s + threads_.call_s(now_s, rng, thread_s);
}

}  // namespace servecast
