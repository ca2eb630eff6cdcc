#include "sim/engine/links/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <simgrid/Exception.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <utility>

#include "sim/engine/time/run_options.h"
#include "sim/report/record/platform.h"

namespace servecast {
namespace {

namespace sg = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

// SimGrid 4 calls what makes links, hosts and actors "add", and SimGrid 3 "create".
template <class Zone>
sg::Link* add_link(Zone& zone, const std::string& name, double bytes_per_s) {
  if constexpr (requires { zone.add_link(name, bytes_per_s); })
    return zone.add_link(name, bytes_per_s);
  else
    return zone.create_link(name, bytes_per_s);
}

template <class Zone>
sg::Host* add_host(Zone& zone, const std::string& name) {
  constexpr double flop_per_s = 1e9;  // nothing is computed on it
  if constexpr (requires { zone.add_host(name, flop_per_s); })
    return zone.add_host(name, flop_per_s);
  else
    return zone.create_host(name, flop_per_s);
}

template <class Engine = sg::Engine, class Actor = sg::Actor>
void start_actor(const std::string& name, sg::Host* host, const std::function<void()>& body) {
  if constexpr (requires { Engine::add_actor(name, host, body); })
    Engine::add_actor(name, host, body);
  else
    Actor::create(name, host, body);
}

/// A network without a map: a flow takes the links that were named last. With a table of routes, as SimGrid's own
/// zones have one, memory would grow with the square of the number of GPUs.
class NamedLinks final : public routing::NetZoneImpl {
 public:
  using Link = simgrid::kernel::resource::StandardLinkImpl;
  NamedLinks() : NetZoneImpl("network") {}

  void get_local_route(const routing::NetPoint*, const routing::NetPoint*, routing::Route* into, double*) override {
    into->link_list_ = next_path;
  }
  std::vector<Link*> next_path{};
};

// SimGrid's default of 8 MB is for programs; an actor that only waits needs a few kB, an exception's way out
// included.
constexpr unsigned waiter_stack_kb = 64;

/// Waits for one flow after the other.
struct Waiter {
  std::int64_t flow = 0;
  sg::CommPtr comm{};
  sg::SemaphorePtr go = sg::Semaphore::create(0);
};

}  // namespace

struct Network::Impl {
  NamedLinks* zone = new NamedLinks;       // the engine's, as all zones are
  std::vector<NamedLinks::Link*> links{};  // by index in the wiring
  std::vector<sg::Link*> named{};          // the same
  sg::Host* from = nullptr;
  sg::Host* to = nullptr;
  std::vector<std::unique_ptr<Waiter>> waiters{};
  std::vector<Waiter*> idle{};
  std::vector<EndedFlow> ended{};
  sg::SemaphorePtr flow_ended = sg::Semaphore::create(0);
  std::exception_ptr thrown{};
  double due_s = 0;  // how far the actor has come: SimGrid's clock follows before a flow begins

  /// An engine that carries nothing has nothing to do: its clock is set once, when the next flow begins, and not at
  /// every instant of the run.
  void catch_up() {
    const double behind_s = due_s - sg::Engine::get_clock();
    if (idle_waiters() && behind_s > 0) sg::this_actor::sleep_for(behind_s);
  }
  bool idle_waiters() const { return idle.size() == waiters.size(); }

  /// What an actor does. An exception that left it would end the program, and SimGrid's own signal that ends an actor
  /// must leave it: so these two kinds are carried out by hand, and the others go home.
  template <class Body>
  void act(Body body) {
    try {
      return body();
    } catch (const std::exception&) {
      thrown = std::current_exception();
    } catch (const CutShort&) {
      thrown = std::current_exception();
    }
    sg::Actor::kill_all();
  }

  Waiter& free_waiter() {
    if (idle.empty()) {
      waiters.push_back(std::make_unique<Waiter>());
      const auto wait = [this, waiter = waiters.back().get()] { act([&] { wait_for_flows(*waiter); }); };
      sg::Actor::init("flow", to)->set_stacksize(waiter_stack_kb)->start(wait)->daemonize();
      return *waiters.back();
    }
    Waiter& waiter = *idle.back();
    idle.pop_back();
    return waiter;
  }

  // SimGrid reports what is broken off in one of two ways. Links never fail here: a cut one is only very slow.
  static void wait_for_end(sg::Comm& comm) try { comm.wait(); } catch (const simgrid::CancelException&) {
  } catch (const simgrid::NetworkFailureException&) {
  }

  void wait_for_flows(Waiter& waiter) {
    for (;;) {
      waiter.go->acquire();
      wait_for_end(*waiter.comm);
      waiter.comm.reset();
      ended.push_back({.flow = waiter.flow, .clock_s = sg::Engine::get_clock()});
      idle.push_back(&waiter);
      flow_ended->release();
    }
  }
};

Network::Network(std::span<const PlatformLink> links) : impl_(std::make_unique<Impl>()) {
  sg::NetZone* zone = impl_->zone->get_iface();
  // SimGrid 3 makes the first zone the root; in SimGrid 4 a zone gets its models of links and hosts from the root
  // above it.
  const sg::NetZone* root = sg::Engine::get_instance()->get_netzone_root();
  if (root != zone) impl_->zone->set_parent(root->get_impl());
  for (const PlatformLink& link : links) {
    impl_->named.push_back(add_link(*zone, link.name, link.bytes_per_s));
    impl_->named.back()->set_latency(0)->seal();
    impl_->links.push_back(impl_->zone->get_link_by_name_or_null(link.name));
  }
  impl_->from = add_host(*zone, "from")->seal();
  impl_->to = add_host(*zone, "to")->seal();
  zone->seal();
}

Network::~Network() = default;

void Network::add_actor(const std::string& name, const std::function<void()>& body) {
  start_actor(name, impl_->from, [this, body] { impl_->act(body); });
}

void Network::rethrow() const {
  if (impl_->thrown) std::rethrow_exception(impl_->thrown);
}

// A communication starts with the call that completes it, and asks for its path there.
void Network::begin(std::int64_t flow, const Transfer& transfer) {
  impl_->catch_up();
  impl_->zone->next_path.clear();
  for (std::size_t link : transfer.path.links) impl_->zone->next_path.push_back(impl_->links[link]);
  Waiter& waiter = impl_->free_waiter();
  waiter.flow = flow;
  waiter.comm = sg::Comm::sendto_async(impl_->from, impl_->to, static_cast<std::uint64_t>(std::ceil(transfer.bytes)));
  waiter.go->release();
}

// A flow that ends at this very instant, before its waiter runs, has no action left: SimGrid 3.32 crashes where it is
// to cancel one.
void Network::cancel(std::int64_t flow) {
  const auto waiter =
      std::ranges::find_if(impl_->waiters, [flow](const auto& w) { return w->flow == flow && w->comm; });
  if (waiter != impl_->waiters.end() && (*waiter)->comm->get_remaining() > 0) (*waiter)->comm->cancel();
}

void Network::set_speed(std::size_t link, double bytes_per_s) { impl_->named[link]->set_bandwidth(bytes_per_s); }

bool Network::idle() const { return impl_->idle_waiters() && impl_->ended.empty(); }

bool Network::wait_until(double at_s) {
  if (!impl_->ended.empty()) return false;
  if (idle()) {
    impl_->due_s = at_s;
    return true;
  }
  if (at_s - sg::Engine::get_clock() <= 0) return true;
  // A token may stand for a flow that was taken along with an earlier one.
  for (bool time_up = false; impl_->ended.empty() && !time_up;) {
    if (at_s < std::numeric_limits<double>::infinity())
      time_up = impl_->flow_ended->acquire_timeout(at_s - sg::Engine::get_clock());
    else
      impl_->flow_ended->acquire();
  }
  return impl_->ended.empty();
}

std::vector<EndedFlow> Network::take_ended() { return std::exchange(impl_->ended, {}); }

}  // namespace servecast
