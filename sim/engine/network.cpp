#include "sim/engine/network.h"

#include <fmt/format.h>

#include <simgrid/s4u.hpp>

namespace servecast {

namespace sg = simgrid::s4u;

struct Network::Impl {
  sg::NetZone* zone = nullptr;
  std::vector<sg::Link*> links;  // by index in the wiring
  std::int64_t routes = 0;

  struct Route {
    sg::Host* from;
    sg::Host* to;
  };
  Route add_route(const Path& path) {
    const auto number = routes++;
    Route route{zone->create_host(fmt::format("from{}", number), 1e9),
                zone->create_host(fmt::format("to{}", number), 1e9)};
    route.from->seal();
    route.to->seal();
    std::vector<sg::LinkInRoute> over;
    for (std::size_t link : path.links) over.emplace_back(links[link]);
    zone->add_route(route.from->get_netpoint(), route.to->get_netpoint(), nullptr, nullptr, over, false);
    return route;
  }
};

Network::Network(std::span<const PlatformLink> links) : impl_(std::make_unique<Impl>()) {
  impl_->zone = sg::create_full_zone("network");
  for (const PlatformLink& link : links)
    impl_->links.push_back(impl_->zone->create_link(link.name, link.bytes_per_s)->set_latency(0)->seal());
}

Network::~Network() = default;

void Network::add_actor(const std::string& name, const std::function<void()>& body) {
  auto* host = impl_->zone->create_host(name, 1e9)->seal();
  impl_->zone->seal();
  sg::Actor::create(name, host, body);
}

void Network::add(std::vector<Transfer> transfers, std::function<void(const std::vector<FinishedTransfer>&)> done) {
  std::vector<Impl::Route> routes;
  for (const Transfer& transfer : transfers) routes.push_back(impl_->add_route(transfer.path));
  const auto body = [transfers = std::move(transfers), routes, done = std::move(done)] {
    std::vector<sg::ActorPtr> flows;
    std::vector<FinishedTransfer> finished(transfers.size());
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      flows.push_back(sg::Actor::create("flow", routes[i].from, [&, i] {
        const Transfer& transfer = transfers[i];
        finished[i] = {.transfer = &transfer, .start_s = sg::Engine::get_clock()};
        sg::this_actor::sleep_for(transfer.path.latency_s);
        sg::Comm::sendto(routes[i].from, routes[i].to, static_cast<std::uint64_t>(transfer.bytes));
        finished[i].end_s = sg::Engine::get_clock();
      }));
    }
    for (const sg::ActorPtr& flow : flows) flow->join();
    done(finished);
  };
  sg::Actor::create("transfers", routes.front().from, body);
}

}  // namespace servecast
