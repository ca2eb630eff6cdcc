#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "models/hw/profile/law.h"
#include "models/hw/profile/operators.h"
#include "models/hw/profile/residual_grid.h"
#include "models/hw/profile/transfer_law.h"

namespace servecast {

/// How far a fit can be trusted. Errors are |predicted / measured - 1| over held-out rows.
struct FitEvidence {
  std::string source{};  // engine and versions whose rows these are
  std::int64_t rows = 0;
  std::int64_t held_out_rows = 0;
  std::int64_t left_out_rows = 0;  // faster than the data sheet allows, or from a table with many such
  std::string left_out_tables{};   // the latter
  double median_error = 0;
  double p90_error = 0;
  double p95_error = 0;
  std::vector<double> spread_up_to_s{};   // regions by predicted time; the last one is open
  std::vector<double> spread_fraction{};  // standard deviation of log(predicted / measured) in each, outliers clipped

  void fields(Fields& f) {
    f.required("source", source, "engine and versions whose rows these are");
    f.required("rows", rows, "shapes that it was fitted on");
    f.required("held_out_rows", held_out_rows, "shapes kept apart to test it");
    f.field("left_out_rows", left_out_rows, "rows faster than the data sheet allows, or from a table with many such");
    f.field("left_out_tables", left_out_tables, "tables of which more than 1 % are, all of whose rows are left out");
    f.required("median_error", median_error, "median error on held-out shapes");
    f.required("p90_error", p90_error, "error that 90 % of the held-out shapes stay below");
    f.required("p95_error", p95_error, "error that 95 % of the held-out shapes stay below");
    f.field("spread_up_to_s", spread_up_to_s, "regions by predicted time: their ends; the last is open");
    f.field("spread_fraction", spread_fraction, "relative standard deviation of the rest in each region");
  }
};

/// One operator in one flavour.
struct FittedOperator {
  std::string op{};
  std::string dtype{};     // weights of products and experts, else what is computed or sent in
  std::string kv_dtype{};  // attention
  std::string mode{};  // all-reduce: graph, eager, nccl; experts: balanced, power_law_1.01, ...; exchange: normal, ll
  std::int64_t head_dim = 0;
  std::int64_t tile_rows = 0;
  ExpertLayer layer{};
  KernelLaw law{};
  FitEvidence evidence{};
  GridText residual{};

  void fields(Fields& f) {
    f.required("operator", op, "what it computes");
    f.field("dtype", dtype, "data type");
    f.field("kv_dtype", kv_dtype, "data type of keys and values");
    f.field("mode", mode, "all-reduce: graph, eager, nccl; experts: how evenly routed; exchange: normal, ll");
    f.field("head_dim", head_dim, "attention: length of a head");
    f.field("tile_rows", tile_rows, "products: rows are worked through in tiles of so many; 0: they are not",
            {.min = 0, .max = 4096});
    f.field("hidden", layer.hidden, "moe_layer: hidden size of its model");
    f.field("width", layer.width, "moe_layer: width of one expert");
    f.field("experts", layer.experts, "moe_layer: experts");
    f.field("top_k", layer.top_k, "moe_layer: experts that a token visits");
    f.group("law", law, "physics: launch + (1 + ramp) (c^p + b^p)^(1/p)");
    f.group("evidence", evidence, "what it rests on");
    f.group("residual", residual, "what the law leaves, smoothed");
  }
};

/// Operators of one GPU as one engine runs them: scenarios/hw/profiles/*.yaml, written by `servecast-calibrate fit`.
struct KernelProfile {
  std::string name{};  // of the file
  std::string title{};
  std::string gpu{};
  std::string engine{};
  double elementwise_bytes_per_s = 0;
  std::vector<TransferLaw> transfers{};
  std::vector<FittedOperator> operators{};

  void fields(Fields& f) {
    f.required("title", title, "what it describes");
    f.required("gpu", gpu, "GPU file it was measured on");
    f.required("engine", engine, "engine whose kernels these are");
    f.required("elementwise_bytes_per_s", elementwise_bytes_per_s, "rate of norms, activations and copies", positive);
    f.list("transfers", transfers, "copies between memories", false);
    f.list("operators", operators, "fits", true);
  }
};

}  // namespace servecast
