#pragma once
#include <span>

#include "models/policy/expert_miss.h"

namespace servecast {

/// Of the choices that the layer would wait for: which the host computes, because it is done sooner. Expert by
/// expert, in the order in which tokens ask: the host computes one after the other, a link copies one after the
/// other, and each expert takes whichever of both has it first; at a tie, the host.
void compute_on_host_where_sooner(const MissView& view, std::span<ServedChoice> served);

}  // namespace servecast
