#include "sim/reproduce/probes/forked.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>

#include "models/base/error.h"
#include "sim/plan/runs/evaluator.h"
#include "sim/plan/runs/forked_child.h"

namespace servecast {
namespace {

constexpr int look_around_ms = 50;  // how long a wish to stop may go unnoticed
constexpr char numbers = 'n';       // the first byte that a child writes says what follows
constexpr char refusal = 'r';

std::string answer_of(const ForkedWork& work) {
  try {
    const std::vector<double> values = work();
    return numbers + std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  } catch (const std::exception& e) {
    return refusal + std::string(e.what());
  }
}

void be_the_child(const ForkedWork& work, int to_parent) {
  const std::string text = answer_of(work);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(to_parent, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) ::_exit(1);
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

class Child {
 public:
  Child(const ForkedWork& work, std::size_t number)
      : number_(number), process_([&](int to_parent) { be_the_child(work, to_parent); }) {}

  int socket() const { return process_.socket(); }
  std::size_t number() const { return number_; }
  bool over() const { return over_; }

  void listen() {
    char buffer[4096];
    const ssize_t got = ::read(socket(), buffer, sizeof buffer);
    if (got > 0) text_.append(buffer, static_cast<std::size_t>(got));
    over_ = got == 0 || (got < 0 && errno != EINTR);
  }

  /// Once it is over.
  ForkedAnswer answer() {
    const int status = process_.wait();
    if (status != 0 || text_.empty()) return {.refusal = "the run ended without an answer: a fault of the program"};
    if (text_.front() == refusal) return {.refusal = text_.substr(1)};
    ForkedAnswer answer{.values = std::vector<double>((text_.size() - 1) / sizeof(double))};
    std::memcpy(answer.values.data(), text_.data() + 1, answer.values.size() * sizeof(double));
    return answer;
  }

 private:
  std::size_t number_;
  ForkedChild process_;
  std::string text_{};
  bool over_ = false;
};

void wait_for_any(std::list<Child>& running) {
  std::vector<pollfd> sockets;
  for (const Child& child : running) sockets.push_back({.fd = child.socket(), .events = POLLIN, .revents = 0});
  ::poll(sockets.data(), sockets.size(), look_around_ms);
  std::size_t i = 0;
  for (Child& child : running)
    if (sockets[i++].revents != 0) child.listen();
}

}  // namespace

std::vector<ForkedAnswer> in_children(std::span<const ForkedWork> work, const ForkedOptions& options) {
  std::vector<ForkedAnswer> answers(work.size());
  std::list<Child> running;
  std::size_t next = 0;
  std::size_t done = 0;
  const auto report = [&] {
    if (options.progress) options.progress(done);
  };
  report();
  while (next < work.size() || !running.empty()) {
    if (options.stop && options.stop()) throw Stopped{};
    for (; next < work.size() && running.size() < std::max<std::size_t>(1, options.at_a_time); ++next)
      running.emplace_back(work[next], next);
    wait_for_any(running);
    for (Child& child : running) {
      if (!child.over()) continue;
      answers[child.number()] = child.answer();
      ++done;
    }
    running.remove_if([](const Child& child) { return child.over(); });
    report();
  }
  return answers;
}

std::vector<double> in_own_process(const ForkedWork& work) {
  ForkedAnswer answer = in_children({&work, 1}, {}).front();
  if (!answer.refusal.empty()) throw UserError(answer.refusal);
  return std::move(answer.values);
}

}  // namespace servecast
