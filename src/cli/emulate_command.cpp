// SPDX-License-Identifier: Apache-2.0
// `tileloom emulate`
#include <fmt/format.h>

#include <iostream>
#include <limits>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/counters.hpp"
#include "cli/emulate_output.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

// Options as written; empty: not given.
struct Arguments {
  std::string file, entry, grid = "1", block, shared, arch, ignore, max_instructions;
  std::string delivery = "late", schedule, follow;
  CountersArguments counters;
  std::vector<std::string> arguments, saves, expectations;
  bool check = true;
  bool list = false;
  bool json = false;
};

// `X`, `X,Y` or `X,Y,Z`.
emu::Dim3 parse_dim3(const std::string& option, const std::string& text) {
  std::uint32_t extents[3] = {1, 1, 1};
  std::size_t begin = 0;
  for (std::uint32_t& extent : extents) {
    const std::size_t comma = text.find(',', begin);
    extent = static_cast<std::uint32_t>(parse_count(option, text.substr(begin, comma - begin), 1, 0x7FFFFFFF));
    if (comma == std::string::npos) {
      return {extents[0], extents[1], extents[2]};
    }
    begin = comma + 1;
  }
  throw Error(ErrorKind::bad_input, fmt::format("{}: expected X, X,Y or X,Y,Z, found '{}'", option, text));
}

emu::LaunchOptions parse_options(const Arguments& args) {
  if (args.block.empty()) {
    throw Error(ErrorKind::bad_input, "emulate: expected --block, found none", "for example --grid 8 --block 128");
  }
  emu::LaunchOptions options;
  options.grid = parse_dim3("--grid", args.grid);
  options.block = parse_dim3("--block", args.block);
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (!args.shared.empty()) {
    options.dynamic_shared_bytes = static_cast<std::uint32_t>(parse_count("--shared", args.shared, 0, most));
  }
  if (!args.arch.empty()) {
    options.arch = hw::parse_arch(args.arch);
  }
  if (!args.max_instructions.empty()) {
    options.max_instructions = static_cast<std::uint64_t>(
        parse_count("--max-instructions", args.max_instructions, 1, std::numeric_limits<std::int64_t>::max()));
  }
  options.check = args.check;
  options.delivery = parse_delivery(args.delivery);
  if (!args.schedule.empty()) {
    options.schedule = parse_seed("--schedule", args.schedule);
  }
  return options;
}

EmulateRequest parse_request(const Arguments& args) {
  EmulateRequest request;
  request.path = args.file;
  request.entry = args.entry;
  request.options = parse_options(args);
  for (const std::string& text : args.arguments) {
    request.arguments.push_back(parse_kernel_argument(text, request.arguments));
  }
  for (const std::string& text : args.saves) {
    SaveRequest save = parse_save(text, request.arguments);
    for (const SaveRequest& other : request.saves) {
      if (other.path == save.path) {
        throw Error(ErrorKind::bad_input,
                    fmt::format("--save: expected a file for each buffer, found {} twice", save.path));
      }
    }
    request.saves.push_back(std::move(save));
  }
  for (const std::string& text : args.expectations) {
    request.expectations.push_back(parse_expect(text, request.arguments));
  }
  if (!args.ignore.empty()) {
    request.ignores = read_ignore_file(args.ignore);
  }
  request.counters = parse_counters(args.counters);
  request.options.count = request.counters.has_value();
  if (!args.follow.empty()) {
    request.options.follow = parse_followed_argument(args.follow, request.arguments);
  }
  request.json = args.json;
  return request;
}

void print_entries(const std::vector<emu::Module>& modules, const std::string& path,
                   const std::vector<std::string>& argv, bool json) {
  if (!json) {
    entries_text(std::cout, modules);
    std::cout.flush();
    return;
  }
  Json report = json_report("tileloom.emulate-list/1", argv);
  report.update(entries_json(modules, path));
  print_json(report);
}

int run(const Arguments& args, const std::vector<std::string>& argv) {
  if (args.file.empty()) {
    throw Error(ErrorKind::bad_input, "emulate: expected a file with a kernel, found none",
                "PTX, an object or executable of nvcc's, or a .cu file");
  }
  if (args.list) {
    const hw::Arch arch = args.arch.empty() ? emu::LaunchOptions().arch : hw::parse_arch(args.arch);
    print_entries(load_modules(args.file, arch), args.file, argv, args.json);
    return 0;
  }
  EmulateRequest request = parse_request(args);
  return run_emulate(request, argv);
}

}  // namespace

void add_emulate_command(CLI::App& program, Invocation& invocation) {
  CLI::App* verb = add_verb(program, "emulate", "run any PTX kernel on the CPU, bit for bit, and look for races");
  const auto a = std::make_shared<Arguments>();
  const auto many = [&](const char* name, std::vector<std::string>& to, const char* text, const char* type) {
    verb->add_option(name, to, text)->type_name(type)->allow_extra_args(false);
  };
  verb->add_option("K", a->file, "PTX; a fatbin, object or executable of nvcc's; or a .cu, which nvcc compiles")
      ->type_name("FILE");
  verb->add_flag("--list", a->list, "show the kernels of the file and their parameters");
  verb->add_option("--entry", a->entry, "the kernel: any unambiguous part of its name [the only one]")
      ->type_name("NAME");
  verb->add_option("--grid", a->grid, "CTAs [1]")->type_name("X[,Y[,Z]]");
  verb->add_option("--block", a->block, "threads of a CTA")->type_name("X[,Y[,Z]]");
  verb->add_option("--shared", a->shared, "bytes of dynamic shared memory [0]")->type_name("BYTES");
  verb->add_option("--arch", a->arch, "the GPU that is modelled, for example sm_80 [sm_90]")->type_name("ARCH");
  many("--arg", a->arguments,
       "in the order of the parameters: f16[64,64]:normal:7, f32[100], x.npy, i32:5, bytes:HEX, @NAME", "NAME=VALUE");
  many("--save", a->saves, "write a buffer afterwards; complete or not at all", "NAME=FILE");
  many("--expect", a->expectations, "compare a buffer afterwards; exit code 1 if an element is further off",
       "NAME=FILE[:TOLERANCE]");
  verb->add_flag("--check,!--no-check", a->check,
                 "look for races and uninitialised reads; exit code 1 if there is one [on]");
  verb->add_option("--ignore", a->ignore, "findings that are accepted, one a line: KIND PLACE REASON")
      ->type_name("FILE");
  verb->add_option("--delivery", a->delivery, "when cp.async arrives: late, early or seed:N [late]")->type_name("WHEN");
  verb->add_option("--schedule", a->schedule, "run warps and CTAs in an order that this seed gives")->type_name("SEED");
  verb->add_option("--max-instructions", a->max_instructions, "end a CTA that runs more warp instructions")
      ->type_name("N");
  add_counters_options(*verb, a->counters);
  verb->add_option("--follow", a->follow, "where the 16 bits at this byte of a buffer go, for example x:18")
      ->type_name("NAME:BYTE");
  verb->add_flag("--json", a->json, "print one JSON object instead of text");
  verb->footer(
      "Not modelled: ptxas (its scheduling, registers, spills), time, caches, clusters, weak memory beyond what\n"
      "fences and barriers order. An instruction that is not supported is an error with its line.");
  verb->callback([a, &invocation] { invocation.run = [a, &invocation] { return run(*a, invocation.argv); }; });
}

}  // namespace tileloom::cli
