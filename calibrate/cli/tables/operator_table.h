#pragma once
#include <string>

namespace servecast {

struct FittedOperator;

/// A markdown table of fits, one row each: what, from where, how many shapes, error on those held out.
std::string operator_table_header();
std::string operator_table_row(const FittedOperator& fitted);

/// "gemm fp8", "decode_attention fp8 head 128", "all_reduce graph"
std::string operator_title(const FittedOperator& fitted);

}  // namespace servecast
