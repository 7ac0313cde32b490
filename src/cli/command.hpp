// SPDX-License-Identifier: Apache-2.0
// How a verb of the program is made.
//
// A verb is one file with one function `add_NAME_command`, declared here and listed in program.cpp. It adds its
// subcommand to the program and binds the options to a struct of its own; where the verb is called it sets
// `invocation.run`, which does the work after all arguments are known to be right, and gives the exit code. Failure is
// an Error. The examples that `--help` begins with are the first block of docs/cli/NAME.md.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace tileloom::cli {

struct Invocation {
  std::vector<std::string> argv;
  std::function<int()> run;
};

using AddCommand = void (*)(CLI::App& program, Invocation& invocation);

void add_atom_command(CLI::App& program, Invocation& invocation);
void add_bench_command(CLI::App& program, Invocation& invocation);
void add_check_command(CLI::App& program, Invocation& invocation);
void add_draw_command(CLI::App& program, Invocation& invocation);
void add_emulate_command(CLI::App& program, Invocation& invocation);
void add_gemm_command(CLI::App& program, Invocation& invocation);
void add_info_command(CLI::App& program, Invocation& invocation);
void add_layout_command(CLI::App& program, Invocation& invocation);
void add_trace_command(CLI::App& program, Invocation& invocation);

// A new verb, with the examples of its page in front of its help.
CLI::App* add_verb(CLI::App& program, const std::string& name, const std::string& description);

}  // namespace tileloom::cli
