// SPDX-License-Identifier: Apache-2.0
#include "cli/counters.hpp"

#include <cstdio>
#include <iostream>

#include "cli/arguments.hpp"

namespace tileloom::cli {
void add_counters_options(CLI::App& verb, CountersArguments& args) {
  verb.add_flag("--counters", args.given,
                "on the emulator: count what each source line executes, its shared wavefronts and global sectors");
  verb.add_option("--counters-by", args.by, "the same, by line or instruction [line]");
}

std::optional<render::CountersBy> parse_counters(const CountersArguments& args) {
  if (!args.given && args.by.empty()) {
    return std::nullopt;
  }
  const bool by_instruction = !args.by.empty() && parse_word("--counters-by", args.by, {"line", "instruction"}) == 1;
  return by_instruction ? render::CountersBy::instruction : render::CountersBy::line;
}

void print_counters(const emu::Counters& counters, render::CountersBy by) {
  std::fflush(stdout);
  render::counters_text(std::cout, counters, by);
  std::cout.flush();
}

}  // namespace tileloom::cli
