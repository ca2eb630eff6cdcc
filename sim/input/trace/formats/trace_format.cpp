#include "sim/input/trace/formats/trace_format.h"

#include <algorithm>
#include <array>

#include "models/base/error.h"
#include "models/base/names.h"
#include "sim/input/trace/formats/formats.h"

namespace servecast {
namespace {

bool has(std::string_view line, std::string_view word) { return line.find(word) != std::string_view::npos; }
bool is_json(std::string_view line) { return line.starts_with('{'); }

constexpr std::array<TraceFormatEntry, 11> formats{{
    {"azure", "Azure LLM inference traces 2023 and 2024, CSV",
     [](std::string_view l) { return l.starts_with("TIMESTAMP,ContextTokens,GeneratedTokens"); }, make_azure_format},
    {"bailian", "Qwen-Bailian, JSONL, 16-token hash blocks",
     [](std::string_view l) { return is_json(l) && has(l, "\"parent_chat_id\""); }, make_bailian_format},
    {"burstgpt", "BurstGPT, CSV, with or without session columns",
     [](std::string_view l) { return l.starts_with("Timestamp,") && has(l, "Request tokens"); },
     make_burstgpt_format},
    {"claude_code", "Claude Code sessions, JSON objects, one session per line",
     [](std::string_view l) { return is_json(l) && has(l, "\"hash_id_scope\""); }, make_claude_code_json_format},
    {"claude_code_csv", "Claude Code sessions, one request per CSV row, hash ranges",
     [](std::string_view l) { return l.starts_with("trace,agent,seq,"); }, make_claude_code_csv_format},
    {"llmservingsim", "LLMServingSim, JSONL",
     [](std::string_view l) { return is_json(l) && has(l, "\"arrival_time_ns\""); }, make_llmservingsim_format},
    {"mooncake", "Mooncake (Kimi), JSONL, 512-token hash blocks",
     [](std::string_view l) { return is_json(l) && has(l, "\"hash_ids\": [") && !has(l, "\"chat_id\""); },
     make_mooncake_format},
    {"ragpulse", "RAGPulse, JSONL, hash ids by category",
     [](std::string_view l) { return is_json(l) && has(l, "\"passages_ids\""); }, make_ragpulse_format},
    {"servecast", "our own, CSV",
     [](std::string_view l) { return !is_json(l) && (has(l, "prompt_tokens") || has(l, "output_tokens")); },
     make_servecast_csv_format},
    {"servecast_jsonl", "our own, JSONL",
     [](std::string_view l) { return is_json(l) && has(l, "\"prompt_tokens\""); }, make_servecast_jsonl_format},
    {"vidur", "input of the Vidur simulator, CSV",
     [](std::string_view l) { return has(l, "arrived_at") && has(l, "num_prefill_tokens"); }, make_vidur_format},
}};

}  // namespace

std::span<const TraceFormatEntry> trace_formats() { return formats; }

std::vector<std::string> trace_format_choices() {
  std::vector<std::string> names{"auto"};
  for (const TraceFormatEntry& format : formats) names.emplace_back(format.name);
  return names;
}

const TraceFormatEntry& find_trace_format(const std::string& name, LineReader& lines) {
  const std::optional<Line> first = lines.next();
  if (!first) throw UserError(Place{.file = lines.file()}, "is empty; a trace needs at least one request");
  lines.again();
  const auto fits = [&](const TraceFormatEntry& f) {
    return name == "auto" ? f.recognises(first->text) : f.name == name;
  };
  const auto found = std::ranges::find_if(formats, fits);
  if (found != formats.end()) return *found;
  std::vector<std::string> known = trace_format_choices();
  if (name != "auto") throw UserError(Place{.file = lines.file()}, unknown_name("trace format", name, known));
  known.erase(known.begin());
  first->fail(first->text,
              "this first line is of no known trace format; name one with 'format'. Known: " + join(known));
}

}  // namespace servecast
