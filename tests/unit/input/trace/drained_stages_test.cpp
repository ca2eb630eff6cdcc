#include "sim/input/trace/workload/drained_stages.h"

#include <gtest/gtest.h>

#include "sim/input/trace/workload/merge.h"

namespace servecast::drained_stages_test {

/// Requests at given times, by the clock.
class Listed final : public Workload {
 public:
  explicit Listed(std::vector<double> times) : times_(std::move(times)) {}
  std::optional<Request> next() override {
    if (given_ == times_.size()) return std::nullopt;
    const auto id = static_cast<std::uint32_t>(given_);
    const double at_s = times_[given_++];
    return Request{.id = RequestId{id}, .arrival_s = at_s, .deadline_s = at_s + 2, .give_up_s = at_s + 100};
  }
  std::optional<Request> follow_up(const Request&, double) override { return std::nullopt; }
  double fraction_read() const override { return 0; }

 private:
  std::vector<double> times_;
  std::size_t given_ = 0;
};

// Two stages of 2 requests in 10 s, the second after a pause of 5 s: by the clock it begins at 15, its requests come
// at 16 and 18. The first stage's last request ends at 22, so the second begins at 27 and they come at 28 and 30. A
// third, without a pause, begins when the second is over, at 37: by then all have ended. Its request comes 2 s later.
TEST(DrainedStages, AStageBeginsWhenTheOneBeforeHasNoRequestLeft) {
  const std::vector<StageSpec> stages{{.requests_per_s = 0.2, .duration_s = 10},
                                      {.requests_per_s = 0.2, .duration_s = 10, .pause_s = 5},
                                      {.requests_per_s = 0.1, .duration_s = 10}};
  const auto workload =
      drain_stages(std::make_unique<Listed>(std::vector<double>{1, 9, 16, 18, 27}), {.stages = stages});
  const Request first = workload->next().value();
  const Request second = workload->next().value();
  EXPECT_EQ(first.arrival_s, 1);
  EXPECT_TRUE(first.awaited);
  EXPECT_EQ(second.arrival_s, 9);
  EXPECT_FALSE(workload->next());
  workload->follow_up(second, 12);
  EXPECT_FALSE(workload->next());
  workload->follow_up(first, 22);
  const Request third = workload->next().value();
  EXPECT_EQ(third.arrival_s, 28);
  EXPECT_EQ(third.deadline_s, 30);  // clients' patience begins when they ask
  EXPECT_EQ(third.give_up_s, 128);
  const Request fourth = workload->next().value();
  EXPECT_EQ(fourth.arrival_s, 30);
  workload->follow_up(fourth, 33);
  workload->follow_up(third, 34);
  EXPECT_EQ(workload->next().value().arrival_s, 39);
  EXPECT_FALSE(workload->next());
}

// Poisson gaps: the first stage of 2 requests in 10 s is over with its last arrival, at 7, and by the clock the
// second begins behind its pause, at 12. The first one's answers come at 8 and 9, so the second begins at 14: its
// request, at 13 by the clock, comes at 15.
TEST(DrainedStages, AStageOfPoissonGapsEndsWithItsLastArrival) {
  const std::vector<StageSpec> stages{{.requests_per_s = 0.2, .duration_s = 10},
                                      {.requests_per_s = 0.1, .duration_s = 10, .pause_s = 5}};
  const auto workload = drain_stages(std::make_unique<Listed>(std::vector<double>{1, 7, 13}),
                                     {.stages = stages, .stage_gaps = "poisson"});
  const Request first = workload->next().value();
  const Request second = workload->next().value();
  workload->follow_up(first, 8);
  workload->follow_up(second, 9);
  EXPECT_EQ(workload->next().value().arrival_s, 15);
}

/// Sessions of two turns, the second a second after the answer to the first.
class Talks final : public Workload {
 public:
  std::optional<Request> next() override {
    if (given_ == 2) return std::nullopt;
    ++given_;
    return Request{.id = RequestId{given_},
                   .arrival_s = 10.0 * given_ - 9,
                   .request_class = ClassId{given_},
                   .session = SessionId{given_},
                   .awaited = true};
  }
  std::optional<Request> follow_up(const Request& done, double finish_s) override {
    if (done.id == RequestId{9}) return std::nullopt;
    return Request{.id = RequestId{9}, .arrival_s = finish_s + 1, .session = done.session};
  }
  double fraction_read() const override { return 0; }

 private:
  std::uint16_t given_ = 0;
};

// By the clock the second session begins at 11, a second after its stage. The first one's answers come at 12 and 15.
TEST(DrainedStages, ASessionIsOverWithItsLastTurn) {
  const std::vector<StageSpec> stages{{.requests_per_s = 0.1, .duration_s = 10},
                                      {.requests_per_s = 0.1, .duration_s = 10}};
  const auto workload = drain_stages(std::make_unique<Talks>(), {.stages = stages});
  const Request first = workload->next().value();
  const Request turn = workload->follow_up(first, 12).value();
  EXPECT_EQ(turn.arrival_s, 13);
  EXPECT_EQ(turn.request_class, first.request_class);
  EXPECT_TRUE(turn.awaited);
  EXPECT_FALSE(workload->next());
  EXPECT_FALSE(workload->follow_up(turn, 15));
  EXPECT_EQ(workload->next().value().arrival_s, 16);
}

// The second stage of the first test comes at 28 and 30 beside another source, whose requests at 20 and 40 were given
// meanwhile; one at 29 lies between.
TEST(DrainedStages, AMixGoesOnMeanwhile) {
  const std::vector<StageSpec> stages{{.requests_per_s = 0.2, .duration_s = 10},
                                      {.requests_per_s = 0.2, .duration_s = 10, .pause_s = 5}};
  std::vector<std::unique_ptr<Workload>> sources;
  sources.push_back(drain_stages(std::make_unique<Listed>(std::vector<double>{1, 9, 16, 18}), {.stages = stages}));
  sources.push_back(std::make_unique<Listed>(std::vector<double>{20, 29, 40}));
  const auto mix = merge(std::move(sources));
  const Request first = mix->next().value();
  const Request second = mix->next().value();
  EXPECT_EQ(second.arrival_s, 9);
  EXPECT_EQ(mix->next().value().arrival_s, 20);
  mix->follow_up(second, 12);
  EXPECT_FALSE(mix->next_before(29));
  EXPECT_EQ(mix->next().value().arrival_s, 29);
  mix->follow_up(first, 22);
  EXPECT_EQ(mix->next_before(29).value().arrival_s, 28);
  EXPECT_FALSE(mix->next_before(29));
  EXPECT_EQ(mix->next().value().arrival_s, 30);
  EXPECT_EQ(mix->next().value().arrival_s, 40);
  EXPECT_FALSE(mix->next());
}

}  // namespace servecast::drained_stages_test
