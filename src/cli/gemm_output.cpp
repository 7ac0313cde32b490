// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "bench/cublas.hpp"
#include "cli/bench_json.hpp"
#include "cli/finding_json.hpp"
#include "cli/gemm_follow.hpp"
#include "cli/gemm_json.hpp"
#include "cli/gemm_run.hpp"
#include "cli/report.hpp"
#include "cli/say.hpp"
#include "render/bench_text.hpp"
#include "render/finding_text.hpp"

namespace tileloom::cli {
namespace {

std::string verdict(const VerifyReport& v) {
  if (!v.ok()) {
    return fmt::format("{} of {} elements are wrong; the first: {}", v.wrong, v.elements, to_string(*v.first));
  }
  if (v.elements == 0) {
    return "nothing to verify: D has no elements";
  }
  if (v.exact) {
    return fmt::format("all {} elements equal the exact product, rounded once to f16", v.elements);
  }
  return fmt::format("all {} elements are within the bound; largest error {:.3g} at D({},{}), where {:.3g} is allowed",
                     v.elements, v.max_error, v.max_row, v.max_col, v.bound_at_max);
}

Json inputs_json(const GemmRequest& request) {
  if (request.generated) {
    return {{"distribution", to_string(request.generated->distribution)}, {"seed", request.generated->seed}};
  }
  return {{"a", request.a_path}, {"b", request.b_path}};
}

Json run_json(const GemmOutcome& outcome) {
  const bool emulated = outcome.configuration.backend == Backend::emulator;
  return {{"seconds", outcome.report.seconds},
          {"warp_instructions", emulated ? Json(outcome.report.warp_instructions) : Json(nullptr)},
          {"warnings", outcome.report.warnings}};
}

Json timing_json(const GemmOutcome& outcome) {
  if (!outcome.timing) {
    return nullptr;
  }
  return {{"environment", environment_json(outcome.timing->environment)},
          {"method", method_json(outcome.timing->plan)},
          {"contenders", contenders_json(outcome.timing->result)}};
}

Json mismatch_json(const std::optional<Mismatch>& m) {
  if (!m) {
    return nullptr;
  }
  return {{"row", m->row},
          {"col", m->col},
          {"value", json_number(m->value)},
          {"expected", json_number(m->expected)},
          {"bound", json_number(m->bound)}};
}

Json verification_json(const GemmOutcome& outcome) {
  if (!outcome.verification) {
    return nullptr;
  }
  const VerifyReport& v = *outcome.verification;
  return {{"ok", v.ok()},
          {"elements", v.elements},
          {"wrong", v.wrong},
          {"exact", v.exact},
          {"max_error", json_number(v.max_error)},
          {"max_error_row", v.max_row},
          {"max_error_col", v.max_col},
          {"bound_at_max_error", json_number(v.bound_at_max)},
          {"first_mismatch", mismatch_json(v.first)},
          {"seconds", outcome.verify_seconds}};
}

}  // namespace

bool is_good(const GemmOutcome& outcome) {
  return (!outcome.verification || outcome.verification->ok()) && outcome.report.findings.empty() &&
         outcome.report.uninitialised_reads.empty();
}

void print_headline(const GemmData& data, const GemmConfiguration& configuration) {
  fmt::print("{}, kernel {}, backend {}, {}\n", to_string(data.problem), configuration.kernel,
             to_string(configuration.backend), to_string(configuration.arch));
  std::fflush(stdout);
}

std::vector<std::string> notes_of(const GemmData& data, const GemmOutcome& outcome) {
  std::vector<std::string> notes = data.notes;
  const GemmConfiguration& c = outcome.configuration;
  if (const auto numerics = hw::mma_numerics_k16(c.arch); c.backend == Backend::emulator && !numerics.measured) {
    notes.push_back(fmt::format("the tensor-core rounding of {} follows {}", to_string(c.arch), numerics.source));
  }
  notes.insert(notes.end(), outcome.report.warnings.begin(), outcome.report.warnings.end());
  return notes;
}

void print_explanation(const GemmData& data, const GemmConfiguration& configuration) {
  fmt::print("{}\n", to_string(configuration));
  std::istringstream lines(bench::explain_cublas_call(data.problem));
  const char* head = "cublas";
  for (std::string line; std::getline(lines, line); head = "") {
    fmt::print("{:<9} {}\n", head, line);
  }
}

void print_findings(const GemmReport& report) {
  fmt::print("checked   {}\n", render::count_findings(report.findings, report.uninitialised_reads));
  std::fflush(stdout);
  render::findings_text(std::cout, report.findings, report.uninitialised_reads);
  std::cout.flush();
}

void print_followed(const GemmRequest& request, const GemmData& data, const GemmOutcome& outcome) {
  std::fflush(stdout);
  followed_text(std::cout, *request.follow, data.problem, *outcome.report.provenance, outcome.sum);
  std::cout.flush();
}

void print_outcome(const GemmRequest& request, const GemmData& data, const GemmOutcome& outcome) {
  for (const std::string& note : notes_of(data, outcome)) {
    say(fmt::format("note: {}\n", note));
  }
  if (request.explain) {
    print_explanation(data, outcome.configuration);
  } else {
    for (const std::string& reason : outcome.configuration.reasons) {
      fmt::print("because   {}\n", reason);
    }
  }
  const bool emulated = outcome.configuration.backend == Backend::emulator;
  fmt::print("ran       {} CTAs in {:.3f} s{}\n", outcome.configuration.ctas, outcome.report.seconds,
             emulated ? fmt::format(", {} warp instructions", outcome.report.warp_instructions)
                      : std::string(", copies to and from the GPU included"));
  if (request.check) {
    print_findings(outcome.report);
  }
  if (outcome.report.counters) {
    print_counters(*outcome.report.counters, *request.counters);
  }
  if (outcome.report.provenance) {
    print_followed(request, data, outcome);
  }
  if (outcome.verification) {
    fmt::print("verified  {}\n", verdict(*outcome.verification));
  }
  if (outcome.timing) {
    fmt::print("gpu       {}\n", render::environment_line(outcome.timing->environment));
    std::cout.flush();
    render::timing_text(std::cout, outcome.timing->result);
    std::cout.flush();
  }
  if (!request.output.empty() && is_good(outcome)) {
    fmt::print("wrote     {}: {} x {} float16\n", request.output, data.problem.m, data.problem.n);
  }
}

void print_outcome_json(const GemmRequest& request, const std::vector<std::string>& argv, const GemmData& data,
                        const GemmOutcome& outcome) {
  Json json = json_report("tileloom.gemm/1", argv);
  json["problem"] = problem_json(data.problem);
  json["inputs"] = inputs_json(request);
  json["configuration"] = configuration_json(outcome.configuration);
  json["run"] = run_json(outcome);
  json["verification"] = verification_json(outcome);
  json["findings"] = request.check ? findings_json(outcome.report.findings) : Json(nullptr);
  json["uninitialised_reads"] =
      request.check ? uninitialised_reads_json(outcome.report.uninitialised_reads) : Json(nullptr);
  json["counters"] = outcome.report.counters ? counters_json(*outcome.report.counters) : Json(nullptr);
  json["followed"] = outcome.report.provenance ? followed_json(*request.follow, *outcome.report.provenance, outcome.sum)
                                               : Json(nullptr);
  json["timing"] = timing_json(outcome);
  if (request.explain) {
    json["cublas_call"] = bench::explain_cublas_call(data.problem);
  }
  json["output"] = request.output.empty() ? Json(nullptr) : Json(request.output);
  json["notes"] = notes_of(data, outcome);
  print_json(json);
}

}  // namespace tileloom::cli
