#include <array>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/testing/fibres.h"

namespace servecast {
namespace emulation {
namespace {

constexpr int lanes = 32;

struct Copy {
  void* to;
  const void* from;
  bool valid;
};

struct Thread {
  enum class Wait { nothing, warp, block, condition } wait = Wait::nothing;
  std::function<bool()> ready{};  // the condition
  const char* what = nullptr;     // its warp does together
  int exchanges = 0;
  std::vector<Copy> uncommitted{};
  std::deque<std::vector<Copy>> groups{};  // of asynchronous copies, oldest first
};

/// Offers lie in two places by turns, so that one wait per exchange is enough: a thread that writes a place again has
/// met the others since they read it.
struct Warp {
  alignas(16) std::array<std::array<std::byte, lanes * largest_offer>, 2> offers{};
};

struct Block {
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<unsigned char> shared;
};
Block block;

void carry_out(const Copy& copy) {
  if (copy.valid)
    std::memcpy(copy.to, copy.from, 16);
  else
    std::memset(copy.to, 0, 16);
  note_copy(copy.to);
}

Thread& self() { return block.threads[static_cast<std::size_t>(fibres().current())]; }

void wait_for(Thread::Wait peers) {
  self().wait = peers;
  fibres().sleep();
}

/// Lanes that wait together must wait for the same thing.
void check_same_operation(int first) {
  const auto what = [](int i) { return std::string(block.threads[static_cast<std::size_t>(i)].what); };
  for (int i = first; i < first + lanes; ++i)
    if (what(i) != what(first)) throw std::logic_error("lanes of a warp meet in " + what(first) + " and " + what(i));
}

/// Wakes threads `first` to `first` + `count` - 1 if every one waits at `where`.
bool release(int first, int count, Thread::Wait where) {
  for (int i = first; i < first + count; ++i)
    if (fibres().ended(i) || block.threads[static_cast<std::size_t>(i)].wait != where) return false;
  if (where == Thread::Wait::warp) check_same_operation(first);
  for (int i = first; i < first + count; ++i) {
    block.threads[static_cast<std::size_t>(i)].wait = Thread::Wait::nothing;
    fibres().wake(i);
  }
  return true;
}

bool release_ready() {
  bool any = false;
  for (int i = 0; i < static_cast<int>(block.threads.size()); ++i) {
    Thread& thread = block.threads[static_cast<std::size_t>(i)];
    if (thread.wait != Thread::Wait::condition || !thread.ready()) continue;
    thread.wait = Thread::Wait::nothing;
    fibres().wake(i);
    any = true;
  }
  return any;
}

/// One warp at a time goes on, as far as it can: so it is far ahead of the others where no barrier holds it. Boxes
/// come when no thread goes on without them.
bool release_next() {
  const int count = static_cast<int>(block.threads.size());
  for (int i = 0; i < count; i += lanes)
    if (release(order == Order::backward ? count - lanes - i : i, lanes, Thread::Wait::warp)) return true;
  if (release(0, count, Thread::Wait::block)) return true;
  while (!release_ready())
    if (!copy_next_box()) return false;
  return true;
}

void run_block(const LaunchShape& shape, const std::function<void()>& thread) {
  block.threads.assign(shape.threads, {});
  block.warps.assign(shape.threads / lanes, {});
  block.shared.assign(shape.shared_bytes, 0xff);  // NaN in every format here
  begin_groups(shape.threads, shape.shared_bytes);
  begin_boxes();
  fibres().run(static_cast<int>(shape.threads), order == Order::backward, thread,
               {.before =
                    [](int i) {
                      threadIdx = {static_cast<unsigned>(i), 0, 0};
                    },
                .after_round = release_next});
  end_groups();
  end_boxes();
}

}  // namespace

void run(const LaunchShape& shape, const std::function<void()>& thread) {
  if (shape.threads % lanes != 0 || shape.threads == 0) throw std::logic_error("threads are no multiple of 32");
  if (shape.grid_x == 0 || shape.grid_y == 0 || shape.grid_z == 0) throw std::logic_error("the grid is empty");
  if (shape.shared_bytes > (hopper ? 227U : 163U) * 1024)
    throw std::logic_error("more shared memory than a block may have");
  gridDim = {shape.grid_x, shape.grid_y, shape.grid_z};
  blockDim = {shape.threads, 1, 1};
  for (blockIdx.z = 0; blockIdx.z < shape.grid_z; ++blockIdx.z)
    for (blockIdx.y = 0; blockIdx.y < shape.grid_y; ++blockIdx.y)
      for (blockIdx.x = 0; blockIdx.x < shape.grid_x; ++blockIdx.x) run_block(shape, thread);
}

void wait_until(const std::function<bool()>& ready) {
  if (ready()) return;
  self().ready = ready;
  wait_for(Thread::Wait::condition);
}

const std::byte* exchange(const char* what, const void* mine, std::size_t bytes) {
  Thread& thread = self();
  auto& offers = block.warps[static_cast<std::size_t>(fibres().current() / lanes)]
                     .offers[static_cast<std::size_t>(thread.exchanges++ % 2)];
  std::memcpy(offers.data() + static_cast<std::size_t>(own_lane()) * largest_offer, mine, bytes);
  thread.what = what;
  wait_for(Thread::Wait::warp);
  return offers.data();
}

void wait_async(int groups_left) {
  auto& groups = self().groups;
  for (; groups.size() > static_cast<std::size_t>(groups_left); groups.pop_front())
    for (const Copy& copy : groups.front()) carry_out(copy);
}

/// PTX ISA, ldmatrix: lane 8 j + i has the address of row i of matrix j; register j of a lane is the pair that is its
/// own in row lane / 4, or with .trans in column lane / 4.
void load_matrices(std::uint32_t* r, const void* row, int matrices, bool transposed) {
  if (reinterpret_cast<std::uintptr_t>(row) % 16 != 0) fibres().fail("load_matrix of an address that is not aligned");
  const std::byte* rows = exchange("load_matrix", &row, sizeof row);
  const int group = own_lane() / 4;
  const int pair = own_lane() % 4 * 2;
  const auto element = [&](int matrix, int i, int k) {
    return static_cast<const std::uint16_t*>(offered<const void*>(rows, matrix * 8 + i))[k];
  };
  for (int j = 0; j < matrices; ++j) {
    const std::uint32_t low = transposed ? element(j, pair, group) : element(j, group, pair);
    const std::uint32_t high = transposed ? element(j, pair + 1, group) : element(j, group, pair + 1);
    r[j] = low | (high << 16);
  }
}

namespace {

struct Operands {
  FragmentA a;
  FragmentB b;
};

template <class Number>
Number element(const std::uint32_t* registers, int i) {
  Number value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(registers) + static_cast<std::size_t>(i) * sizeof(Number),
              sizeof value);
  return value;
}

/// PTX ISA, m16n8k16 and m16n8k32. With g = lane / 4, t = lane % 4 and w numbers in a register: register 0 of A holds
/// row g, k = w t ...; 1 row g + 8; 2 and 3 the same with k beyond the half. Registers 0 and 1 of B hold column g
/// likewise. C has rows g and g + 8, columns 2 t and 2 t + 1.
template <class Number, class Sum>
void multiply(FragmentC<Sum>& c, const FragmentA& a, const FragmentB& b, const char* what) {
  constexpr int wide = 4 / static_cast<int>(sizeof(Number));
  const Operands mine{a, b};
  const std::byte* all = exchange(what, &mine, sizeof mine);
  for (int i = 0; i < 4; ++i) {
    const int group = own_lane() / 4;
    const int column = own_lane() % 4 * 2 + i % 2;
    Sum sum{};
    for (int k = 0; k < 8 * wide; ++k) {
      const int half = k / (4 * wide);
      const int t = k / wide % 4;
      const auto left = offered<Operands>(all, group * 4 + t);
      const auto right = offered<Operands>(all, column * 4 + t);
      sum += static_cast<Sum>(to_float(element<Number>(&left.a.r[half * 2 + i / 2], k % wide))) *
             static_cast<Sum>(to_float(element<Number>(&right.b.r[half], k % wide)));
    }
    c.r[i] += sum;
  }
}

}  // namespace
}  // namespace emulation

unsigned char* dynamic_shared() { return emulation::block.shared.data(); }

void block_barrier() { emulation::wait_for(emulation::Thread::Wait::block); }

void copy_async_16(void* to, const void* from, bool valid) {
  const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  if (!aligned(to) || !aligned(from)) emulation::fibres().fail("copy_async_16 of an address that is not aligned");
  const emulation::Copy copy{to, from, valid};
  if (emulation::copies == emulation::Copies::early)
    emulation::carry_out(copy);
  else
    emulation::self().uncommitted.push_back(copy);
}

void copy_async_commit() {
  emulation::Thread& thread = emulation::self();
  thread.groups.push_back(std::move(thread.uncommitted));
  thread.uncommitted.clear();
}

template <>
void multiply_add<Half>(FragmentC<float>& c, const FragmentA& a, const FragmentB& b) {
  emulation::multiply<Half>(c, a, b, "multiply_add of fp16");
}
template <>
void multiply_add<Bf16>(FragmentC<float>& c, const FragmentA& a, const FragmentB& b) {
  emulation::multiply<Bf16>(c, a, b, "multiply_add of bf16");
}
template <>
void multiply_add<Fp8>(FragmentC<float>& c, const FragmentA& a, const FragmentB& b) {
  emulation::multiply<Fp8>(c, a, b, "multiply_add of fp8");
}
template <>
void multiply_add<std::int8_t>(FragmentC<int>& c, const FragmentA& a, const FragmentB& b) {
  emulation::multiply<std::int8_t>(c, a, b, "multiply_add of int8");
}

}  // namespace servecast
