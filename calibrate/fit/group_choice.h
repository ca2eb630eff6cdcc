#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "models/hw/profile/operators.h"

namespace servecast {

/// Tells tables of experts whose even routing is not even: their kernel chooses by itself and by DeepSeek's rule, the
/// best four groups of eight, and even logits make these the same four for every token. The first of two GPUs then
/// computes what one does alone, half of the experts with all visits, and each further doubling halves that (in
/// AIConfigurator's tables all of DeepSeek-V3's by FlashInfer, and all of TensorRT-LLM's "min latency"). So rows of
/// one GPU touch half of a layer, and the first of several GPUs has twice its visits.
class GroupChoice {
 public:
  /// A row of even routing.
  void add(std::size_t table, const std::string& dtype, const KernelShape& shape, double seconds);
  /// Whether the rows of such a layer in this table are such.
  bool of(std::size_t table, const std::string& dtype, const KernelShape& shape) const;

 private:
  using Layer = std::tuple<std::size_t, std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  using Batch = std::pair<std::int64_t, std::int64_t>;  // slices, tokens
  static Layer layer(std::size_t table, const std::string& dtype, const KernelShape& shape);
  /// Times on the first of `more` GPUs over those on the first of `fewer`, their median; 0 without any.
  double ratio(const Layer& layer, std::int64_t more, std::int64_t fewer) const;

  std::map<Layer, std::map<Batch, std::map<std::int64_t, double>>> seconds_{};  // by groups
};

}  // namespace servecast
