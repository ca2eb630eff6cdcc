#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

namespace servecast {

/// The engine can run once per process, so each run has one of its own.
inline std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const std::string text = [&]() noexcept { return work(); }();  // an exception ends the child
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written = write(ends[1], text.data() + at, text.size() - at);
      if (written < 0) std::abort();
      at += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[65536];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

/// The same for work that returns numbers.
template <std::size_t N>
std::array<double, N> in_child(const std::function<std::array<double, N>()>& work) {
  std::array<double, N> numbers{};
  const std::string bytes = in_child([&] {
    const std::array<double, N> result = work();
    return std::string(reinterpret_cast<const char*>(result.data()), sizeof result);
  });
  EXPECT_EQ(bytes.size(), sizeof numbers);
  if (bytes.size() == sizeof numbers) std::memcpy(numbers.data(), bytes.data(), sizeof numbers);
  return numbers;
}

}  // namespace servecast
