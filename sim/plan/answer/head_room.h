#pragma once
#include <optional>
#include <string>

namespace servecast {

class Runs;
struct SizedDesign;
class Sizer;

struct HeadRoom {
  double factor = 1;      // the promise was kept at this demand, and at every smaller one that was tried
  std::string binding{};  // what broke at the next larger one
};

/// How much more may arrive until a promise breaks, at the best estimate: by bisection to 2 %, so a demand in between
/// that was not tried may break it, too. Nothing where it breaks at today's demand, or where clients set the pace.
std::optional<HeadRoom> head_room(Sizer& sizer, Runs& runs, const SizedDesign& sized);

}  // namespace servecast
