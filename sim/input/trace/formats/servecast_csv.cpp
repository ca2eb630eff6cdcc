// Our own format as CSV. Columns stand in any order; prompt_tokens, output_tokens and one of arrival_s, think_s are
// needed, the others may be missing or empty.
//
//   request_id,arrival_s,prompt_tokens,output_tokens,session,think_s,class,client,priority,block_tokens,prefix_blocks
//   0,0.25,1100,210,7,,chat,acme,0,16,0-31 96-131
//   1,,1500,180,7,12.5,chat,acme,0,16,0-31 96-156
//
// A row with think_s instead of arrival_s arrives so long after the previous row of its session has finished.
#include <algorithm>
#include <array>

#include "models/base/escaped.h"
#include "models/base/names.h"
#include "sim/input/files/csv.h"
#include "sim/input/files/numbers.h"
#include "sim/input/trace/formats/formats.h"
#include "sim/input/trace/rows/block_ids.h"
#include "sim/input/trace/rows/names_to_ids.h"

namespace servecast {
namespace {

const std::array<std::string, 11> known_columns{"request_id", "arrival_s",    "prompt_tokens", "output_tokens",
                                                "session",    "think_s",      "class",         "client",
                                                "priority",   "block_tokens", "prefix_blocks"};

class ServecastCsv final : public TraceFormat {
 public:
  RowOrder order() const override { return csv_.find("think_s") ? RowOrder::sessions : RowOrder::by_arrival; }
  void begin(LineReader& lines) override {
    const Line header = *lines.next();
    csv_.read_header(header);
    for (const std::string_view name : csv_.cells(header))
      if (std::ranges::find(known_columns, name) == known_columns.end())
        header.fail(name, unknown_name("column", name, known_columns));
    prompt_ = csv_.column("prompt_tokens");
    output_ = csv_.column("output_tokens");
    think_ = csv_.find("think_s");
    arrival_ = think_ ? csv_.find("arrival_s") : csv_.column("arrival_s");
    session_ = think_ ? csv_.column("session") : csv_.find("session");
    class_ = csv_.find("class");
    client_ = csv_.find("client");
    priority_ = csv_.find("priority");
    blocks_ = csv_.find("prefix_blocks");
    block_tokens_ = blocks_ ? csv_.column("block_tokens") : csv_.find("block_tokens");
  }
  bool next(LineReader& lines, TraceRow& row) override {
    const std::optional<Line> line = lines.next();
    if (!line) return false;
    cells_ = &csv_.cells(*line);
    row.prompt_tokens = read_prompt_tokens(*line, cell(prompt_));
    row.output_tokens = read_output_tokens(*line, cell(output_));
    row.session = sessions_.id(cell(session_));
    row.request_class = csv_text(cell(class_));
    row.client = clients_.id(cell(client_));
    if (!cell(priority_).empty()) row.priority = read_priority(*line, cell(priority_));
    read_arrival(*line, row);
    read_blocks(*line, row);
    return true;
  }

 private:
  std::string_view cell(std::optional<std::size_t> column) const {
    return column ? (*cells_)[*column] : std::string_view{};
  }
  void read_arrival(const Line& line, TraceRow& row) const {
    row.arrival_text = cell(arrival_);
    const std::string_view think = cell(think_);
    if (!row.arrival_text.empty() && !think.empty())
      line.fail(think, "a row has arrival_s or think_s, not both: leave one empty");
    if (!think.empty() && cell(session_).empty())
      line.fail(think, "a row with think_s needs the session whose previous row it follows");
    if (think.empty())
      row.arrival_s = read_time_s(line, row.arrival_text, "arrival_s");
    else
      row.think_s = read_time_s(line, think, "think_s");
  }
  void read_blocks(const Line& line, TraceRow& row) const {
    if (cell(block_tokens_).empty() && cell(blocks_).empty()) return;
    row.block_tokens = static_cast<std::int32_t>(
        read_count(line, cell(block_tokens_), "block tokens", {.min = 1, .max = 1'000'000}));
    read_block_ranges(line, cell(blocks_), row);
    check_block_count(line, row);
  }

  Csv csv_;
  const std::vector<std::string_view>* cells_ = nullptr;  // of the current line
  std::size_t prompt_ = 0, output_ = 0;
  std::optional<std::size_t> arrival_, think_, session_, class_, client_, priority_, block_tokens_, blocks_;
  NamesToIds<SessionId> sessions_;
  NamesToIds<ClientId> clients_;
};

}  // namespace

std::unique_ptr<TraceFormat> make_servecast_csv_format() { return std::make_unique<ServecastCsv>(); }

}  // namespace servecast
