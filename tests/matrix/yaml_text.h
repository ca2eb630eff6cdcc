#pragma once
#include <string>

#include "tests/matrix/draw/draw.h"

namespace servecast::matrix {

/// As YAML that a person can read: what fits goes into one line.
std::string yaml_text(const Tree& scenario);

}  // namespace servecast::matrix
