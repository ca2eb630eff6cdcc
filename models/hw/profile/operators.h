#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "models/hw/profile/law.h"
#include "models/hw/profile/residual_grid.h"

namespace servecast {

/// The size of one call of an operator; each uses what concerns it.
struct KernelShape {
  std::int64_t m = 0;          // rows of a product, tokens of an expert layer
  std::int64_t n = 0;          // columns of a product, width of an expert; MLA: length of a score's vectors
  std::int64_t k = 0;          // depth of a product, hidden size; MLA: length of a value
  std::int64_t sequences = 0;  // attention
  std::int64_t tokens = 0;     // new tokens of each
  std::int64_t context = 0;    // tokens each attends to, new ones included
  std::int64_t q_heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t window = 0;  // 0: attends to everything
  std::int64_t experts = 0;
  std::int64_t top_k = 0;
  std::int64_t tensor_parallel = 0;
  std::int64_t expert_parallel = 0;
  std::int64_t bytes = 0;  // collectives, copies, elementwise
  std::int64_t ranks = 0;
  std::int64_t padding = 0;  // rows of m that only fill up a tile

  bool operator==(const KernelShape&) const = default;
  auto operator<=>(const KernelShape&) const = default;
};

/// The shape with rows filled up to whole tiles; kernels have smaller ones for up to one tile of rows. Tiles of 0
/// rows: as it is.
KernelShape fill_tiles(KernelShape shape, std::int64_t tile_rows);

/// Bytes of one number.
struct NumberSizes {
  double weight = 2;
  double activation = 2;
  double kv = 2;
};

/// Of a data type's name; 2 bytes each for a name that is not known here (collectives count bytes, not numbers).
NumberSizes number_sizes(std::string_view dtype, std::string_view kv_dtype);

/// The experts of one model's layer; 0: of any.
struct ExpertLayer {
  std::int64_t hidden = 0;
  std::int64_t width = 0;  // of one expert
  std::int64_t experts = 0;
  std::int64_t top_k = 0;

  bool any() const { return experts == 0; }
  auto operator<=>(const ExpertLayer&) const = default;
};

/// An axis of an operator's residual grid, and how the fit treats it.
struct OperatorAxis {
  std::string_view name;
  double least_ratio = 1;           // sizes closer than this share a grid point
  double stiffness = 0.1;           // weight of the squared second difference along it, a row having weight 1
  double likeness = 0;              // weight of how its points differ in their slope along the last axis, squared
  bool one_stands_for_all = false;  // its points are kinds of calls: a set with one of them takes it for all
};

/// What is known of an operator before anything is measured. All functions are pure.
struct OperatorKind {
  std::string_view name;
  std::string_view help;
  KernelWork (*work)(const KernelShape&, const NumberSizes&);
  std::size_t axis_count;
  std::array<OperatorAxis, max_grid_axes> axes;
  std::array<double, max_grid_axes> (*sizes)(const KernelShape&);  // along the axes
};

std::span<const OperatorKind> operator_kinds();
/// Null for a name that is none.
const OperatorKind* operator_kind(std::string_view name);

}  // namespace servecast
