#pragma once
#include <string>

#include "tests/matrix/draw/draw.h"
#include "tests/matrix/draw/hardware.h"

namespace servecast::matrix {

/// What a pool is wanted for.
struct PoolUse {
  std::string name;
  Machine machine;
  bool decodes_for_others = false;  // only what such a pool may have is drawn
};

/// One entry of `pools:` with all its policies. `fitted`: the model, its weights and how it is cut.
Tree draw_pool(Draw draw, const PoolUse& use, const Fitted& fitted);

/// GPUs of one of its replicas.
Cut cut_of(const Tree& pool);

}  // namespace servecast::matrix
