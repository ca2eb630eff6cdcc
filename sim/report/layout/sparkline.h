#pragma once
#include <span>
#include <string>
#include <vector>

namespace servecast {

/// A curve in one line of text, `width` characters wide and scaled so that `top` is full height. Each character shows
/// the largest of the values that fall on it, so that no peak gets lost. Anything above 0 looks different from 0.
std::string sparkline(std::span<const double> values, double top, std::size_t width, bool unicode);

}  // namespace servecast
