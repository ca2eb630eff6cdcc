#include "sim/engine/links/copy_tally.h"

#include "sim/engine/links/transfer_routes.h"

namespace servecast {

// What collectives send has no basis of its own: it is part of a step's time.
void CopyTally::begins(const Transfer& transfer, double) {
  if (transfer.basis.empty() || transfer.kind == expert_load_kind || transfer.kind == adapter_load_kind) return;
  Moved& moved = moved_[{transfer.kind, transfer.basis}];
  moved.copies += 1;
  moved.bytes += transfer.bytes;
}

}  // namespace servecast
