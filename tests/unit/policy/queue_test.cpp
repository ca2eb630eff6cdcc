#include "models/policy/queue.h"

#include <gtest/gtest.h>

#include "models/base/rng.h"
#include "tests/unit/serving/fixture.h"

namespace servecast::queue_test {

/// In which order the queue gives these out; a ticket is the place in the list.
std::vector<std::size_t> order(const std::string& name, const std::vector<Request>& requests,
                               const std::map<std::string, double>& settings = {}) {
  const auto queue = make_policy<WaitingQueue>(name, settings);
  for (std::size_t i = 0; i < requests.size(); ++i) queue->push(Ticket(i), requests[i]);
  std::vector<std::size_t> out;
  while (!queue->empty()) {
    out.push_back(index(queue->front()));
    queue->erase(queue->front(), requests[out.back()]);
    queue->served(requests[out.back()], requests[out.back()].prompt_tokens, 0);
  }
  return out;
}
using Order = std::vector<std::size_t>;

TEST(Queues, RankAsTheirNamesSay) {
  const std::vector<Request> requests{
      {.prompt_tokens = 300, .output_tokens = 5, .priority = 2, .deadline_s = 9},
      {.prompt_tokens = 100, .output_tokens = 50, .priority = 0, .deadline_s = 3},
      {.prompt_tokens = 200, .output_tokens = 20, .priority = 0},
      {.prompt_tokens = 100, .output_tokens = 90, .priority = 1, .deadline_s = 2},
  };
  EXPECT_EQ(order("fcfs", requests), (Order{0, 1, 2, 3}));
  EXPECT_EQ(order("priority", requests), (Order{1, 2, 3, 0}));
  EXPECT_EQ(order("shortest_prompt", requests), (Order{1, 3, 2, 0}));
  EXPECT_EQ(order("shortest_job", requests), (Order{0, 2, 1, 3}));
  EXPECT_EQ(order("earliest_deadline", requests), (Order{3, 1, 0, 2}));
  // slack: 9 - 300 x 0.04 = -3, 3 - 4 = -1, 2 - 4 = -2
  EXPECT_EQ(order("earliest_deadline", requests, {{"prompt_token_s", 0.04}}), (Order{0, 3, 1, 2}));
}

// Lengths 10, 20, 40 ... predicted within a factor of e^0.1 are never confused; within e^3 they are.
TEST(ShortestJob, ErrorsShuffleIt) {
  std::vector<Request> requests;
  for (std::uint32_t i = 0; i < 12; ++i)
    requests.push_back({.id = RequestId{i}, .prompt_tokens = 10, .output_tokens = 10 << i});
  Order sorted(requests.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
  EXPECT_EQ(order("shortest_job", requests, {{"error_sigma", 0.1}}), sorted);
  const Order shuffled = order("shortest_job", requests, {{"error_sigma", 3}});
  EXPECT_NE(shuffled, sorted);
  EXPECT_EQ(order("shortest_job", requests, {{"error_sigma", 3}}), shuffled);
}

// Client 1 asks for three prompts of 100, client 2 for two of 150: 1 (100), 2 (150), 1 (200), 2 (300), 1.
TEST(FairShare, TakesTurnsByWhatWasServed) {
  const Request one{.prompt_tokens = 100, .client = ClientId{1}};
  const Request two{.prompt_tokens = 150, .client = ClientId{2}};
  EXPECT_EQ(order("fair_share", {one, one, one, two, two}), (Order{0, 3, 1, 4, 2}));
}

// Client 2 was away while client 1 got 500: it does not get 500 ahead when it comes back.
TEST(FairShare, NobodySavesUp) {
  const auto queue = make_policy<WaitingQueue>("fair_share");
  const Request one{.prompt_tokens = 100, .client = ClientId{1}};
  const Request two{.prompt_tokens = 100, .client = ClientId{2}};
  std::uint32_t next = 0;
  for (int i = 0; i < 5; ++i) {
    const Ticket ticket{next++};
    queue->push(ticket, one);
    queue->erase(ticket, one);
    queue->served(one, 100, 0);
  }
  queue->push(Ticket{10}, two);
  queue->push(Ticket{11}, two);
  queue->push(Ticket{12}, one);
  EXPECT_EQ(queue->front(), Ticket{12});  // both stand at 500: the lower client number
  queue->erase(Ticket{12}, one);
  queue->served(one, 100, 0);
  EXPECT_EQ(queue->front(), Ticket{10});
}

}  // namespace servecast::queue_test
