#pragma once
#include <QString>
#include <cstdint>
#include <vector>

namespace servecast::gui {

/// What a number is, and so how it is shown: files hold SI units, people read "25 ms".
enum class Quantity : std::uint8_t {
  count,        // 1,234
  number,       // 5.53
  latency_s,    // 25.3 ms
  instant_s,    // 12.345 s of simulated time
  fraction,     // 61.2 %
  bytes,        // 85.0 GB
  watts,        // 2.80 kW
  joules,       // 8.21 MJ
  usd,          // $11.92
  tokens_per_s  // 4,888 /s
};

/// For people; an em dash where the number is absent (NaN).
QString text_of(Quantity quantity, double value);

/// Marks of an axis from `low` to `high`, about `wanted` of them: 1, 2 or 5 times a power of ten apart.
std::vector<double> linear_ticks(double low, double high, int wanted);
/// Powers of ten, with more between them where they are few.
std::vector<double> log_ticks(double low, double high);

/// A mark's text: as short as tells all marks apart.
QString tick_text(Quantity quantity, double value, double largest);

}  // namespace servecast::gui
