#pragma once
#include <chrono>
#include <thread>

namespace servecast {

/// Seconds on a clock that never goes back.
inline double wall_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline void sleep_for_s(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace servecast
