#pragma once
#include <span>
#include <string>

#include "sim/claims/claim.h"

namespace servecast {

/// The page docs/claims.md: what claims and verdicts mean, one table per article, how many hold.
std::string claims_markdown(std::span<const CheckedClaim> claims);
/// For programs: a list of objects, one per claim.
std::string claims_json(std::span<const CheckedClaim> claims);

}  // namespace servecast
