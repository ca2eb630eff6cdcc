#pragma once
#include <map>
#include <string>
#include <utility>

#include "sim/engine/links/flows.h"

namespace servecast {

/// Bytes of copies over links, by kind of transfer and what their times rest on. Loads of experts and adapters are
/// not among them: replicas count those themselves, since most are worked out in closed form.
class CopyTally final : public FlowListener {
 public:
  struct Moved {
    std::int64_t copies = 0;
    double bytes = 0;
  };

  void begins(const Transfer& transfer, double now_s) override;
  void ended(const Transfer&, double) override {}
  const std::map<std::pair<std::string, std::string>, Moved>& moved() const { return moved_; }

 private:
  std::map<std::pair<std::string, std::string>, Moved> moved_{};  // by kind and basis
};

}  // namespace servecast
