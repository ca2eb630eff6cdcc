#include "tests/matrix/values.h"

namespace servecast::matrix {
namespace {

// Hand-chosen so that what a policy decides is decided often in a run of some seconds. A batcher's step holds eight
// tokens for each of its sequences, since that many rows are checked where they speculate.
const std::vector<Values>& table() {
  static const std::vector<Values> rows{
      {"batcher.fastertransformer", 0.8, {R"({"max_batch_size": 4, "max_num_batched_tokens": 2048})",
                                          R"({"max_batch_size": 16, "max_num_batched_tokens": 4096})",
                                          R"({"max_batch_size": 1})"}},
      {"batcher.orca", 0.8, {R"({"max_num_seqs": 8, "max_num_batched_tokens": 1024})",
                             R"({"max_num_seqs": 64, "max_num_batched_tokens": 2048})"}},
      {"batcher.sarathi", 1, {R"({"chunk_tokens": 64, "max_num_seqs": 4})", R"({"chunk_tokens": 256, "max_num_seqs": 16})",
                              R"({"chunk_tokens": 1024, "max_num_seqs": 128})"}},
      {"batcher.splitwise_mixed", 1, {R"({"max_num_seqs": 64, "max_pauses": 1})", R"({"max_num_seqs": 8, "max_pauses": 0})",
                                      R"({"max_num_batched_tokens": 512, "max_num_seqs": 32})"}},
      {"batcher.static", 0.6, {R"({"max_batch_size": 2})", R"({"max_batch_size": 32, "max_num_batched_tokens": 4096})"}},
      {"batcher.trtllm", 1, {R"({"max_num_tokens": 1024, "max_batch_size": 32})",
                             R"({"max_num_tokens": 512, "max_batch_size": 16, "enable_chunked_context": true})"}},
      {"batcher.vllm_v0", 0.8, {R"({"max_num_batched_tokens": 2048, "max_num_seqs": 32})", R"({"max_num_seqs": 8})"}},
      {"batcher.vllm_v1", 0.7, {R"({"max_num_batched_tokens": 64, "max_num_seqs": 8})",
                                R"({"max_num_batched_tokens": 512, "max_num_seqs": 64})",
                                R"({"max_num_batched_tokens": 2048, "max_num_seqs": 16})",
                                R"({"long_prefill_token_threshold": 100})"}},
      {"queue.shortest_job", 0.5, {R"({"error_sigma": 0.7})"}},
      {"queue.earliest_deadline", 0.5, {R"({"prompt_token_s": 0.0001})"}},
      {"kv_cache.contiguous_max", 1, {R"({"max_tokens": 3000})", R"({"max_tokens": 700})"}},
      {"kv_cache.window", 0.7, {R"({"window_tokens": 252})", R"({"sink_tokens": 0, "window_tokens": 64})"}},
      {"kv_cache.paged", 0.3, {R"({"block_tokens": 64})", R"({"block_tokens": 1})", R"({"watermark_fraction": 0.1})"}},
      {"kv_cache.paged_prefix", 0.3, {R"({"block_tokens": 64})", R"({"watermark_fraction": 0.2})"}},
      {"kv_cache.radix", 0.3, {R"({"block_tokens": 16})", R"({"watermark_fraction": 0.05})"}},
      {"eviction.ttl", 1, {R"({"ttl_s": 0.5})", R"({"ttl_s": 5})"}},
      {"router.adapter_affinity", 0.5, {R"({"spread_requests": 1})"}},
      {"router.conductor", 0.5, {R"({"ttft_slo_s": 3})", R"({"tbt_slo_s": 0.03})", R"({"balancing_threshold": 1})"}},
      {"router.kv_aware", 0.7, {R"({"threshold_tokens": 100})"}},
      {"router.kv_cost", 0.5, {R"({"temperature": 0.5})", R"({"overlap_weight": 0})"}},
      {"router.prefix_cache_aware", 0.7, {R"({"balance_abs_threshold": 2, "balance_rel_threshold": 1.5})",
                                          R"({"eviction_interval_s": 1, "max_tree_tokens": 2000})"}},
      {"router.session", 0.3, {R"({"virtual_nodes": 3})"}},
      {"router.splitwise_jsq", 0.7, {R"({"max_pending_tokens": 500, "mixed_fraction": 0.5})"}},
      {"router.weighted", 0.5, {R"({"running_weight": 1, "session_weight": 2})"}},
      {"admission.early_reject", 0.8, {R"({"ttft_slo_s": 2, "tbt_slo_s": 0.03})", R"({"ttft_slo_s": 0.5})"}},
      {"admission.early_reject_predicted", 1, {R"({"decode_s": 1, "ttft_slo_s": 2})",
                                               R"({"decode_s": 3, "tbt_slo_s": 0.03})"}},
      {"admission.reject_by_stage", 0.8, {R"({"ttft_slo_s": 2, "tbt_slo_s": 0.03})", R"({"tbt_slo_s": 0.012})"}},
      {"admission.queue_limit", 1, {R"({"max_waiting_requests": 3})", R"({"max_waiting_requests": 20})"}},
      {"admission.token_bucket", 1, {R"({"rate_per_s": 5, "burst": 10})",
                                     R"({"rate_per_s": 3000, "burst": 6000, "unit": "prompt_tokens"})"}},
      {"autoscaler.hpa", 1, {R"({"check_every_s": 2, "requests_per_s": 8, "down_window_s": 4})",
                             R"({"check_every_s": 1, "waiting_requests": 3, "down_window_s": 0})",
                             R"({"check_every_s": 1, "kv_used_fraction": 0.3, "down_window_s": 2, "up_replicas": 1})",
                             R"({"check_every_s": 3, "slo": true, "down_window_s": 5})"}},
      {"autoscaler.llumnix_freeness", 1, {R"({"check_every_s": 1})", R"({"check_every_s": 0.5, "up_below": 100, "down_above": 300})"}},
      {"autoscaler.planner", 1, {R"({"check_every_s": 3})", R"({"check_every_s": 1, "headroom_fraction": 1})"}},
      {"autoscaler.predictive", 1, {R"({"requests_per_s": 8, "check_every_s": 2, "season_s": 20, "lead_s": 4})"}},
      {"autoscaler.scheduled", 1, {R"({"period_s": 20, "times": [{"at_s": 0, "replicas": 1}, {"at_s": 4, "replicas": 4}, {"at_s": 9, "replicas": 0}, {"at_s": 11, "replicas": 2}]})",
                                   R"({"period_s": 6, "times": [{"at_s": 1, "replicas": 3}, {"at_s": 3, "replicas": 1}]})"}},
      {"migration.llumnix", 0.9, {R"({"check_every_s": 0.1, "send_below_freeness": 60, "last_stage_blocks": 4})",
                                  R"({"send_below_freeness": 15, "last_stage_blocks": 1})"}},
      {"placement.disaggregated", 1, {R"({"transfer": "pull"})", R"({"transfer": "push"})", R"({"transfer": "stream"})",
                                      R"({"transfer": "push", "waiting_blocks_fraction": 0.1, "setup_s": 0.01})"}},
      {"placement.mooncake", 1, {R"({})", R"({"setup_s": 0.003})"}},
      {"placement.splitwise", 1, {R"({})", R"({"serial_below_tokens": 50})"}},
      {"placement.dynamic_roles", 0.9, {R"({"check_every_s": 0.3, "most_waiting_tokens": 800, "most_kv_fraction": 0.3})",
                                        R"({"check_every_s": 1, "waiting_blocks_fraction": 0.5})"}},
      {"placement.semi_pd", 0.8, {R"({"ttft_s": 0.3, "tpot_s": 0.02, "window_steps": 30, "switch_s": 0.2})",
                                  R"({"prefill_sm_fraction": 0.5, "decode_sm_fraction": 0.5})"}},
      {"speculative.eagle", 0.6, {R"({"tree_width": 2})", R"({"num_speculative_tokens": 6, "length": "goodput"})"}},
      {"speculative.mtp", 0.6, {R"({"num_speculative_tokens": 2})"}},
      {"speculative.ngram", 0.6, {R"({"acceptance": {"rate_fraction": 0.6}})", R"({"num_speculative_tokens": 5})"}},
      {"speculative.draft_model", 1, {R"({"llm": "qwen2.5-7b"})", R"({"llm": "qwen2.5-7b", "num_speculative_tokens": 2})"}},
      {"early_exit.layer_skip", 1, {R"({"num_speculative_tokens": 4})", R"({"exit_layer": 3, "num_speculative_tokens": 2})"}},
      {"early_exit.spec_ee", 1, {R"({"mean_layers": 25})", R"({"mean_layers": 26, "predictors": "all"})"}},
      {"expert_prefetch.gate_lookahead", 0.5, {R"({"recall": 0.6})"}},
      {"expert_routing.synthetic", 0.7, {R"({"zipf_exponent": 1.2})", R"({"repeat_fraction": 0, "successor_fraction": 0})"}},
      {"expert_miss.buddy", 0.8, {R"({"tau_percentile": 15, "beta": 0.9})", R"({"tau": 0.2, "margin": 0.5, "rho": 1})",
                                  R"({"beta": 1, "pcie_budget_bytes": 1e8})"}},

      {"gateway policy.api_tier", 1, {R"({"name": "api", "tokens_per_minute": 30000})", R"({"name": "api", "concurrency": 3, "attempts": 2})",
                               R"({"name": "api", "usd_per_million_output_tokens": 10})"}},
      {"gateway policy.classifier", 1, {R"({"easy": "$1", "hard": "$2"})", R"({"easy": "$2", "hard": "$1", "hard_fraction": 0.6, "classifier": {"workers": 1}})"}},
      {"gateway policy.context_window", 1, {R"({"last_tokens": 200})", R"({"last_turns": 2, "keep_tokens": 64})"}},
      {"gateway policy.dual_threshold", 1, {R"({"fast": "$1", "slow": "$2"})",
                                     R"({"fast": "$1", "slow": "$2", "confident_above": 0.5, "simple_below": 0.4, "complex_above": 0.8})"}},
      {"gateway policy.fast_slow", 1, {R"({"fast": "$1", "slow": "$2", "review_fraction": 0.3, "kv_reuse": "none"})",
                                R"({"fast": "$1", "slow": "$2", "review_fraction": 0.8, "timeout_s": 1, "kv_reuse": "text_prefix"})",
                                R"({"fast": "$2", "slow": "$1", "review_fraction": 0.5, "timeout_s": 2, "late_review": "finish", "kv_reuse": "text_prefix"})"}},
      {"gateway policy.frugal", 1, {R"({"models": ["$1", "$2"], "accept_above": [0.6]})",
                             R"({"models": ["$2", "$1", "$2"], "accept_above": [0.9, 0.5], "scorer": {"workers": 2}})"}},
      {"gateway policy.graph", 1, {R"({"nodes": [{"name": "plan", "output_tokens": 10}, {"name": "part", "after": ["plan"], "parts": 3, "output_tokens": 20, "pool": "$2"}, {"name": "sum", "after": ["part"], "output_fraction": 1}]})",
                            R"({"nodes": [{"name": "a", "output_tokens": 15, "repeat": {"rounds_mean": 2, "most_rounds": 4, "round_tokens": 10, "result_tokens": 50}}, {"name": "b", "pool": "$2", "prompt_fraction": 0.5}, {"name": "join", "after": ["a", "b"], "output_tokens": 30}]})",
                            R"({"nodes": [{"name": "one", "prompt_tokens": 40}, {"name": "two", "after": ["one"], "pool": "$1"}, {"name": "three", "after": ["two"], "output_tokens": 5}]})"}},
      {"gateway policy.jobs", 1, {R"({"workers": 6, "late": "finish"})", R"({"workers": 9, "deadline_s": 4, "late": "cancel"})",
                           R"({"workers": 4, "most_waiting": 10, "deadline_s": 8, "late": "finish"})"}},
      {"gateway policy.prompt_trim", 0.8, {R"({"from_tokens": 200})", R"({"from_tokens": 50, "removed_fraction": 0.9, "keep_tokens": 32})"}},
      {"gateway policy.summarize", 0.8, {R"({"from_tokens": 400, "summary_tokens": 100, "question_tokens": 50})"}},
      {"gateway policy.image_input", 0.5, {R"({"with_image_fraction": 0.3, "images": 2})", R"({"median_tokens": 100, "encoder": {"workers": 3}})"}},
      {"gateway policy.retrieval", 0.6, {R"({"passages": 2, "passage_tokens": 60})", R"({"looked_up_fraction": 0.4, "keep_tokens": 32})"}},
      {"gateway policy.semantic_cache", 0.9, {R"({"intents": {"count": 40}, "capacity": 20})", R"({"intents": {"count": 100, "unique_fraction": 0}, "ttl_s": 3})",
                                       R"({"intents": {"count": 60}, "rewriter": "$1"})"}},
      {"gateway policy.threshold", 1, {R"({"strong": "$2", "weak": "$1", "strong_fraction": 0.4})", R"({"strong": "$1", "weak": "$2", "alpha": 0.5, "apgr": 0.8})"}},
      {"gateway policy.tools", 1, {R"({"tool": {"median_s": 0.2}, "call_tokens": 10, "result_tokens": 50})",
                            R"({"using_fraction": 0.5, "calls_mean": 3, "most_calls": 5, "call_tokens": 20, "tool": {"workers": 2}})"}},
  };
  return rows;
}

}  // namespace

std::vector<Values> values_of(const std::string& kind, const std::string& policy) {
  const std::string name = kind + "." + policy;
  std::vector<Values> found;
  for (const Values& row : table())
    if (row.policy == name) found.push_back(row);
  return found;
}

}  // namespace servecast::matrix
