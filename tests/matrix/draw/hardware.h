#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/matrix/draw/draw.h"

namespace servecast::matrix {

/// A kind of node with GPUs of one kind in it.
struct Machine {
  std::string node;
  std::string gpu;
  std::int64_t gpus = 8;  // of a node
  double gpu_gb = 80;
  std::vector<std::string> weights{"bf16"};  // that its GPUs can multiply
  bool exchanges_experts = false;            // how it sends tokens to experts on other GPUs was measured
};

struct Model {
  std::string name;
  double gb = 16;                               // in bf16
  std::int64_t experts = 0;                     // of a layer
  std::vector<std::int64_t> tensor_parallel{};  // over which its heads and MLPs divide
  std::string routing{};                        // folder below data/ with its recorded generations
};

/// GPUs of one replica.
struct Cut {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t expert = 1;
  std::int64_t ranks() const { return std::max<std::int64_t>(1, expert / tensor); }  // with requests of their own
  std::int64_t gpus() const { return std::max(tensor, expert) * pipeline; }
};

/// One kind, or now and then two, each with network ports and other GPUs.
std::vector<Machine> draw_machines(Draw draw);

/// A model that has room for KV on these GPUs in these weights, and a cut that goes with it.
struct Fitted {
  Model model;
  std::string weights;
  Cut cut;
};
Fitted draw_model(Draw draw, const Machine& machine);
/// The same model on other GPUs, where it fits.
std::optional<Fitted> draw_cut(Draw draw, const Machine& machine, const Model& model);

}  // namespace servecast::matrix
