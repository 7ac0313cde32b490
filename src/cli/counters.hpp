// SPDX-License-Identifier: Apache-2.0
// `--counters` of the verbs that run a kernel in the emulator.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/counters_json.hpp"
#include "render/counters_text.hpp"
#include "tileloom/emu/counters.hpp"

namespace tileloom::cli {

// As written.
struct CountersArguments {
  bool given = false;
  std::string by;
};

void add_counters_options(CLI::App& verb, CountersArguments& args);

// Nothing where neither option is given. Throws Error(bad_input) for an unknown word.
[[nodiscard]] std::optional<render::CountersBy> parse_counters(const CountersArguments& args);

// To stdout.
void print_counters(const emu::Counters& counters, render::CountersBy by);

}  // namespace tileloom::cli
