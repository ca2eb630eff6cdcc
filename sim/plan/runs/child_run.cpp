#include "sim/plan/runs/child_run.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>

#include "models/base/error.h"
#include "sim/plan/runs/evaluator.h"

namespace servecast {
namespace {

// A message: what it is, how many bytes follow, and these.
struct Header {
  ChildRun::Message message{};
  std::uint64_t bytes = 0;
};

constexpr char end_mark = '\0';  // of a part of what is sent with a key

/// A child that cannot reach its parent works in vain.
void send_all(int socket, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = ::send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) _exit(1);
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

void send_message(int socket, ChildRun::Message message, const std::string& text) {
  const Header header{.message = message, .bytes = text.size()};
  send_all(socket, &header, sizeof header);
  send_all(socket, text.data(), text.size());
}

LoadedRun parts_of(const std::string& text) {
  const std::size_t first = text.find(end_mark);
  const std::size_t second = text.find(end_mark, first + 1);
  return {.key = text.substr(0, first),
          .learned = text.substr(first + 1, second - first - 1),
          .rests_on = text.substr(second + 1)};
}

void wait_for_word_to_go_on(int socket) {
  char word = 0;
  ssize_t got = 0;
  while ((got = ::recv(socket, &word, 1, 0)) < 0 && errno == EINTR) continue;
  if (got != 1) _exit(0);
}

std::string in_one_line(const UserError& error) {
  std::string text;
  for (const Problem& problem : error.problems()) text += (text.empty() ? "" : "; ") + to_string(problem);
  return text;
}

void be_the_child(Simulator& simulator, const RunRequest& request, int socket) {
  try {
    const LoadedRun loaded = simulator.load(request);
    send_message(socket, ChildRun::Message::key, loaded.key + end_mark + loaded.learned + end_mark + loaded.rests_on);
    wait_for_word_to_go_on(socket);
    send_message(socket, ChildRun::Message::summary, simulator.run());
  } catch (const UserError& error) {
    send_message(socket, ChildRun::Message::refusal, in_one_line(error));
  } catch (const std::exception& error) {
    send_message(socket, ChildRun::Message::failure, std::string("internal error: ") + error.what());
  }
}

}  // namespace

ChildRun::ChildRun(Simulator& simulator, const RunRequest& request)
    : child_([&](int socket) { be_the_child(simulator, request, socket); }) {}

ChildRun::Message ChildRun::receive() {
  std::array<char, 65536> part;
  const ssize_t got = ::recv(socket(), part.data(), part.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return Message::nothing_yet;
  if (got <= 0) return message_of_ended_child();
  unread_.append(part.data(), static_cast<std::size_t>(got));
  Header header;
  if (unread_.size() < sizeof header) return Message::nothing_yet;
  std::memcpy(&header, unread_.data(), sizeof header);
  if (unread_.size() < sizeof header + header.bytes) return Message::nothing_yet;
  text_ = unread_.substr(sizeof header);  // it waits for an answer or ends: nothing follows
  unread_.clear();
  if (header.message == Message::key) loaded_ = parts_of(text_);
  return header.message;
}

ChildRun::Message ChildRun::message_of_ended_child() {
  const int status = child_.wait();
  text_ = WIFSIGNALED(status) ? std::string("the simulation was ended by a signal: ") + ::strsignal(WTERMSIG(status))
                              : "the simulation ended without a result";
  return Message::failure;
}

void ChildRun::go_on() {
  const char word = 1;
  while (::send(socket(), &word, 1, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;  // a dead child is noticed later
}

}  // namespace servecast
