#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "models/hw/engine/engine_profile.h"
#include "models/hw/latency/step_latency.h"
#include "models/hw/power_cost/power.h"
#include "models/hw/profile/transfer_law.h"
#include "models/policy/batcher.h"
#include "models/policy/caches/adapter_slots.h"
#include "models/policy/kv_cache.h"
#include "models/policy/queue.h"
#include "sim/serving/resources/expert_offload.h"
#include "sim/serving/resources/kv_tiers.h"
#include "sim/serving/sequences/early_exits.h"
#include "sim/serving/sequences/sequence.h"
#include "sim/serving/sequences/speculator.h"
#include "sim/serving/step/sm_sides.h"

namespace servecast {

/// Host memory for the blocks of preempted sequences. Blocks are those of the KV cache: a share of each on every GPU.
struct SwapSpace {
  std::int64_t blocks = 0;
  Copy block{};       // of one, on a GPU
  TransferLaw out{};  // to the host, while nothing is computed
  TransferLaw in{};   // and back

  double out_s(std::int64_t blocks_moved) const { return out.seconds(all(blocks_moved)); }
  double in_s(std::int64_t blocks_moved) const { return in.seconds(all(blocks_moved)); }

 private:
  Copy all(std::int64_t blocks_moved) const {
    const auto count = static_cast<double>(blocks_moved);
    return {.bytes = count * block.bytes, .pieces = count * block.pieces};
  }
};

/// Which fetches from tiers are made.
struct FetchRules {
  bool only_if_faster = true;  // than computing the same tokens
  bool on_arrival = true;      // where there is room then; else when it is the request's turn
  std::int64_t layers = 0;  // of the model, where a prompt is computed behind its fetch layer by layer; 0: after it
};

/// What its process waits for when steps first use some kernels.
struct FirstUseSetup {
  std::vector<FirstUseWait> left{};         // of the one that serves at the run's start
  std::vector<FirstUseWait> new_process{};  // of one that starts later
};

struct ReplicaSetup {
  ReplicaId id{};
  PoolId pool{};
  const StepLatency* latency = nullptr;  // outlives the replica
  std::unique_ptr<Batcher> batcher;
  std::unique_ptr<WaitingQueue> queue;
  std::unique_ptr<KvCache> kv_cache;  // resized
  SwapSpace swap{};                   // none: preempted sequences are recomputed
  std::unique_ptr<KvTiers> tiers{};   // below the GPU's memory; none: what leaves it is lost
  FetchRules fetch{};
  std::unique_ptr<ExpertOffload> experts{};  // partly elsewhere; none: all in the GPUs' memory
  std::int64_t stage_gpus = 1;               // that a step keeps busy at a time
  std::int64_t ranks = 1;                    // that attend to requests of their own
  std::array<bool, 2> stage_sends{};         // by Reach: these send to each other
  PowerDraw power{};                         // of one GPU
  double power_cap_w = std::numeric_limits<double>::infinity();
  std::int64_t attention_chunk = 0;    // within which some layers attend (Llm); 0: none do
  AnswerPath answers{};                // from the end of a step to the clients
  std::int64_t max_depth = 2;          // batches that the engine may have under way
  double waiting_blocks_fraction = 1;  // no KV is imported while sequences not decoding yet hold more of the blocks
  bool chunked_pipeline = false;       // a prompt's next chunk follows in the next lane, see Placement
  bool decode_answers = false;         // first tokens of prompts for others are not seen here, see Placement
  std::unique_ptr<EarlyExits> early_exits{};  // where tokens leave before the last layer; none: behind it
  AdapterSetup adapters{};
  FirstUseSetup first_uses{};
  std::unique_ptr<Speculator> speculator{};  // none: a decode makes one token a step
  std::unique_ptr<SmPartition> partition{};  // prompts and decodes run at the same time; none: they take turns
  bool ask_every_step = false;               // never repeat a batch without asking the batcher
};

/// The replica could decode it to its end, with no other there.
bool fits(const ReplicaSetup& setup, const Request& request);

}  // namespace servecast
