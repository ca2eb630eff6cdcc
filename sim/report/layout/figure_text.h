#pragma once
#include <string>
#include <string_view>

#include "models/base/fields.h"

namespace servecast {

/// How people read a number with this unit; `count`: a whole one.
std::string (*text_of_unit(std::string_view unit, bool count))(double);

/// How people read a figure, whose unit follows from its key.
std::string (*text_of_figure(const About& about, bool count))(double);

}  // namespace servecast
