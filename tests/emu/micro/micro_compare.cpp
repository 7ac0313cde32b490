// SPDX-License-Identifier: Apache-2.0
#include "emu/micro/micro_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tileloom/emu/float16.hpp"

namespace tileloom::emu::test {
namespace {

using U64 = std::uint64_t;

// A floating-point format by its name, for distances.
struct Format {
  unsigned bits;
  double (*value)(U64);
};

Format format_of(const std::string& kind) {
  if (kind == "f64") return {64, [](U64 x) { return std::bit_cast<double>(x); }};
  if (kind == "f32") return {32, [](U64 x) { return double{std::bit_cast<float>(static_cast<std::uint32_t>(x))}; }};
  if (kind.starts_with("bf16")) return {16, [](U64 x) { return to_f64<bf16_format>(static_cast<std::uint16_t>(x)); }};
  return {16, [](U64 x) { return to_f64<f16_format>(static_cast<std::uint16_t>(x)); }};
}

// How many numbers of the format lie between the two.
double distance(const Format& format, U64 a, U64 b) {
  const U64 sign = U64{1} << (format.bits - 1);
  const U64 x = a & (sign - 1);
  const U64 y = b & (sign - 1);
  if (((a ^ b) & sign) != 0) return static_cast<double>(x + y);
  return static_cast<double>(x > y ? x - y : y - x);
}

// Whether a result is within its bound; keeps the largest distances.
bool within(const Format& format, U64 expected, U64 found, const Tolerance& tolerance, Comparison& made) {
  if (expected == found) return true;
  const double x = format.value(expected);
  const double y = format.value(found);
  if (std::isnan(x) || std::isnan(y)) return false;
  const double ulps = distance(format, expected, found);
  const double difference = std::fabs(x - y);
  if (tolerance.absolute > 0 && difference <= tolerance.absolute) {
    made.absolute = std::max(made.absolute, difference);
    return true;
  }
  made.ulps = std::max(made.ulps, ulps);
  return ulps <= tolerance.ulps;
}

bool within(const MicroCase& c, U64 expected, U64 found, Comparison& made) {
  const Format format = format_of(c.inputs.at(0));
  const U64 mask = format.bits == 64 ? ~U64{0} : (U64{1} << format.bits) - 1;
  for (unsigned at = 0; at < register_bits(c.results[0]); at += format.bits) {
    if (!within(format, expected >> at & mask, found >> at & mask, c.tolerance, made)) return false;
  }
  return true;
}

}  // namespace

U64 cut_to_register(const std::string& name, U64 value) {
  const unsigned bits = register_bits(name);
  return bits == 64 ? value : value & ((U64{1} << bits) - 1);
}

Comparison compare(const MicroCase& c, const MicroRecord& record, std::span<const U64> stored) {
  Comparison made;
  const bool bounded = c.tolerance.ulps != 0 || c.tolerance.absolute != 0;
  for (std::size_t thread = 0; thread < whole_threads(c); ++thread) {
    for (std::size_t i = 0; i < c.results.size(); ++i) {
      const U64 expected = recorded(c, record, thread, i);
      const U64 found = cut_to_register(c.results[i], stored[thread * c.results.size() + i]);
      if (expected == found) continue;
      made.agreement = Agreement::within;
      if (bounded && within(c, expected, found, made)) continue;
      return {Agreement::differs, made.ulps, made.absolute,
              fmt::format("thread {}: expected {} = {:#x}, found {:#x}", thread, c.results[i], expected, found),
              thread};
    }
  }
  const std::vector<std::uint32_t> checksums = micro_checksums(c, stored);
  for (std::size_t cta = 0; !bounded && cta < record.checksums.size(); ++cta) {
    if (checksums[cta] != record.checksums[cta]) {
      return {Agreement::differs, 0, 0, fmt::format("the results of CTA {} have another checksum", cta), std::nullopt};
    }
  }
  return made;
}

}  // namespace tileloom::emu::test
