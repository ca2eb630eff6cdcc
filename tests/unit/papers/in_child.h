#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>

namespace servecast {

/// What `work` returns when a child process does it: SimGrid simulates once per process.
template <std::size_t N>
std::array<double, N> in_child(const std::function<std::array<double, N>()>& work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    const std::array<double, N> result = [&]() noexcept { return work(); }();  // an exception ends the child
    const bool sent = write(ends[1], result.data(), sizeof result) == static_cast<ssize_t>(sizeof result);
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  std::array<double, N> result{};
  EXPECT_EQ(read(ends[0], result.data(), sizeof result), static_cast<ssize_t>(sizeof result));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return result;
}

}  // namespace servecast
