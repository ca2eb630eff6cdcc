#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <queue>
#include <span>
#include <vector>

#include "models/base/totals.h"
#include "models/policy/router.h"
#include "sim/serving/replica/replica_setup.h"
#include "sim/serving/sequences/departure.h"
#include "sim/serving/sequences/listener.h"
#include "sim/serving/step/lane.h"
#include "sim/serving/step/stages.h"

namespace servecast {

/// One copy of a model on its GPUs: waiting queue, running batch, KV accounting, and a clock of its own. A plain
/// state machine: whoever wants to look at it or hand it a request first advances it to that instant. Within one
/// instant, steps end first, then requests arrive, then steps start.
class Replica {
 public:
  explicit Replica(ReplicaSetup setup);

  /// Takes every step that ends at or before `until_s` or starts before it.
  void advance(double until_s, ReplicaListener& listener);
  /// A request arrives; requires that the replica has been advanced to `now_s`, exactly. Returns false, and has
  /// forgotten it, where it could never fit into the KV cache or the batcher never starts so long a prompt.
  bool enqueue(const Request& request, double now_s, ReplicaListener& listener, Serve serve = Serve::whole);
  /// The KV of the prompt's first tokens came from elsewhere: the cache keeps it like that of a prompt that was
  /// computed here, if it has room now. Requires the same of the clock.
  void adopt(const Request& request, std::int64_t tokens);
  /// All that arrives at this instant has arrived: steps may start without waiting for the next advance().
  void start(ReplicaListener& listener);

  // A sequence moves here from another replica. As with enqueue(), the replica has been advanced to `now_s`.
  /// Nobody is here, waits to come, or is on the way.
  bool empty() const { return waiting_ + running_ + swapped_ + importing_ + exported_ == 0; }
  /// It could decode here to its end, with nobody else about.
  bool fits(const Request& request) const;
  /// It will come: counted with those that run.
  void expect_import() { importing_ += 1; }
  /// Takes blocks for so many tokens of it before it comes, where there is room for it right away. It is then to be
  /// imported to the place returned.
  std::optional<Slot> reserve(const Request& request, std::int64_t tokens, double now_s);
  /// An expected sequence comes: to its place where it has one; else it waits for blocks, and import_has_room() tells
  /// when it has them.
  Slot import(const MovingSequence& sequence, std::optional<Slot> place, double now_s);
  /// Of one that has its blocks but has not come: takes more of them. False, and nothing changes, without room.
  bool extend_import(Slot slot, std::int64_t tokens, double now_s);
  /// All its KV is here: it decodes from the next step on. With how long it took, where it came with its prompt
  /// just computed.
  void landed(Slot slot, std::optional<double> hand_over_s, double now_s);
  /// It does not come after all.
  void cancel_import(std::optional<Slot> place, double now_s);
  /// The KV of an imported sequence is lost on its way. What it had got so far; nothing where its client has given
  /// up.
  std::optional<MovingSequence> recall_import(Slot slot, double now_s, ReplicaListener& listener);
  /// The KV of a sequence told by prompt_done(), or one that has departed, is no longer needed here.
  void release_exported(Slot slot, double now_s);
  /// Of an import that has its blocks: leading tokens whose KV was here before it.
  std::int64_t cached_tokens(Slot slot) const { return sequences_[slot].imported_cached_tokens; }

  // A sequence that decodes here goes to another replica. The replica has been advanced to this instant, likewise.
  /// Of those of a single output whose KV is here, the one that holds the fewest tokens; ties go to the lowest id.
  std::optional<DecodingSequence> shortest_decoding() const;
  /// Nothing where it has finished, was preempted or was given up by its client.
  std::optional<DecodeProgress> progress(const DecodingSequence& sequence) const;
  /// It is in no further batch. Its blocks stay until release_exported().
  Departure depart(Slot slot, double now_s, ReplicaListener& listener);

  // Failures. The replica has been advanced to this instant, likewise.
  /// It stops where it is, and all it holds is gone. Who was here, by id; nothing may be asked of it any more but
  /// what it did so far.
  std::vector<MovingSequence> fail(double now_s, ReplicaListener& listener);
  /// What a replica that failed had begun goes on here: prompt and output so far are computed, and what is left is
  /// made. The clock as with enqueue().
  void resume(const MovingSequence& sequence, double now_s);
  /// Steps that start from now on go at this pace.
  void set_pace(const StepPace& pace) { stages_.set_pace(pace); }

  bool ready() const { return ready_; }
  /// From now on steps may start; a replica whose weights still load starts out not ready.
  void set_ready(double now_s);
  void set_not_ready() { ready_ = false; }
  /// Tells about whatever still waits or runs when the run is cut off at `now_s`.
  void abandon(double now_s, ReplicaListener& listener);

  /// The first instant to which advance() does something: a step ends then, or has started before. Infinite when
  /// idle.
  double next_due_s() const;
  /// Over what its transfers go; before anything arrives. It outlives the replica.
  void connect(TransferPort& port);
  /// A transfer is done. The replica has been advanced to `now_s`, exactly. Whether KV blocks were held for it.
  bool arrived(Token token, double now_s, ReplicaListener& listener);
  /// From now on others use the links of this traffic, or do so no longer. The replica has been advanced to `now_s`,
  /// and started.
  void set_contended(OwnTraffic traffic, bool contended, double now_s, ReplicaListener& listener);
  /// It takes another one's place: the same links, with the same others on them.
  void replaces(const Replica& before);
  /// A unit is to be written over the links; the replica has been advanced to `now_s`, and with a shared tier all
  /// have. False where it is in its tier already: then nothing moves.
  bool begins_write(const KvWrite& write, double now_s);
  /// Units have been written; likewise.
  void written(std::span<const KvWrite> writes, double now_s);

  const ExpertOffload* experts() const { return stages_.experts(); }

  /// No awaited request can finish, and nothing start to move, before this instant unless something arrives. Infinite
  /// where none is here.
  double next_awaited_s() const {
    // A fetch, a write, a load or a collective may start with any step; who runs has its adapter.
    if ((setup_.tiers && links_->port()) || stages_.in_time() || stages_.next_s() < infinity) return next_due_s();
    if (adapters_ && links_->port() && waiting_ + swapped_ + importing_ > 0) return next_due_s();
    return awaited_ > 0 || !wanting_room_.empty() ? std::min(next_finish_s(), next_give_up_s()) : infinity;
  }

  ReplicaView view() const {
    return {.id = setup_.id,
            .waiting_requests = waiting_ + swapped_ + aside_,
            .waiting_tokens = uncomputed_tokens_,
            .running_requests = running_ + importing_,
            .used_blocks = held_blocks_,
            .total_blocks = total_blocks_};
  }
  const ReplicaTotals& totals() const { return totals_; }
  const KvCache& kv_cache() const { return *setup_.kv_cache; }
  const SmSides* sides() const { return stages_.sides(); }
  const std::optional<Exits>& exits() const { return setup_.exits; }
  const std::optional<AdapterSlots>& adapters() const { return adapters_; }
  const Speculator* speculator() const { return setup_.speculator.get(); }
  const KvTiers* tiers() const { return setup_.tiers.get(); }
  ReplicaId id() const { return setup_.id; }
  PoolId pool() const { return setup_.pool; }

  static constexpr double infinity = std::numeric_limits<double>::infinity();

 private:
  friend class BatchBuilder;
  void find_next_end();
  double next_finish_s() const;
  void start_batches(ReplicaListener& listener);
  void fill_lanes(ReplicaListener& listener);
  bool fill(Lane& lane, ReplicaListener& listener);
  bool may_repeat(const Lane& lane) const;
  void join_decodes(Lane& lane);
  void launch(Lane& lane, ReplicaListener& listener);
  void describe(Lane& lane);
  void list_members(Lane& lane);
  void end_batch(Lane& lane, ReplicaListener& listener);
  void end_prompt(Slot slot, ReplicaListener& listener);
  void report_step(const FilledBatch& batch, ReplicaListener& listener);
  std::int64_t settle(Sequence& s) const;
  void tell_gaps(Lane& lane, const FilledBatch& batch, ReplicaListener& listener);
  void account_blocks();
  void take_in(const Sequence& sequence, double now_s);
  std::int64_t tokens_held(Slot slot) const;
  MovingSequence stand_of(Slot slot) const;
  void tell_until(const Sequence& s, double now_s, ReplicaListener& listener) const;
  void count_cut_step(const FilledBatch& batch, ReplicaListener& listener);
  void decide_again();
  void finish(Slot slot, ReplicaListener& listener);
  void tell_finished(Slot slot, ReplicaListener& listener);
  void keep_for_next_turn(Sequence& s);
  void remove(Slot slot);
  bool release_kept(Lane& lane, ReplicaListener& listener);

  // When a sequence leaves its lane before its last token:
  void preempt(Slot slot, bool cut_prompt, ReplicaListener& listener);
  bool swap_out(Slot slot);
  void swap_in(Lane& lane);
  std::int64_t blocks_to_swap_in(const Lane& lane, const Sequence& s) const;
  void take_out(Slot slot);
  void take_out_of_decodes(Slot slot);
  std::int64_t tokens_made(Slot slot) const;
  double next_give_up_s() const { return give_ups_.empty() ? infinity : give_ups_.top().at_s; }
  void forget_told();
  void give_up(Slot slot, ReplicaListener& listener);
  void drop_gone(Lane& lane);

  // When a sequence comes from another replica, or goes to one:
  void export_prompt(Slot slot, ReplicaListener& listener);
  bool may_depart(const Sequence& s) const;
  void export_sequence(Slot slot, ReplicaListener& listener);
  void tell_chunks(const FilledBatch& batch, ReplicaListener& listener) const;
  void pass_on_prompts(Lane& lane);
  bool someone_comes_back() const;
  bool hold_import(Sequence& s);
  void find_room_for_imports(ReplicaListener& listener);
  void join_landed(Lane& lane, ReplicaListener& listener);
  void drop_import(Slot slot);
  void changed(double now_s);
  // What is fetched from tiers below the GPU's memory (replica_fetch.cpp):
  bool front_may_be_admitted();
  void look_below(Slot slot);
  void take_fetched(Slot slot);
  std::int64_t worth_fetching(const Request& request, const TierHits& hits) const;
  double prefill_s(std::int64_t from_tokens, std::int64_t to_tokens) const;
  double in_turn_s(double fetch_s, double compute_s) const;
  bool give_up_fetched_blocks(Slot keeper);
  void forget_fetched(Slot slot);
  // When a batch ends (replica_run.cpp):
  void begin_run(Lane& lane, FilledBatch& batch, double ready_s, ReplicaListener& listener);
  void await_layers(FilledBatch& batch);
  void take_ends(ReplicaListener& listener);
  void take_end(FilledBatch& batch, double end_s, ReplicaListener& listener);
  bool may_fill(const Lane& lane) const;
  void set_clocks();
  // What has moved (replica_transfers.cpp):
  bool end(const FetchFor& fetch, ReplicaListener& listener);
  bool end(const ExpertLoad& load, ReplicaListener& listener);
  bool end(const AdaptersFor& adapters, ReplicaListener& listener);
  bool end(const Sent& sent, ReplicaListener& listener);

  // LoRA adapters (replica_adapters.cpp):
  bool adapter_has_room(const Sequence& s) const;
  void take_adapter(const Sequence& s, Lane& lane);
  void leave_adapter(const Sequence& s);
  double load_adapters(Lane& lane);

  // Where prompts and decodes run at the same time (replica_sides.cpp):
  Side side(const Lane& lane) const { return static_cast<Side>(number(lane) / stages_.count()); }
  std::span<Lane> lanes_of(Side side) {
    return std::span(lanes_).subspan(static_cast<std::size_t>(side) * stages_.count(), stages_.count());
  }
  Lane& least_decoding();
  bool takes_prompts(const Lane& lane) const { return !stages_.sides() || side(lane) == Side::prefill; }
  void pass_to_decode_lane(Lane& from);
  void tell_sides(const FilledBatch& batch);
  void tell_tiers(const FilledBatch& batch);
  void tell_finished_to_sides(const Sequence& s);

  // Where experts are partly elsewhere (replica_experts.cpp):
  std::size_t model_of(const Request& request) const;
  std::vector<TokenRun> token_runs(const Lane& lane) const;
  std::size_t number(const Lane& lane) const { return static_cast<std::size_t>(&lane - lanes_.data()); }

  void tell_service();
  void tell_service(Sequence& s, std::int64_t made);

  ReplicaSetup setup_;
  SequenceTable sequences_;
  std::vector<Lane> lanes_;
  std::unique_ptr<OpenTransfers> links_;
  Stages stages_;
  std::optional<AdapterSlots> adapters_{};
  double seen_s_ = 0;                     // when the tokens of the batch that has ended last are with their clients
  std::array<double, 2> seen_by_side_{};  // likewise, of each side
  std::size_t depth_ = 1;                 // batches that a lane may have under way
  double now_s_ = 0;
  bool ready_ = true;
  bool may_start_ = false;        // something changed at now_s_: look whether a batch can start
  double next_end_s_ = infinity;  // of the batches under way, and the lane that it is in
  std::size_t next_lane_ = 0;
  std::int64_t total_blocks_ = 0;
  bool clocked_cache_ = false;
  std::int64_t waiting_ = 0;            // requests
  std::int64_t running_ = 0;            // requests
  std::int64_t running_sequences_ = 0;  // of these
  // A prompt gave up its chunks for want of blocks that other lanes hold: nobody is admitted until one that runs has
  // finished, or two prompts could take turns throwing each other out for ever.
  bool admissions_wait_ = false;
  std::int64_t swapped_ = 0;  // requests
  std::int64_t swapped_blocks_ = 0;
  std::int64_t importing_ = 0;         // sequences that come from other replicas and do not decode yet
  std::int64_t importing_blocks_ = 0;  // that these hold already
  std::vector<Slot> wanting_room_;     // of these, in order, those that wait for blocks
  std::int64_t exported_ = 0;          // sequences that decode elsewhere, their KV still here
  std::int64_t streamed_ = 0;          // prompts here whose chunks are told
  std::int64_t aside_ = 0;             // requests
  std::int64_t not_looked_below_ = 0;  // requests that wait
  std::vector<Slot> fetched_{};        // they wait with blocks in hand; the first to be fetched in front
  std::int64_t awaited_ = 0;
  std::int64_t uncomputed_tokens_ = 0;
  std::uint32_t arrivals_ = 0;
  std::uint32_t admissions_ = 0;
  struct GiveUp {  // stale once the sequence's record is out
    double at_s = 0;
    std::uint32_t arrival = 0;
    Slot slot{};
    bool operator<(const GiveUp& other) const {  // the earliest on top
      return at_s != other.at_s ? at_s > other.at_s : arrival > other.arrival;
    }
  };
  std::priority_queue<GiveUp> give_ups_;
  double held_since_s_ = 0;  // KV blocks held since then
  std::int64_t held_blocks_ = 0;
  ReplicaTotals totals_;
};

}  // namespace servecast
