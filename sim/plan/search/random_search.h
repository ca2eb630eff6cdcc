#pragma once
#include <vector>

namespace servecast {

struct Design;
class Runs;
struct Shard;
class Sizer;
struct Study;

/// For a space that is too large to walk through: from random designs, one value of one dimension at a time, to the
/// neighbour that is best at the best estimate, until none is better; again from other designs. Returns all designs
/// that were looked at. Proves nothing about those that were not. A share starts from every count-th of these
/// designs. Throws UserError where no design keeps the constraints.
std::vector<Design> random_designs(const Study& study, Sizer& sizer, Runs& runs, const Shard& share);

}  // namespace servecast
