#include "sim/input/trace/workload/workload_spec.h"

#include <algorithm>
#include <cassert>

#include "models/base/names.h"
#include "sim/input/trace/read/handed_trace.h"
#include "sim/input/trace/read/trace_file.h"
#include "sim/input/trace/workload/drained_stages.h"
#include "sim/input/trace/workload/merge.h"
#include "sim/input/trace/workload/stage_classes.h"

namespace servecast {
namespace {

std::string join_path(const std::string& above, const std::string& key) {
  return above.empty() ? key : above + "." + key;
}

/// The path of a source in a mix.
std::string mixed_path(const WorkloadContext& context, std::size_t i) {
  return join_path(context.path, "mix[" + std::to_string(i) + "]");
}

void check_transform(const TransformSpec& spec, const std::string& path, SpecProblems& problems) {
  if (spec.to_s && *spec.to_s <= spec.from_s) problems.add(path + ".to_s", "'to_s' must be after 'from_s'");
}

bool drains(const SourceSpec& spec) {
  return spec.generate && spec.generate->generate.arrivals.next_stage == "drained";
}

/// What a load test that waits for its stages cannot be combined with: stages are known by their numbers of
/// requests.
void check_drained(const SourceSpec& spec, const std::string& path, SpecProblems& problems) {
  const TransformSpec& t = spec.generate->transform;
  const std::string where = join_path(path, "generate.arrivals.next_stage");
  if (t.skip > 0 || t.limit || t.from_s > 0 || t.to_s || t.rate_scale != 1)
    problems.add(where, "'drained' stages are run whole; leave out skip, limit, from_s, to_s and rate_scale");
}

void check_pool(const SourceSpec& spec, const std::string& path, const WorkloadContext& context,
                SpecProblems& problems) {
  const std::string& pool = spec.labels.pool;
  if (pool.empty() || std::ranges::find(context.pools, pool) != context.pools.end()) return;
  problems.add(join_path(path, "pool"), unknown_name("pool", pool, context.pools));
}

void check_source(const SourceSpec& spec, const std::string& path, const WorkloadContext& context,
                  SpecProblems& problems) {
  if (drains(spec)) check_drained(spec, path, problems);
  if (spec.trace) check_transform(spec.trace->transform, join_path(path, "trace"), problems);
  if (spec.generate) {
    check_generator(spec.generate->generate, join_path(path, "generate"), problems);
    check_transform(spec.generate->transform, join_path(path, "generate"), problems);
  }
  check_pool(spec, path, context, problems);
  if (spec.labels.samples > 1 && spec.labels.beam_width > 1)
    problems.add(join_path(path, "beam_width"), "a request has several samples or a beam, not both: leave one at 1");
  if (spec.labels.request_class.find_first_of(",\r\n\"") != std::string::npos)
    problems.add(join_path(path, "class"), "'class' is a plain name, without commas, quotes or line breaks");
}

SpecProblems check(const WorkloadSpec& spec, const WorkloadContext& context) {
  SpecProblems problems(context.text);
  const auto given = [](const SourceSpec& s) {
    return std::vector<SpecProblems::Given>{{"trace", s.trace.has_value()}, {"generate", s.generate.has_value()}};
  };
  std::vector<SpecProblems::Given> top = given(spec.source);
  top.push_back({"mix", !spec.mix.empty()});
  problems.exactly_one(context.path, top);
  check_source(spec.source, context.path, context, problems);
  for (std::size_t i = 0; i < spec.mix.size(); ++i) {
    const std::string path = mixed_path(context, i);
    problems.exactly_one(path, given(spec.mix[i]));
    check_source(spec.mix[i], path, context, problems);
  }
  return problems;
}

/// What is wrong with a trace as a whole is a problem of the setting that names it, at `path`.
std::unique_ptr<Workload> open_named(const std::string& file, const TraceOptions& options, const std::string& path) {
  try {
    return open_trace(file, options);
  } catch (const UserError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      if (problem.path.empty()) problem.path = path;
    throw UserError(std::move(problems));
  }
}

/// `path`: of this source.
std::unique_ptr<Workload> make_unlabelled(const SourceSpec& spec, std::uint64_t source, const std::string& path,
                                          const WorkloadContext& context) {
  if (spec.generate)
    return transform(
        class_by_stage(make_generator(spec.generate->generate, context.seed, source, context.base_folder),
                       spec.generate->generate.arrivals, *context.notes),
        spec.generate->transform);
  const std::string suffix = source == 0 ? "" : "#" + std::to_string(source);
  const std::string file = (context.base_folder / spec.trace->path).string();
  const TraceOptions options{.format = spec.trace->format,
                             .source = source,
                             .session_starts = Rng(context.seed, "session_starts" + suffix),
                             .sessions_per_s = spec.trace->sessions_per_s,
                             .sessions_per_s_path = join_path(path, "trace.sessions_per_s"),
                             .notes = context.notes};
  const HandedTrace* handed = HandedTrace::named(spec.trace->path);
  return transform(
      handed != nullptr ? handed->open(options) : open_named(file, options, join_path(path, "trace.path")),
      spec.trace->transform);
}

std::unique_ptr<Workload> make_labelled(const SourceSpec& spec, std::uint64_t source, const std::string& path,
                                        const WorkloadContext& context) {
  std::unique_ptr<Workload> made = make_unlabelled(spec, source, path, context);
  const RequestLabels& labels = spec.labels;
  if (labels == RequestLabels{}) return made;
  const auto pool = labels.pool.empty() ? context.pools.begin() : std::ranges::find(context.pools, labels.pool);
  std::optional<ClassId> request_class;
  if (!labels.request_class.empty()) request_class = context.notes->classes.id(labels.request_class);
  std::optional<ClientId> client;
  if (!labels.client.empty()) client = context.notes->client_of_label(labels.client);
  return assign(std::move(made), {.pool = static_cast<PoolId>(pool - context.pools.begin()),
                                  .request_class = request_class,
                                  .client = client,
                                  .common = labels,
                                  .adapter_seed = context.seed + (source << 32)});
}

std::unique_ptr<Workload> make_source(const SourceSpec& spec, std::uint64_t source, const std::string& path,
                                      const WorkloadContext& context) {
  std::unique_ptr<Workload> made = make_labelled(spec, source, path, context);
  return drains(spec) ? drain_stages(std::move(made), spec.generate->generate.arrivals) : std::move(made);
}

}  // namespace

void SourceSpec::fields(Fields& f) {
  f.group("trace", trace, "replay a recorded trace");
  f.group("generate", generate, "make requests up by rule");
  labels.fields(f);
}

std::vector<Problem> workload_problems(const WorkloadSpec& spec, const WorkloadContext& context) {
  return check(spec, context).all();
}

std::unique_ptr<Workload> make_workload(const WorkloadSpec& spec, const WorkloadContext& context) {
  assert(context.notes != nullptr);
  if (const std::vector<Problem> problems = workload_problems(spec, context); !problems.empty())
    throw UserError(problems);
  std::vector<std::unique_ptr<Workload>> sources;
  if (spec.mix.empty()) sources.push_back(make_source(spec.source, 0, context.path, context));
  for (std::size_t i = 0; i < spec.mix.size(); ++i)
    sources.push_back(make_source(spec.mix[i], i, mixed_path(context, i), context));
  return merge(std::move(sources));
}

}  // namespace servecast
