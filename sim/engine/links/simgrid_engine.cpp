#include "sim/engine/links/simgrid_engine.h"

#include <cassert>
#include <csignal>
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace servecast {

namespace sg = simgrid::s4u;

struct SimgridEngine::Impl {
  std::vector<std::string> words;
  std::vector<char*> argv{};
  int argc = 0;
  std::unique_ptr<sg::Engine> engine{};
};

// SimGrid's own defaults model TCP: factors on latency and bandwidth, a window, acknowledgements that take bandwidth.
SimgridEngine::SimgridEngine() : impl_(std::make_unique<Impl>()) {
  assert(!sg::Engine::has_instance() && "one simulation per process");
  impl_->words = {"servecast", "--log=root.thresh:warning", "--cfg=network/model:CM02", "--cfg=network/TCP-gamma:0",
                  "--cfg=network/crosstraffic:0"};
  if (const char* more = std::getenv("SERVECAST_SIMGRID_CFG")) impl_->words.push_back(std::string("--cfg=") + more);
  for (std::string& word : impl_->words) impl_->argv.push_back(word.data());
  impl_->argv.push_back(nullptr);
  impl_->argc = static_cast<int>(impl_->words.size());
  struct sigaction before {};  // SimGrid puts a handler of its own on Ctrl-C; what the program does there stays
  sigaction(SIGINT, nullptr, &before);
  impl_->engine = std::make_unique<sg::Engine>(&impl_->argc, impl_->argv.data());
  sigaction(SIGINT, &before, nullptr);
}

SimgridEngine::~SimgridEngine() = default;

void SimgridEngine::run() { impl_->engine->run(); }

}  // namespace servecast
