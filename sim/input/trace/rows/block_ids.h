#pragma once
#include <string_view>

#include "sim/input/files/line_reader.h"
#include "sim/input/trace/rows/trace_row.h"

namespace servecast {

/// The id of a hash block, 0 to 2^61.
BlockHash read_block_id(const Line& line, std::string_view text);

/// "1-615 617": ids and runs of ids, separated by blanks.
void read_block_ranges(const Line& line, std::string_view text, TraceRow& row);

/// Blocks in a row; `offset` ids are added to each, to keep apart what two scopes number alike.
std::int64_t count_blocks(const TraceRow& row);
void shift_blocks(TraceRow& row, BlockHash offset);

/// Throws UserError where a row has more blocks than its prompt has room for.
void check_block_count(const Line& line, const TraceRow& row);

}  // namespace servecast
