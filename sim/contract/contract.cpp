#include "sim/contract/contract.h"

#include <array>
#include <exception>

#include "models/policy/admission.h"
#include "models/policy/autoscaler.h"
#include "models/policy/batcher.h"
#include "models/policy/early_exit.h"
#include "models/policy/eviction.h"
#include "models/policy/expert_cache.h"
#include "models/policy/expert_miss.h"
#include "models/policy/expert_prefetch.h"
#include "models/policy/expert_routing.h"
#include "models/policy/gateway.h"
#include "models/policy/kv_cache.h"
#include "models/policy/migration.h"
#include "models/policy/placement.h"
#include "models/policy/queue.h"
#include "models/policy/router.h"
#include "models/policy/speculative.h"
#include "sim/contract/checks.h"

namespace servecast {
namespace {

template <class Interface>
constexpr ContractCheck check(std::string_view name, void (*run)(const Subject&, Findings&)) {
  return {.kind = Interface::kind, .name = name, .policies = Registry<Interface>::names, .run = run};
}

constexpr std::array all_checks{
    check<Router>("PicksOneThatServesWhileReplicasComeAndGo", router_picks_one_that_serves),
    check<Router>("PicksAReplicaThatItWasShownAndRepeats", router_repeats),
    check<Router>("ServesAPoolOfOne", router_serves_a_pool_of_one),
    check<Router>("LooksOnlyIfItSaysSo", router_looks_only_if_it_says_so),
    check<Router>("ReadsKvOnlyIfItSaysSo", router_reads_kv_only_if_it_says_so),
    check<Router>("NeedsToBeToldOnlyWhatChanged", router_needs_only_what_changed),
    check<Admission>("TakesOnWhoComesFirstAndRepeats", admission_takes_on_who_comes_first),
    check<Admission>("LooksOnlyIfItSaysSo", admission_looks_only_if_it_says_so),
    check<Batcher>("KeepsItsLimitsAndDoesSomething", batcher_keeps_its_limits),
    check<KvCache>("GivesBackWhatItGave", kv_cache_gives_back_what_it_gave),
    check<KvCache>("MoreTokensNeverTakeFewerBlocks", kv_cache_grows_with_tokens),
    check<WaitingQueue>("GivesOutWhatWasPutInOnceEach", queue_gives_out_what_was_put_in),
    check<WaitingQueue>("PutsAPreemptedRequestBeforeItsEquals", queue_puts_a_preempted_request_first),
    check<Placement>("RepeatsAndStaysInItsRanges", placement_repeats),
    check<Migration>("PairsReplicasThatItWasShownOnceEachAndRepeats", migration_pairs_what_it_was_shown),
    check<Autoscaler>("RepeatsItselfAndLooksLaterThanNow", autoscaler_repeats_and_looks_later),
    check<Speculation>("StaysWithinItsMostDraftsAndRepeats", speculation_stays_within_its_drafts),
    check<EarlyExit>("EitherLeavesOrDraftsInsideTheModel", early_exit_leaves_or_drafts),
    check<Eviction>("NeverHoldsMoreThanItsCapacity", eviction_keeps_to_its_capacity),
    check<Eviction>("KeepsABlockOnlyBehindItsPrefixIfItSaysSo", eviction_keeps_blocks_behind_their_prefix),
    check<Eviction>("WithRoomForAllFindsAllThatWasThereBefore", eviction_finds_all_with_room_for_all),
    check<Eviction>("RepeatsAndNeverBeatsBelady", eviction_repeats_and_never_beats_belady),
    check<ExpertRouting>("NamesDifferentExpertsWithGatesThatFall", expert_routing_names_different_experts),
    check<ExpertCache>("NeverHoldsMoreThanItsSlots", expert_cache_keeps_to_its_slots),
    check<ExpertPrefetch>("NamesExpertsOfTheModelOnceEachAndRepeats", expert_prefetch_names_experts_of_the_model),
    check<ExpertMiss>("StandsInOnlyByWhatIsThereAndNotTwice", expert_miss_stands_in_only_by_what_is_there),
    check<GatewayPolicy>("ChargesAndChangesWithinReason", gateway_charges_within_reason),
    check<GatewayPolicy>("DoesTheSameTwice", gateway_repeats),
    check<GatewayPolicy>("SendsOnlyToWhomItNames", gateway_sends_only_to_whom_it_names),
};

}  // namespace

std::span<const ContractCheck> contract_checks() { return all_checks; }

Findings checked(const ContractCheck& check, const Subject& subject) {
  Findings found;
  try {
    check.run(subject, found);
  } catch (const std::exception& error) {
    found.expect(false, std::string("throws nothing; it threw: ") + error.what());
  }
  return found;
}

}  // namespace servecast
