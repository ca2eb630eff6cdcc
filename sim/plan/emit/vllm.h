#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace servecast {

struct Scenario;

/// A pool in the words of vLLM.
struct VllmPool {
  std::string name{};
  std::string model{};                   // a HuggingFace repository or a folder
  std::string image{};                   // of a container
  std::vector<std::string> arguments{};  // after `vllm serve MODEL`
  std::vector<std::string> remarks{};    // what vLLM has no words for
  bool hands_over_kv = false;            // to or from another pool
  std::int64_t replicas = 1;
  std::int64_t gpus = 1;  // of a replica
  std::string gpu{};
};

/// Every setting of the scenario's pools is an argument or a remark, but for what only the forecast wants to know.
std::vector<VllmPool> vllm_pools(const Scenario& scenario);

/// A command line for each pool, with its remarks.
std::string vllm_commands(const std::vector<VllmPool>& pools);
/// A Deployment and a Service for each pool.
std::string kubernetes_manifest(const std::vector<VllmPool>& pools);

}  // namespace servecast
