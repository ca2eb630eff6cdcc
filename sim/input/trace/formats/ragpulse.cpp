// RAGPulse: seconds from noon of the first day, as text, wrapping from the end of the week to its start (so the rows
// are sorted here). The prompt is a list of chunks in five categories, each with ids of its own.
//
//   {"timestamp": "82", "input_length": 3112, "output_length": 192, "hash_ids": {"sys_prompt": [8302],
//    "passages_ids": [7398], "history": [], "web_search": [], "user_input": [26923]}, "session_id": "1757-ab"}
//
// A chunk is up to 512 tokens long, 266 on average, and the trace file does not say how long each is. So the chunks
// of one prompt count as equally long: block_tokens = prompt tokens / chunks, to the nearest whole number (a half
// goes up), 1 at least. The published cache curves of this trace count so too.
#include <algorithm>
#include <array>

#include "models/base/names.h"
#include "sim/input/files/json_scan.h"
#include "sim/input/files/numbers.h"
#include "sim/input/trace/formats/formats.h"
#include "sim/input/trace/rows/block_ids.h"
#include "sim/input/trace/rows/names_to_ids.h"

namespace servecast {
namespace {

/// In the order in which the prompt is put together.
const std::array<std::string, 5> categories{"sys_prompt", "passages_ids", "history", "web_search", "user_input"};
constexpr int category_shift = 48;  // ids of category c are moved up by c * 2^48

class RagPulse final : public TraceFormat {
 public:
  RowOrder order() const override { return RowOrder::any; }
  bool next(LineReader& lines, TraceRow& row) override {
    const std::optional<Line> line = lines.next();
    if (!line) return false;
    bool has_prompt = false;
    bool has_output = false;
    for (auto& ids : ids_) ids.clear();
    JsonScan json(*line);
    json.object([&](std::string_view key) {
      if (key == "timestamp") {
        row.arrival_text = json.scalar();
        row.arrival_s = read_time_s(*line, row.arrival_text, key);
      } else if (key == "input_length") {
        row.prompt_tokens = read_prompt_tokens(*line, json.number());
        has_prompt = true;
      } else if (key == "output_length") {
        row.output_tokens = read_output_tokens(*line, json.number());
        has_output = true;
      } else if (key == "hash_ids") {
        json.object([&](std::string_view category) { read_chunks(*line, category, json); });
      } else if (key == "session_id") {
        row.session = sessions_.id(json.scalar());
      } else {
        json.skip();
      }
    });
    json.end();
    require_key(*line, row.arrival_s.has_value(), "timestamp");
    require_key(*line, has_prompt, "input_length");
    require_key(*line, has_output, "output_length");
    add_chunks(row);
    return true;
  }

 private:
  void read_chunks(const Line& line, std::string_view category, JsonScan& json) {
    const auto found = std::ranges::find(categories, category);
    if (found == categories.end()) line.fail(category, unknown_name("category", category, categories));
    auto& ids = ids_[static_cast<std::size_t>(found - categories.begin())];
    json.array([&] { ids.push_back(read_block_id(line, json.number())); });
  }
  void add_chunks(TraceRow& row) const {
    std::int64_t chunks = 0;
    for (std::size_t c = 0; c < ids_.size(); ++c) {
      for (const BlockHash id : ids_[c]) row.add_block(id + (BlockHash{c} << category_shift));
      chunks += static_cast<std::int64_t>(ids_[c].size());
    }
    if (chunks == 0) return;
    const std::int64_t nearest = (2 * row.prompt_tokens + chunks) / (2 * chunks);
    row.block_tokens = static_cast<std::int32_t>(std::max<std::int64_t>(1, nearest));
  }

  std::array<std::vector<BlockHash>, 5> ids_;
  NamesToIds<SessionId> sessions_;
};

}  // namespace

std::unique_ptr<TraceFormat> make_ragpulse_format() { return std::make_unique<RagPulse>(); }

}  // namespace servecast
