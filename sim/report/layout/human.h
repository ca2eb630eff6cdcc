#pragma once
#include <cstdint>
#include <string>

namespace servecast::human {

// Numbers as a person reads them: three significant digits, a unit that fits, thousands in groups. Only the terminal
// report, messages and the GUI use these; files keep SI units. Texts are UTF-8 ("µs").

std::string number(double value);       // 5.53, 1,234, 0.00213
std::string count(std::int64_t value);  // 19,366
std::string whole(double value);        // the same of a count that is no integer any more
std::string seconds(double value);      // a latency: 25.3 ms, 1.00 s, 1,234 s
std::string span(double value);         // how long something lasts: 58 min 20 s
std::string bytes(double value);        // 85.0 GB
std::string joules(double value);       // 8.21 MJ
std::string watts(double value);        // 2.80 kW
std::string usd(double value);          // $11.92, $1,234, $0.000598

/// 61.2 %. Never rounds up to 100 % or down to 0 % what is neither: 0.99996 is 99.996 %.
std::string percent(double fraction);

}  // namespace servecast::human
