#include "sim/input/library/drafter.h"

#include <algorithm>
#include <charconv>

#include "sim/input/files/line_reader.h"
#include "sim/input/library/llm_config.h"

namespace servecast {
namespace {

/// `layers` like the last one of `target`.
Llm head_of(Llm target, std::int64_t layers, std::int64_t vocabulary) {
  target.attention_of.assign(static_cast<std::size_t>(layers), target.attention(target.layers - 1));
  target.layers = layers;
  if (target.experts) {
    target.experts->first_dense_layers = 0;
    target.experts->layer_step = 1;
    target.experts->dense_layers.clear();
  }
  if (vocabulary > 0) target.vocabulary = vocabulary;
  return target;
}

Llm first_layers_of(Llm target, std::int64_t layers) {
  target.layers = layers;
  target.sampling = "greedy";
  return target;
}

}  // namespace

std::optional<Llm> drafter_llm(const Drafter& drafter, const Llm& target, const Place& where,
                               const std::string& file) {
  if (!drafter.on_gpu()) return std::nullopt;
  if (drafter.first_layers > 0) return first_layers_of(target, drafter.first_layers);
  Llm llm = drafter.llm.empty() ? head_of(target, drafter.target_layers, drafter.vocabulary)
                                : load_llm(drafter.llm, where, file);
  llm.sampling = "greedy";  // drafts are the most likely tokens
  return llm;
}

MemoryBeside drafter_memory(const Drafter& drafter, const Llm& llm, const MemoryUse& use, const Shape& shape) {
  if (drafter.first_layers > 0) return {};
  const auto split = static_cast<double>(shape.tensor_parallel);
  const double outer = embedding_parameters(llm) / split * facts(DataType::bf16).bytes;
  const double shared = drafter.llm.empty() ? (llm.tied_embeddings ? 1 : 2) * outer : 0;
  return {.weight_bytes = stage_weight_bytes(llm, use.weights, shape, 0) - shared,
          .token_bytes =
              static_cast<double>(llm.layers) * kv_bytes_per_token_layer_and_gpu(llm, use.kv, shape.tensor_parallel)};
}

std::vector<std::int64_t> load_acceptance_trace(const std::string& file) {
  LineReader lines(file);
  std::vector<std::int64_t> accepted;
  while (const auto line = lines.next()) {
    std::int64_t value = 0;
    const char* end = line->text.data() + line->text.size();
    const auto [stop, error] = std::from_chars(line->text.data(), end, value);
    if (error != std::errc() || stop != end || value < 0)
      line->fail(line->text, "one whole number a line: the drafts taken over in a step");
    accepted.push_back(value);
  }
  if (accepted.empty()) lines.current().fail(lines.current().text, "holds no numbers: one whole number a line");
  return accepted;
}

}  // namespace servecast
