#pragma once

namespace servecast {

struct Subject;
class Findings;

// The checks behind the table of contract.cpp.

void placement_repeats(const Subject& subject, Findings& found);
void migration_pairs_what_it_was_shown(const Subject& subject, Findings& found);
void router_picks_one_that_serves(const Subject& subject, Findings& found);
void router_repeats(const Subject& subject, Findings& found);
void router_serves_a_pool_of_one(const Subject& subject, Findings& found);
void router_looks_only_if_it_says_so(const Subject& subject, Findings& found);
void router_reads_kv_only_if_it_says_so(const Subject& subject, Findings& found);
void router_needs_only_what_changed(const Subject& subject, Findings& found);
void admission_takes_on_who_comes_first(const Subject& subject, Findings& found);
void admission_looks_only_if_it_says_so(const Subject& subject, Findings& found);
void kv_cache_gives_back_what_it_gave(const Subject& subject, Findings& found);
void kv_cache_grows_with_tokens(const Subject& subject, Findings& found);
void queue_gives_out_what_was_put_in(const Subject& subject, Findings& found);
void queue_puts_a_preempted_request_first(const Subject& subject, Findings& found);
void batcher_keeps_its_limits(const Subject& subject, Findings& found);
void speculation_stays_within_its_drafts(const Subject& subject, Findings& found);
void early_exit_leaves_or_drafts(const Subject& subject, Findings& found);
void autoscaler_repeats_and_looks_later(const Subject& subject, Findings& found);
void eviction_keeps_to_its_capacity(const Subject& subject, Findings& found);
void eviction_keeps_blocks_behind_their_prefix(const Subject& subject, Findings& found);
void eviction_finds_all_with_room_for_all(const Subject& subject, Findings& found);
void eviction_repeats_and_never_beats_belady(const Subject& subject, Findings& found);
void expert_routing_names_different_experts(const Subject& subject, Findings& found);
void expert_cache_keeps_to_its_slots(const Subject& subject, Findings& found);
void expert_prefetch_names_experts_of_the_model(const Subject& subject, Findings& found);
void expert_miss_stands_in_only_by_what_is_there(const Subject& subject, Findings& found);
void gateway_charges_within_reason(const Subject& subject, Findings& found);
void gateway_repeats(const Subject& subject, Findings& found);
void gateway_sends_only_to_whom_it_names(const Subject& subject, Findings& found);

}  // namespace servecast
