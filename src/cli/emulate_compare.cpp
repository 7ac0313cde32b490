// SPDX-License-Identifier: Apache-2.0
// Whether a launch was good, and what was not.
#include <fmt/format.h>

#include <cmath>

#include "cli/emulate_run.hpp"
#include "render/finding_text.hpp"

namespace tileloom::cli {
namespace {

// `y[3,0]`.
std::string element_name(const KernelArgument& argument, std::uint64_t index) {
  const auto& shape = std::get<BufferArgument>(argument.what).shape;
  std::vector<std::uint64_t> at(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    at[i] = index % static_cast<std::uint64_t>(shape[i]);
    index /= static_cast<std::uint64_t>(shape[i]);
  }
  return fmt::format("{}[{}]", argument.name, fmt::join(at, ","));
}

// Two NaN are equal, a NaN and a number are not.
bool close(long double found, long double expected, long double tolerance) {
  if (std::isnan(found) || std::isnan(expected)) {
    return std::isnan(found) && std::isnan(expected);
  }
  return found == expected || std::fabs(found - expected) <= tolerance;
}

}  // namespace

bool EmulateOutcome::good() const {
  bool right = !report.failure && report.findings.empty() && report.uninitialised_reads.empty();
  for (const Comparison& c : comparisons) {
    right &= c.wrong == 0;
  }
  return right;
}

Comparison compare(const KernelArgument& argument, const ExpectRequest& expected) {
  const auto& buffer = std::get<BufferArgument>(argument.what);
  const npy::Array& reference = expected.reference;
  const bool patterns = buffer.type->is_bf16 && reference.type == npy::Type::u16;
  const ElementType& type = patterns ? *buffer.type : element_type(reference.type);
  Comparison made;
  made.elements = static_cast<std::uint64_t>(reference.elements());
  for (std::uint64_t i = 0; i < made.elements; ++i) {
    const long double found = load_element(*buffer.type, buffer.bytes.data() + i * buffer.type->bytes());
    const long double wanted = load_element(type, reference.bytes.data() + i * type.bytes());
    if (close(found, wanted, expected.tolerance)) {
      continue;
    }
    if (made.wrong++ == 0) {
      made.first = fmt::format("{} is {}, expected {}", element_name(argument, i), value_text(*buffer.type, found),
                               value_text(type, wanted));
    }
  }
  return made;
}

std::string what_failed(const EmulateRequest& request, const EmulateOutcome& outcome) {
  if (outcome.report.failure) {
    return outcome.report.failure->message;
  }
  for (std::size_t i = 0; i < outcome.comparisons.size(); ++i) {
    const Comparison& c = outcome.comparisons[i];
    if (c.wrong > 0) {
      return fmt::format("{}: {} of {} elements differ from {}; the first: {}",
                         request.arguments[request.expectations[i].argument].name, c.wrong, c.elements,
                         request.expectations[i].path, c.first);
    }
  }
  return "check failed: " + render::count_findings(outcome.report.findings, outcome.report.uninitialised_reads);
}

}  // namespace tileloom::cli
