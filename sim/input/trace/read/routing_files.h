#pragma once
#include <string>

#include "models/base/error.h"
#include "models/policy/expert_routing.h"

namespace servecast {

/// A routing trace of a model of this shape: a folder with `routing_u8.bin.gz` (expert ids, one byte each) and
/// `probs_u8.bin.gz` (gates x 255), both in the order [token][layer][rank], and `index.csv.gz`, whose column
/// `n_router_tokens` holds the tokens of each generation. Throws UserError where something is missing or does not
/// fit; `named` is where the folder is named.
RoutingTrace read_routing_trace(const std::string& folder, const ExpertShape& shape, const Place& named);

/// Tables of counts, plain or gzip: `layer,expert,count` and, where `files.co_activation` names one,
/// `layer_i,expert_i,layer_j,expert_j,count`. Rows of other models and domains, and of first choices alone
/// (`topk_counted` other than `topk`), are left out.
ExpertCounts read_expert_counts(const RoutingFiles& files, std::int64_t experts);

/// What a routing wants read. Paths as they are in `files`.
RoutingData read_routing(const RoutingFiles& files, const ExpertShape& shape, const Place& named);

}  // namespace servecast
