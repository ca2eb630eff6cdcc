#include "sim/input/trace/workload/transform.h"

#include <algorithm>
#include <cmath>

#include "models/base/mixed_bits.h"

#include "models/base/rng.h"
#include "sim/input/trace/generate/distribution.h"

namespace servecast {
namespace {

/// Leaves out requests at the start and the end, and moves time so that what is kept begins at 0.
class Slice final : public Workload {
 public:
  Slice(std::unique_ptr<Workload> source, const TransformSpec& spec) : source_(std::move(source)), spec_(spec) {}

  std::optional<Request> next() override {
    if (given_ == spec_.limit) return std::nullopt;
    std::optional<Request> request = source_->next();
    while (request && (request->arrival_s < spec_.from_s || skipped_ < spec_.skip)) {
      if (request->arrival_s >= spec_.from_s) ++skipped_;
      request = source_->next();
    }
    if (!request || (spec_.to_s && request->arrival_s >= *spec_.to_s)) return std::nullopt;
    if (!origin_s_) origin_s_ = spec_.skip > 0 ? request->arrival_s : spec_.from_s;
    ++given_;
    request->arrival_s -= *origin_s_;
    return request;
  }
  std::optional<Request> follow_up(const Request& done, double finish_s) override {
    const double source_finish_s = finish_s + origin_s_.value_or(0);
    std::optional<Request> request = source_->follow_up(done, source_finish_s);
    if (request) request->arrival_s = finish_s + (request->arrival_s - source_finish_s);
    return request;
  }
  double fraction_read() const override {
    const double read = source_->fraction_read();
    if (!spec_.limit) return read;
    return std::max(read, static_cast<double>(given_) / static_cast<double>(std::max<std::int64_t>(*spec_.limit, 1)));
  }

 private:
  std::unique_ptr<Workload> source_;
  TransformSpec spec_;
  std::optional<double> origin_s_;  // this time of the source is 0 here
  std::int64_t skipped_ = 0;        // inside the window
  std::int64_t given_ = 0;
};

/// Speeds up arrivals. People do not think faster, so think times stay.
class RateScale final : public Workload {
 public:
  RateScale(std::unique_ptr<Workload> source, double scale) : source_(std::move(source)), scale_(scale) {}

  std::optional<Request> next() override {
    std::optional<Request> request = source_->next();
    if (request) request->arrival_s /= scale_;
    return request;
  }
  std::optional<Request> follow_up(const Request& done, double finish_s) override {
    const double source_finish_s = finish_s * scale_;
    std::optional<Request> request = source_->follow_up(done, source_finish_s);
    if (request) request->arrival_s = finish_s + (request->arrival_s - source_finish_s);
    return request;
  }
  double fraction_read() const override { return source_->fraction_read(); }

 private:
  std::unique_ptr<Workload> source_;
  double scale_;
};

/// Changes each request by itself.
template <class Change>
class Changed final : public Workload {
 public:
  Changed(std::unique_ptr<Workload> source, Change change) : source_(std::move(source)), change_(change) {}

  std::optional<Request> next() override { return changed(source_->next()); }
  std::optional<Request> follow_up(const Request& done, double finish_s) override {
    return changed(source_->follow_up(done, finish_s));
  }
  double fraction_read() const override { return source_->fraction_read(); }

 private:
  std::optional<Request> changed(std::optional<Request> request) {
    if (request) change_(*request);
    return request;
  }
  std::unique_ptr<Workload> source_;
  Change change_;
};

/// At least one token stays one.
std::int64_t scaled(std::int64_t tokens, double scale) {
  return std::max<std::int64_t>(std::min<std::int64_t>(tokens, 1), std::llround(static_cast<double>(tokens) * scale));
}

struct Lengths {
  double prompt_scale = 1;
  double output_scale = 1;

  void operator()(Request& request) const {
    request.output_tokens = scaled(request.output_tokens, output_scale);
    if (request.block_tokens == 0) request.prompt_tokens = scaled(request.prompt_tokens, prompt_scale);
  }
};

struct Cold {
  double share = 0;

  void operator()(Request& request) const {
    if (static_cast<double>(mixed_bits(index(request.id)) >> 11) * 0x1p-53 >= share) return;
    request.prefix_blocks = {};
    request.said_blocks = {};
    request.block_tokens = 0;
  }
};

struct Caps {
  std::optional<std::int64_t> max_prompt_tokens{};
  std::optional<std::int64_t> max_output_tokens{};

  void operator()(Request& request) const {
    if (max_output_tokens) request.output_tokens = std::min(request.output_tokens, *max_output_tokens);
    if (!max_prompt_tokens || request.prompt_tokens <= *max_prompt_tokens) return;
    request.prompt_tokens = *max_prompt_tokens;
    request.said_blocks = {};
    if (request.block_tokens == 0) return;
    const auto whole_blocks = static_cast<std::size_t>(request.prompt_tokens / request.block_tokens);
    request.prefix_blocks = request.prefix_blocks.first(std::min(request.prefix_blocks.size(), whole_blocks));
  }
};

void add_images(Request& request, const ImagesSpec& images) {
  request.images = static_cast<std::int32_t>(std::min(images.count, request.prompt_tokens / images.tokens));
  request.image_tokens = static_cast<std::int32_t>(images.tokens);
}

struct Labelled {
  Labels labels;

  void operator()(Request& request) const {
    request.pool = labels.pool;
    request.request_class = labels.request_class.value_or(request.request_class);
    request.client = labels.client.value_or(request.client);
    request.priority = static_cast<std::int32_t>(labels.common.priority.value_or(request.priority));
    request.samples = static_cast<std::int32_t>(labels.common.samples);
    request.beam_width = static_cast<std::int32_t>(labels.common.beam_width);
    if (labels.common.images) add_images(request, *labels.common.images);
    request.deadline_s = request.arrival_s + labels.common.ttft_deadline_s.value_or(Request::forever);
    request.give_up_s = request.arrival_s + labels.common.client_timeout_s.value_or(Request::forever);
  }
};

/// Gives every request an adapter; those of one session the same.
class NamesAdapters {
 public:
  NamesAdapters(const AdapterNamesSpec& spec, std::uint64_t seed)
      : popularity_(zipf_weights(1, spec.count, spec.zipf_exponent)),
        first_(static_cast<std::uint64_t>(spec.first)),
        seed_(seed),
        rng_(seed, "adapters") {}

  void operator()(Request& request) {
    const bool single = request.session == SessionId{};
    Rng of_session(seed_ + index(request.session), "adapters of sessions");
    request.adapter = AdapterId{static_cast<std::uint32_t>(first_ + popularity_.draw(single ? rng_ : of_session))};
  }

 private:
  WeightedIndex popularity_;
  std::uint64_t first_;
  std::uint64_t seed_;
  Rng rng_;
};

}  // namespace

std::unique_ptr<Workload> transform(std::unique_ptr<Workload> source, const TransformSpec& spec) {
  if (spec.skip > 0 || spec.limit || spec.from_s > 0 || spec.to_s)
    source = std::make_unique<Slice>(std::move(source), spec);
  if (spec.rate_scale != 1) source = std::make_unique<RateScale>(std::move(source), spec.rate_scale);
  if (spec.prompt_scale || spec.output_scale)
    source = std::make_unique<Changed<Lengths>>(std::move(source),
                                                Lengths{spec.prompt_scale.value_or(1), spec.output_scale.value_or(1)});
  if (spec.cold_fraction) source = std::make_unique<Changed<Cold>>(std::move(source), Cold{*spec.cold_fraction});
  if (spec.max_prompt_tokens || spec.max_output_tokens)
    source = std::make_unique<Changed<Caps>>(std::move(source), Caps{spec.max_prompt_tokens, spec.max_output_tokens});
  return source;
}

std::unique_ptr<Workload> assign(std::unique_ptr<Workload> source, const Labels& labels) {
  if (labels.common.adapters)
    source = std::make_unique<Changed<NamesAdapters>>(std::move(source),
                                                      NamesAdapters(*labels.common.adapters, labels.adapter_seed));
  return std::make_unique<Changed<Labelled>>(std::move(source), Labelled{labels});
}

}  // namespace servecast
