// Gateway "jobs": requests become asynchronous jobs. The client hears at once that its job was taken, the job waits
// for workers, and the client is notified when it is done (queue and workers as with Kafka or RabbitMQ before a batch
// scheduler of Volcano's kind).
//
// Wins where no user sits and waits: a burst is worked off later at full use of the GPUs, the urgent goes first, and
// what would have timed out is an answer that comes later. Loses where users do wait: nothing streams, so the
// first token comes with the last. Order: smaller priority first (the workload's), then earlier deadline, then
// earlier arrival. No job overtakes one that waits before it in that order: a job of many parts, which starts only
// when so many workers are free (a gang: parts that wait for each other would hold workers for nothing), keeps
// narrower ones behind it waiting but is never starved by them. Volcano itself lets these go ahead. A client with a
// job's workers keeps every one until its answer is there.
#include <compare>
#include <map>
#include <set>

#include "models/policy/gateway.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {
namespace {

/// What is different for the jobs of a class.
struct JobClass {
  std::string request_class;
  std::optional<double> deadline_s{};
  std::optional<std::int64_t> parts{};
  void fields(Fields& f) {
    f.required("class", request_class, "class of requests");
    f.field("deadline_s", deadline_s, "from arrival; left out: as for all", positive);
    f.field("parts", parts, "workers that such a job takes; left out: as for all", at_least_one);
  }
};

struct JobsSettings {
  std::int64_t workers = 0;
  std::int64_t most_waiting = 0;
  std::optional<double> deadline_s{};
  std::optional<std::int64_t> parts{};
  std::vector<JobClass> classes{};
  std::string late = "finish";
  ServiceSettings acknowledgement{.median_s = 0.010};
  ServiceSettings notification{.median_s = 0.100};
  void fields(Fields& f) {
    f.required("workers", workers, "parts of jobs that are worked on at a time", at_least_one);
    f.field("most_waiting", most_waiting, "jobs that wait; beyond it they are refused; 0: any number");
    f.field("deadline_s", deadline_s, "from arrival until the client is to be notified; left out: none", positive);
    f.field("parts", parts, "workers that a job takes, all at once; left out: the width of the graph behind, or 1",
            at_least_one);
    f.list("classes", classes, "what is different for the jobs of a class; left out: nothing");
    f.field("late", late, "jobs at their deadline: finished all the same, or cancelled wherever they are",
            {"finish", "cancel"});
    f.group("acknowledgement", acknowledgement,
            "until the client knows that its job was taken; the job does not wait");
    f.group("notification", notification, "from the answer until the client knows");
  }
};

class Jobs final : public GatewayPolicy, private JobQueue {
 public:
  using Settings = JobsSettings;
  explicit Jobs(const Settings& settings)
      : settings_(settings),
        acknowledgement_(settings.acknowledgement),
        notification_(settings.notification),
        free_(settings.workers) {}

  std::vector<SettingProblem> problems() const override {
    std::vector<SettingProblem> all;
    const auto check = [&](std::optional<std::int64_t> parts, const std::string& where) {
      if (parts > settings_.workers)
        all.push_back({where + "parts", "a job of " + std::to_string(*parts) + " parts can never start with " +
                                            std::to_string(settings_.workers) + " workers"});
    };
    check(settings_.parts, "");
    std::set<std::string> seen;
    for (std::size_t i = 0; i < settings_.classes.size(); ++i) {
      const std::string where = "classes[" + std::to_string(i) + "]";
      check(settings_.classes[i].parts, where + ".");
      if (!seen.insert(settings_.classes[i].request_class).second)
        all.push_back({where, "there is an entry for this class already"});
    }
    if (settings_.late == "cancel" && !any_deadline())
      all.push_back({"late", "there is no deadline to cancel at: give 'deadline_s', or leave 'late' out"});
    return all;
  }
  RequestNeeds needs() const override { return {.priority = true}; }
  bool sees_answers() const override { return true; }
  void prepare(const GatewayContext& context) override {
    parts_ = settings_.parts.value_or(context.width);
    for (const JobClass& entry : settings_.classes) classes_.emplace(context.class_id(entry.request_class), entry);
  }
  JobQueue* jobs() override { return this; }

  StageAction arrive(const StageInput& input) override {
    input.note.number = 0;
    if (settings_.most_waiting > 0 && std::ssize(waiting_) >= settings_.most_waiting)
      return {.job = Job{.refused = true}};
    const auto own = classes_.find(input.outgoing.request.request_class);
    Job job{.acknowledged_s = acknowledgement_.call_s(input.now_s, input.rng), .parts = parts_};
    std::optional<double> deadline_s = settings_.deadline_s;
    if (own != classes_.end()) {
      job.parts = own->second.parts.value_or(parts_);
      if (own->second.deadline_s) deadline_s = own->second.deadline_s;
    }
    Request& request = input.outgoing.request;
    if (deadline_s) job.due_s = request.arrival_s + *deadline_s;
    request.give_up_s = settings_.late == "cancel" ? job.due_s.value_or(Request::forever) : Request::forever;
    input.outgoing.held = true;
    const Place place{.priority = request.priority,
                      .due_s = job.due_s.value_or(Request::forever),
                      .arrival_s = request.arrival_s,
                      .id = request.id};
    waiting_.insert(place);
    jobs_.emplace(request.id, Taken{.place = place, .parts = job.parts});
    return {.usd = acknowledgement_.usd(), .job = job};
  }
  GatewayVerdict answered(const StageInput& input, const GatewayAnswer&) override {
    return {.delay_s = notification_.call_s(input.now_s, input.rng), .usd = notification_.usd()};
  }

 private:
  struct Place {  // in the queue
    std::int32_t priority = 0;
    double due_s = 0;
    double arrival_s = 0;
    RequestId id{};
    auto operator<=>(const Place&) const = default;
  };
  struct Taken {
    Place place{};
    std::int64_t parts = 1;
    bool started = false;
  };

  bool any_deadline() const {
    return settings_.deadline_s ||
           std::ranges::any_of(settings_.classes, [](const JobClass& c) { return c.deadline_s.has_value(); });
  }

  std::optional<RequestId> start() override {
    if (waiting_.empty()) return std::nullopt;
    Taken& next = jobs_.at(waiting_.begin()->id);
    if (next.parts > free_) return std::nullopt;
    next.started = true;
    free_ -= next.parts;
    waiting_.erase(waiting_.begin());
    return next.place.id;
  }
  void over(RequestId id) override {
    const auto found = jobs_.find(id);
    if (found->second.started)
      free_ += found->second.parts;
    else
      waiting_.erase(found->second.place);
    jobs_.erase(found);
  }
  std::int64_t workers() const override { return settings_.workers; }
  std::optional<std::int64_t> widest() const override {
    if (settings_.parts) return std::nullopt;
    return settings_.workers;
  }

  Settings settings_;
  GatewayService acknowledgement_;
  GatewayService notification_;
  std::int64_t free_;
  std::int64_t parts_ = 1;
  std::map<ClassId, JobClass> classes_{};
  std::set<Place> waiting_{};
  std::map<RequestId, Taken> jobs_{};  // that wait or are worked on
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<Jobs>(
    "jobs", "requests become jobs: acknowledged at once, queued by priority and deadline, started as gangs");

}  // namespace
}  // namespace servecast
