#pragma once
#include <optional>
#include <string>
#include <vector>

namespace servecast {

struct Machines;
struct PriceSpec;
struct Summary;

/// What an hour of machines costs under a term, electricity and spares' own draw left out.
struct Rent {
  double gpus_usd = 0;    // that pools hold
  double unused_usd = 0;  // other GPUs of nodes that are rented whole, or bought
  double spares_usd = 0;  // spare nodes
  double nodes_usd = 0;   // servers without their GPUs, where they are bought
};

/// On demand, reserved, spot: rent of the GPUs that pools hold, of the other GPUs of nodes that are rented whole, at
/// the price of the dearest kind on their node, and of all GPUs of spare nodes, at the price of the dearest kind in
/// their group. Owned: purchase of all GPUs of nodes and spare nodes and of the nodes themselves, over their life.
///
/// Of replicas that come and go, on demand and spot pay the hours that `run` held them, the other terms for all
/// replicas all the time. Without a run: the least that it can be. Nothing where the term is not on offer for a kind
/// in use.
std::optional<Rent> rent_of(const Machines& machines, const PriceSpec& prices, const std::string& term,
                            const Summary* run);

/// GPUs that are held under the term, mean over the run; without a run, the fewest that it can be.
double paid_gpus(const Machines& machines, const std::string& term, const Summary* run);

inline const std::vector<std::string>& price_terms() {
  static const std::vector<std::string> terms{"on_demand", "reserved", "spot", "owned"};
  return terms;
}

}  // namespace servecast
