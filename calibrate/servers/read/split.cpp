#include "calibrate/servers/read/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace servecast {
namespace {

struct FittingServers {
  const char* engine;
  const char* gpu;
  const char* llm;
  const char* why;
};
/// One system per engine and kind of model, the one with the widest range of clients and GPUs. Families that are not
/// named are fitted on nothing: their terms are carried over from their neighbours.
constexpr std::array<FittingServers, 5> fitting{{
    {"vllm-0.15", "h100_sxm_80g", "llama-3.1-70b", "dense, TP2 and TP8, 4 to 64 clients"},
    {"vllm-0.15", "h100_sxm_80g", "gpt-oss-120b", "experts, TP2 to TP8, 4 to 512 clients"},
    {"trtllm-0.15", "h100_sxm_80g", "llama-3-70b", "offline, TP1 to TP8"},
    {"trtllm-1.0", "h100_sxm_80g", "llama-3.1-8b", "dense, one GPU, 1 to 128 clients"},
    {"trtllm-1.0", "h200_sxm_141g", "gpt-oss-120b", "experts, TP2 to TP8, 4 to 64 clients"},
}};

}  // namespace

bool is_fitted_on(const std::string& engine, const std::string& gpu, const std::string& llm) {
  return std::ranges::any_of(
      fitting, [&](const FittingServers& f) { return engine == f.engine && gpu == f.gpu && llm == f.llm; });
}

std::string split_text() {
  std::string text = "| engine | GPU | model | what it covers |\n|---|---|---|---|\n";
  for (const FittingServers& f : fitting) text += fmt::format("| {} | {} | {} | {} |\n", f.engine, f.gpu, f.llm, f.why);
  return text;
}

}  // namespace servecast
