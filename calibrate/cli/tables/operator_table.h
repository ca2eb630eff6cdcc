#pragma once
#include <string>

namespace servecast {

struct FittedOperator;
struct TransferLaw;

/// A markdown table of fits, one row each: what, from where, how many shapes, error on those held out.
std::string operator_table_header();
std::string operator_table_row(const FittedOperator& fitted);

/// The same of copies: what starts one, how fast it is, what a further piece adds, and the error over every row.
std::string transfer_table_header();
std::string transfer_table_row(const TransferLaw& law);

/// "gemm fp8", "decode_attention fp8 head 128", "all_reduce graph"
std::string operator_title(const FittedOperator& fitted);

}  // namespace servecast
