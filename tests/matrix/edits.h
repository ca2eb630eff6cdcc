#pragma once
#include <string>
#include <vector>

#include "tests/matrix/draw/draw.h"

namespace servecast::matrix {

/// JSON pointers of all that can be left out of a scenario, whole features before their settings.
std::vector<std::string> parts_of(const Tree& scenario);

/// "/workload/client_timeout_s": leaves it out. "/seed=7": puts the value in its place.
void edit(Tree& scenario, const std::vector<std::string>& edits);

}  // namespace servecast::matrix
