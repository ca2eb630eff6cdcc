#pragma once
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace servecast {

struct ComparedStep;
struct Llm;
struct StepModel;
struct StepSample;

/// The shard whose steps are measured. Throws UserError where our kernels cannot run it.
Llm measured_shard(const StepModel& model);

/// Steps of one model beside what a profile (a bundled name or a file) says of them.
std::vector<ComparedStep> compared_with(const std::string& profile, const StepModel& model,
                                        std::span<const StepSample> samples);

/// "llama-3.1-8b, 4 layers: 90 steps, ..."
void print_step_errors(std::ostream& out, const StepModel& model, std::span<const ComparedStep> steps);

}  // namespace servecast
