// SPDX-License-Identifier: Apache-2.0
#include "cli/emulate_output.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "cli/counters_json.hpp"
#include "cli/finding_json.hpp"
#include "cli/follow.hpp"
#include "render/finding_text.hpp"
#include "render/follow_text.hpp"
#include "tileloom/hw/mma_numerics.hpp"

namespace tileloom::cli {
namespace {

std::string text_of(const emu::Dim3& d) {
  return fmt::format("({},{},{})", d.x, d.y, d.z);
}

Json json_of(const emu::Dim3& d) {
  return {d.x, d.y, d.z};
}

std::string shape_of(const BufferArgument& buffer) {
  return fmt::format("{} {}", fmt::join(buffer.shape, " x "),
                     buffer.type->is_bf16 ? "bf16, as uint16 patterns" : npy::to_string(buffer.type->stored));
}

void checked_text(std::ostream& out, const EmulateOutcome& outcome) {
  const emu::LaunchReport& report = outcome.report;
  fmt::print(out, "checked   {}{}\n", render::count_findings(report.findings, report.uninitialised_reads),
             outcome.ignored.count() == 0 ? "" : fmt::format("; {} ignored", outcome.ignored.count()));
  render::findings_text(out, report.findings, report.uninitialised_reads);
}

std::string tolerance_text(const ExpectRequest& expected) {
  return expected.tolerance == 0 ? "" : fmt::format(" within {}", static_cast<double>(expected.tolerance));
}

void compared_text(std::ostream& out, const EmulateRequest& request, const EmulateOutcome& outcome) {
  for (std::size_t i = 0; i < outcome.comparisons.size(); ++i) {
    const Comparison& c = outcome.comparisons[i];
    const ExpectRequest& expected = request.expectations[i];
    const std::string& name = request.arguments[expected.argument].name;
    if (c.wrong == 0) {
      fmt::print(out, "compared  {}: all {} elements equal those of {}{}\n", name, c.elements, expected.path,
                 tolerance_text(expected));
    } else {
      fmt::print(out, "compared  {}: {} of {} elements differ from {}; the first: {}\n", name, c.wrong, c.elements,
                 expected.path, c.first);
    }
  }
}

Json arguments_json(const EmulateRequest& request) {
  Json all = Json::array();
  for (const KernelArgument& argument : request.arguments) {
    const auto* buffer = std::get_if<BufferArgument>(&argument.what);
    all.push_back({{"name", argument.name},
                   {"given", argument.text},
                   {"type", type_text(argument, request.arguments)},
                   {"shape", buffer == nullptr ? Json(nullptr) : Json(buffer->shape)}});
  }
  return all;
}

Json comparisons_json(const EmulateRequest& request, const EmulateOutcome& outcome) {
  Json all = Json::array();
  for (std::size_t i = 0; i < outcome.comparisons.size(); ++i) {
    const Comparison& c = outcome.comparisons[i];
    all.push_back({{"argument", request.arguments[request.expectations[i].argument].name},
                   {"file", request.expectations[i].path},
                   {"tolerance", json_number(static_cast<double>(request.expectations[i].tolerance))},
                   {"elements", c.elements},
                   {"wrong", c.wrong},
                   {"first", c.first.empty() ? Json(nullptr) : Json(c.first)}});
  }
  return all;
}

void add_reasons(Json& findings, const std::vector<std::size_t>& by, const std::vector<IgnoreEntry>& entries) {
  for (std::size_t i = 0; i < by.size(); ++i) {
    findings[i]["reason"] = entries[by[i]].reason;
  }
}

Json ignored_json(const EmulateRequest& request, const EmulateOutcome& outcome) {
  Json findings = findings_json(outcome.ignored.findings);
  add_reasons(findings, outcome.ignored.finding_entries, request.ignores);
  Json reads = uninitialised_reads_json(outcome.ignored.uninitialised_reads);
  add_reasons(reads, outcome.ignored.read_entries, request.ignores);
  return {{"findings", std::move(findings)}, {"uninitialised_reads", std::move(reads)}};
}

std::string delivery_text(const emu::Delivery& delivery) {
  switch (delivery.when) {
    case emu::Delivery::When::late:
      return "late";
    case emu::Delivery::When::early:
      return "early";
    default:
      return fmt::format("seed:{}", delivery.seed);
  }
}

Json launch_json(const EmulateRequest& request) {
  const emu::LaunchOptions& o = request.options;
  return {{"arch", to_string(o.arch)},
          {"grid", json_of(o.grid)},
          {"block", json_of(o.block)},
          {"dynamic_shared_bytes", o.dynamic_shared_bytes},
          {"max_instructions", o.max_instructions == 0 ? Json(nullptr) : Json(o.max_instructions)},
          {"checked", o.check},
          {"delivery", delivery_text(o.delivery)},
          {"schedule", o.schedule ? Json(*o.schedule) : Json(nullptr)}};
}

}  // namespace

std::vector<std::string> emulate_notes(const EmulateRequest& request, const EmulateOutcome& outcome) {
  std::vector<std::string> notes = outcome.report.warnings;
  const hw::Arch arch = request.options.arch;
  if (const auto numerics = hw::mma_numerics_k16(arch); !numerics.measured) {
    notes.push_back(fmt::format("the tensor-core rounding of {} follows {}", to_string(arch), numerics.source));
  }
  if (outcome.report.failure) {
    return notes;  // what is ignored may come after the failure
  }
  for (const std::size_t i : outcome.ignored.unused) {
    const IgnoreEntry& entry = request.ignores[i];
    notes.push_back(fmt::format("{}:{}: nothing was found that this entry ignores", entry.file, entry.line));
  }
  return notes;
}

void emulate_headline(std::ostream& out, const EmulateRequest& request, const std::string& kernel) {
  const emu::LaunchOptions& o = request.options;
  fmt::print(out, "{}, grid {}, block {}, {} bytes of dynamic shared memory, {}\n", kernel, text_of(o.grid),
             text_of(o.block), o.dynamic_shared_bytes, to_string(o.arch));
}

void emulate_text(std::ostream& out, const EmulateRequest& request, const EmulateOutcome& outcome) {
  const emu::Dim3& grid = request.options.grid;
  const std::uint64_t ctas = std::uint64_t{grid.x} * grid.y * grid.z;
  if (outcome.report.failure) {
    fmt::print(out, "stopped   {}\n", outcome.report.failure->message);
  } else {
    fmt::print(out, "ran       {} CTA{} in {:.3f} s, {} warp instructions\n", ctas, ctas == 1 ? "" : "s",
               outcome.seconds, outcome.report.warp_instructions);
  }
  if (request.options.check) {
    checked_text(out, outcome);
  }
  compared_text(out, request, outcome);
  if (outcome.report.counters) {
    render::counters_text(out, *outcome.report.counters, *request.counters);
  }
  if (outcome.report.provenance) {
    render::follow_text(out, *outcome.report.provenance, *request.options.follow->element, {});
  }
  for (const SaveRequest& save : request.saves) {
    if (outcome.good()) {
      fmt::print(out, "wrote     {}: {}\n", save.path,
                 shape_of(std::get<BufferArgument>(request.arguments[save.argument].what)));
    }
  }
}

Json emulate_json(const EmulateRequest& request, const EmulateOutcome& outcome) {
  const emu::LaunchReport& report = outcome.report;
  const bool checked = request.options.check;
  Json json = Json::object();
  json["file"] = request.path;
  json["kernel"] = {{"name", outcome.kernel}, {"ptx_name", outcome.mangled}};
  json["launch"] = launch_json(request);
  json["arguments"] = arguments_json(request);
  json["run"] = {{"seconds", outcome.seconds}, {"warp_instructions", report.warp_instructions}};
  json["failure"] =
      report.failure ? Json{{"kind", report.failure->kind}, {"message", report.failure->message}} : Json(nullptr);
  json["findings"] = checked ? findings_json(report.findings) : Json(nullptr);
  json["uninitialised_reads"] = checked ? uninitialised_reads_json(report.uninitialised_reads) : Json(nullptr);
  json["ignored"] = checked ? ignored_json(request, outcome) : Json(nullptr);
  json["comparisons"] = comparisons_json(request, outcome);
  json["counters"] = report.counters ? counters_json(*report.counters) : Json(nullptr);
  json["followed"] = report.provenance ? provenance_json(*report.provenance) : Json(nullptr);
  json["saved"] = Json::array();
  for (const SaveRequest& save : request.saves) {
    if (outcome.good()) {
      json["saved"].push_back({{"argument", request.arguments[save.argument].name}, {"file", save.path}});
    }
  }
  json["notes"] = emulate_notes(request, outcome);
  return json;
}

}  // namespace tileloom::cli
