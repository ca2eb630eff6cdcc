#include "calibrate/servers/page/peer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "calibrate/servers/page/errors_text.h"

namespace servecast {
namespace {

bool is_closed_loop(const ComparedFigure& f) {
  constexpr std::array closed{Regime::closed_loop_vllm, Regime::closed_loop_others, Regime::closed_loop_experts,
                              Regime::blackwell};
  return std::ranges::find(closed, f.regime) != closed.end();
}

struct PeerRow {
  const char* title;
  std::string_view model;   // begins so
  std::string_view engine;  // likewise
  bool experts;             // alone
  const char* tpot;
  const char* ttft;
};
/// AIConfigurator's as given: it is not run here.
constexpr PeerRow peer_rows[]{{"all", "", "", false, "9.5 % / 44 %", "41 % / 83 %"},
                              {"gpt-oss with vLLM", "gpt-oss", "vllm", true, "5.7 %", "–"},
                              {"experts with TensorRT-LLM", "", "trtllm", true, "9 to 14 %, by model", "–"}};

std::string errors_of(std::span<const ComparedFigure> figures, const PeerRow& row, ServerFigure figure) {
  const ErrorSummary s = summarise_errors(chosen(figures, [&](const ComparedFigure& f) {
    return is_closed_loop(f) && !f.saturated && f.figure == figure && f.model.starts_with(row.model) &&
           f.engine.starts_with(row.engine) && (f.experts || !row.experts);
  }));
  return s.rows == 0 ? errors_text(s) : fmt::format("{} of {}", errors_text(s), s.rows);
}

}  // namespace

std::string peer_table(std::span<const ComparedFigure> figures) {
  if (std::ranges::none_of(figures, is_closed_loop)) return "";
  std::string text =
      "\n## Beside NVIDIA's planner\n\nClosed loops, all rows, those that terms were fitted on among them: median / "
      "p90 error here, and of AIConfigurator 0.12 on 1,277 of them.\n\n| rows | TPOT here | AIConfigurator | TTFT "
      "mean here | AIConfigurator |\n|---|---|---|---|---|\n";
  for (const PeerRow& row : peer_rows)
    text += fmt::format("| {} | {} | {} | {} | {} |\n", row.title, errors_of(figures, row, ServerFigure::tpot_mean),
                        row.tpot, errors_of(figures, row, ServerFigure::ttft_mean), row.ttft);
  return text;
}

}  // namespace servecast
