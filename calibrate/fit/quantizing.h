#pragma once
#include <map>

#include "calibrate/fit/cells.h"

namespace servecast {

/// TensorRT-LLM's rows of fp8 products time its PyTorch layer, which looks for the scale of its inputs first: passes
/// over m x k numbers, 250 of 1,016 us where m = n = k = 8,192. Servers whose scales are known beforehand run none of
/// them. Adds the passes as elementwise kernels of mode "quantize" over 3 bytes per number (read in bf16, written in
/// fp8), so that a forecast can take them off. Narrow products (n up to 128) show them: what they take beyond half of
/// what the product in bf16 takes after its launch. Nothing happens where no cells of both types are there.
void add_quantizing(std::map<Flavour, FlavourCells>& cells);

}  // namespace servecast
