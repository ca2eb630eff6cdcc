#pragma once
#include <cstdint>
#include <string>

#include "models/hw/profile/operators.h"

namespace servecast {

/// One measured call of one operator: a row of samples.csv (docs/calibrate.md). What does not apply is empty or 0.
struct Sample {
  std::string gpu;  // name of a GPU file
  std::string driver;
  std::string engine;   // vllm, trtllm, ...
  std::string version;  // of the engine
  std::string kernel;   // which implementation the engine took
  std::string op;       // one of operator_kinds()
  std::string dtype;
  std::string kv_dtype;
  std::string mode;
  KernelShape shape{};
  std::int64_t count = 0;  // runs that the median was taken of
  double median_s = 0;
  double noise_fraction = 0;  // spread of the runs over their median
  double clock_mhz = 0;       // of the SMs
  double memory_clock_mhz = 0;
};

}  // namespace servecast
