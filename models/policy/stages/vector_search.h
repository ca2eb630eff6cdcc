#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "models/base/rng.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {

/// Where vectors are looked for, and what each query reads.
///
/// flat: every vector. ivf: those of the lists that are probed, vectors x probes / lists; the lists' centres stay in
/// a CPU's cache and are in the fixed part. A thread takes fixed_s + bytes / rate, where the rate is a thread's, or
/// its share of the server's memory. Defaults are Faiss's on SIFT1M with IVF1024,PQ32x4fs (16 bytes a vector), one
/// query at a time: its published times (benchs/bench_ivf_fastscan_single_query.py, March 2024) for 1 to 128 probes
/// follow within 15 %. measured: an index's published curve of recall and time, those of this very index where none
/// is given; times grow with the vectors of a shard. Every shard has as many vectors and threads; the slowest one
/// answers.
struct VectorSearchSettings {
  std::string index = "ivf";
  std::optional<double> vectors{};
  double bytes_per_vector = 64;
  std::int64_t lists = 1024;
  std::int64_t probes = 16;
  double recall = 0.9;
  std::vector<double> curve_recalls{};
  std::vector<double> curve_seconds{};
  double curve_vectors = 1e6;
  std::int64_t shards = 1;
  std::int64_t workers = 16;
  double thread_bytes_per_s = 10.5e9;
  double server_bytes_per_s = 200e9;
  double fixed_s = 20e-6;
  double overhead_s = 0.001;
  double sigma = 0;
  double usd = 0;
  std::optional<double> median_s{};

  void fields(Fields& f);
  std::vector<std::string> problems() const;
  /// Of one thread, without waiting.
  double thread_s(double vectors) const;
};

/// Shards of a vector store with a waiting line for their threads.
class VectorSearch {
 public:
  explicit VectorSearch(const VectorSearchSettings& settings)
      : settings_(settings), threads_({.workers = settings.workers}) {}

  /// A query that comes at `now_s`: until its answer is there. `held`: vectors where the settings do not say.
  double call_s(double now_s, Rng& rng, double held);
  double usd() const { return settings_.usd; }

 private:
  VectorSearchSettings settings_;
  GatewayService threads_;
};

}  // namespace servecast
