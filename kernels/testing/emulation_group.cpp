#include <array>
#include <deque>
#include <stdexcept>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/testing/fibres.h"

namespace servecast {
namespace emulation {
namespace {

constexpr std::size_t group_threads = 128;
constexpr int k_bytes = 32;  // of one product
constexpr int panel_row = 128;

struct GroupThread {
  bool fenced = false;
  int products = 0;
  std::vector<std::function<void()>> uncommitted{};
  std::deque<std::vector<std::function<void()>>> groups{};  // oldest first
  std::vector<std::size_t> unfenced{};                      // pieces of shared memory that it wrote
};

struct Groups {
  std::vector<GroupThread> threads;
  std::vector<bool> unfenced;  // pieces of 16 bytes of shared memory
};
Groups groups;

GroupThread& own() { return groups.threads[static_cast<std::size_t>(fibres().current())]; }

/// PTX ISA, "Matrix descriptor", taken apart.
struct Operand {
  std::size_t start;
  std::size_t leading;
  std::size_t stride;
  explicit Operand(std::uint64_t descriptor)
      : start((descriptor & 0x3fff) << 4),
        leading((descriptor >> 16 & 0x3fff) << 4),
        stride((descriptor >> 32 & 0x3fff) << 4) {
    if (descriptor >> 62 != 1) fibres().fail("an operand that is not in panels of 128 bytes");
  }
  /// Of k along the rows.
  std::size_t along(int row, int byte) const {
    return start + static_cast<std::size_t>(row / 8) * stride + static_cast<std::size_t>(row % 8 * panel_row + byte);
  }
  /// Of k across the rows; numbers of 16 bits.
  std::size_t across(int column, int k) const {
    return start + static_cast<std::size_t>(column / 64) * leading + static_cast<std::size_t>(k / 8) * stride +
           static_cast<std::size_t>(column % 64 * 2 + k % 8 * panel_row);
  }
};

template <class Number>
float number_at(std::size_t address) {
  address ^= (address >> 7 & 7) << 4;  // the swizzle: of the address, so tiles begin at multiples of 1024
  if (address / 16 >= groups.unfenced.size()) fibres().fail("an operand beyond shared memory");
  if (groups.unfenced[address / 16]) fibres().fail("a product of copies that no fence_async_proxy() followed");
  Number number;
  std::memcpy(&number, dynamic_shared() + address, sizeof number);
  return to_float(number);
}

/// What the lanes of a warp hold of A: registers as in mma.sync's.
using Held = std::array<FragmentA, 32>;

template <class Number>
float held_at(const Held& held, int row, int k) {
  const std::uint32_t pair = held[static_cast<std::size_t>(row % 8 * 4 + k % 8 / 2)].r[k / 8 * 2 + row / 8];
  return to_float(std::bit_cast<Number>(static_cast<std::uint16_t>(pair >> (k % 2 * 16))));
}

template <class Number, class Sum>
class Product {
 public:
  Product(FragmentC<Sum>* sums, const GroupProduct& product)
      : sums_(sums),
        product_(product),
        lane_(own_lane()),
        first_row_(static_cast<int>(threadIdx.x % group_threads) / 32 * 16) {
    const FragmentA mine = product.left.held != nullptr ? *product.left.held : FragmentA{};
    const std::byte* all = exchange("multiply_group", &mine, sizeof mine);
    for (int lane = 0; lane < 32; ++lane) held_[static_cast<std::size_t>(lane)] = offered<FragmentA>(all, lane);
  }

  /// PTX ISA, "Register fragments for wgmma.mma_async.m64nNk16": a warp's 16 rows as in mma.sync, 8 columns after 8.
  void operator()() const {
    const FragmentA* mine = product_.left.held;
    if (mine != nullptr && std::memcmp(mine, &held_[static_cast<std::size_t>(lane_)], sizeof *mine) != 0)
      fibres().fail("an operand in registers changed before the wait of its product");
    const std::array rows{left_row(lane_ / 4), left_row(lane_ / 4 + 8)};
    for (int j = 0; j < product_.columns / 8; ++j)
      for (int i = 0; i < 4; ++i) {
        const Column right = right_column(j * 8 + lane_ % 4 * 2 + i % 2);
        Sum sum = product_.add ? sums_[j].r[i] : Sum{};
        for (std::size_t k = 0; k < depth; ++k)
          sum += static_cast<Sum>(rows[static_cast<std::size_t>(i / 2)][k]) * static_cast<Sum>(right[k]);
        sums_[j].r[i] = sum;
      }
  }

 private:
  static constexpr std::size_t depth = k_bytes / sizeof(Number);
  using Column = std::array<float, depth>;

  Column left_row(int row) const {
    Column numbers;
    const Operand operand(product_.left.held != nullptr ? std::uint64_t{1} << 62 : product_.left.descriptor);
    for (int k = 0; k < static_cast<int>(depth); ++k) {
      float& number = numbers[static_cast<std::size_t>(k)];
      if constexpr (sizeof(Number) == 2)
        if (product_.left.held != nullptr) {
          number = held_at<Number>(held_, row, k);
          continue;
        }
      number = number_at<Number>(operand.along(first_row_ + row, k * static_cast<int>(sizeof(Number))));
    }
    return numbers;
  }
  Column right_column(int column) const {
    const Operand operand(product_.right);
    Column numbers;
    for (int k = 0; k < static_cast<int>(depth); ++k)
      numbers[static_cast<std::size_t>(k)] =
          number_at<Number>(product_.right_across_k ? operand.across(column, k)
                                                    : operand.along(column, k * static_cast<int>(sizeof(Number))));
    return numbers;
  }

  FragmentC<Sum>* sums_;
  GroupProduct product_;
  int lane_;
  int first_row_;
  Held held_{};
};

}  // namespace

template <class Number, class Sum>
void start_product(FragmentC<Sum>* sums, const GroupProduct& product) {
  if (!own().fenced) fibres().fail("a product of a group without a fence before it");
  ++own().products;
  Product<Number, Sum> work(sums, product);
  if (products == Products::early)
    work();
  else
    own().uncommitted.emplace_back(std::move(work));
}
template void start_product<Half>(FragmentC<float>*, const GroupProduct&);
template void start_product<Bf16>(FragmentC<float>*, const GroupProduct&);
template void start_product<Fp8>(FragmentC<float>*, const GroupProduct&);
template void start_product<std::int8_t>(FragmentC<int>*, const GroupProduct&);

void wait_group(int groups_left) {
  auto& waiting = own().groups;
  for (; waiting.size() > static_cast<std::size_t>(groups_left); waiting.pop_front())
    for (const auto& work : waiting.front()) work();
}

void begin_groups(std::size_t threads, std::size_t shared_bytes) {
  groups.threads.assign(threads, {});
  groups.unfenced.assign(shared_bytes / 16, false);
}

void end_groups() {
  for (std::size_t i = 0; i < groups.threads.size(); ++i) {
    const GroupThread& thread = groups.threads[i];
    const GroupThread& first = groups.threads[i / group_threads * group_threads];
    if (thread.products != first.products) throw std::logic_error("a warp takes no part in a product of its group");
    if (!thread.uncommitted.empty() || !thread.groups.empty())
      throw std::logic_error("products that no warp waits for");
  }
}

void note_copy(const void* to) {
  const std::size_t piece = shared_address(to) / 16;
  if (piece >= groups.unfenced.size()) return;
  groups.unfenced[piece] = true;
  own().unfenced.push_back(piece);
}

}  // namespace emulation

unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(static_cast<const unsigned char*>(pointer) - dynamic_shared());
}

void fence_async_proxy() {
  for (const std::size_t piece : emulation::own().unfenced) emulation::groups.unfenced[piece] = false;
  emulation::own().unfenced.clear();
}

void group_fence() { emulation::own().fenced = true; }

void group_commit() {
  emulation::GroupThread& thread = emulation::own();
  thread.fenced = false;
  thread.groups.push_back(std::move(thread.uncommitted));
  thread.uncommitted.clear();
}

}  // namespace servecast
