#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "models/base/ids.h"
#include "sim/input/trace/rows/names_to_ids.h"

namespace servecast {

/// The names of request classes; ClassId 0 is the unnamed one. Grows while a trace is read.
class ClassNames {
 public:
  ClassId id(std::string_view name) {
    const auto found = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
    if (found == names_.size()) names_.emplace_back(name);
    if (found > max_classes)
      throw UserError("the workload has more than 1000 request classes; does the class column hold something else?");
    return static_cast<ClassId>(found);
  }
  /// By index(ClassId).
  const std::vector<std::string>& all() const { return names_; }

 private:
  static constexpr std::size_t max_classes = 1000;
  std::vector<std::string> names_{""};  // few, so a walk is quicker than a map
};

/// What is learnt while a workload is read, beside its requests. The caller that asks for the workload owns it.
struct WorkloadNotes {
  ClassNames classes{};
  NamesToIds<ClientId> labels{};                       // clients named in the scenario
  std::set<ClassId> warm_up{};                         // classes that figures of all requests leave out
  std::map<std::string, std::int64_t> skipped_rows{};  // why -> how many

  /// Other numbers than those that traces give to their clients.
  ClientId client_of_label(std::string_view name) {
    return ClientId{static_cast<std::uint32_t>(labels.id(name)) | 1u << 31};
  }
};

}  // namespace servecast
