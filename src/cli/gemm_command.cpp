// SPDX-License-Identifier: Apache-2.0
// `tileloom gemm`
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/counters.hpp"
#include "cli/gemm_follow.hpp"
#include "cli/gemm_run.hpp"
#include "cli/progress.hpp"
#include "render/finding_text.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

// Options as written; empty: not given.
struct Arguments {
  std::string a, b, output;
  std::string m, n, k, seed, distribution;
  std::string kernel, accumulate = "f32", backend = "auto", arch, stages, raster;
  std::string time, compare;
  bool timed = false;
  bool check = false;
  CountersArguments counters;
  std::string follow;
  bool verify = false;
  bool explain = false;
  bool json = false;
};

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::bad_input, message, hint);
}

Generated parse_generated(const Arguments& args) {
  constexpr std::array distributions{Distribution::normal, Distribution::uniform, Distribution::integers};
  for (const auto& [option, text] : {std::pair{"--m", &args.m}, {"--n", &args.n}, {"--k", &args.k}}) {
    if (text->empty()) {
      refuse(fmt::format("gemm: expected two files, or --m, --n and --k; found no {}", option),
             "tileloom gemm A.npy B.npy -o D.npy");
    }
  }
  Generated what;
  what.m = parse_size("--m", args.m);
  what.n = parse_size("--n", args.n);
  what.k = parse_size("--k", args.k);
  what.seed = args.seed.empty() ? 0 : parse_seed("--seed", args.seed);
  if (!args.distribution.empty()) {
    what.distribution = distributions[parse_word("--dist", args.distribution, {"normal", "uniform", "integers"})];
  }
  return what;
}

void parse_operands(const Arguments& args, GemmRequest& request) {
  if (args.a.empty()) {
    request.generated = parse_generated(args);
    return;
  }
  if (args.b.empty()) {
    refuse(fmt::format("gemm: expected two files, found one: {}", args.a),
           fmt::format("for A·Aᵀ name it twice: tileloom gemm {0} {0} -o D.npy", args.a));
  }
  for (const auto& [option, text] : {std::pair{"--m", &args.m},
                                     {"--n", &args.n},
                                     {"--k", &args.k},
                                     {"--seed", &args.seed},
                                     {"--dist", &args.distribution}}) {
    if (!text->empty()) {
      refuse(fmt::format("{}: expected no such option beside files, found {}", option, *text),
             "sizes and values are those of the files");
    }
  }
  request.a_path = args.a;
  request.b_path = args.b;
}

// Checks and counters are the emulator's: it runs even where there is a GPU.
void set_emulated(GemmRequest& request, const std::string& option) {
  if (request.options.backend == Backend::cuda) {
    refuse(option + ": expected the backend emulator, found cuda", "leave --backend out, or write --backend emulator");
  }
  request.options.backend = Backend::emulator;
}

GemmRequest parse_request(const Arguments& args) {
  constexpr std::array backends{Backend::automatic, Backend::cuda, Backend::emulator};
  constexpr std::array accumulates{Accumulate::f32, Accumulate::f16};
  GemmRequest request;
  if (args.timed) {  // first: the option may have taken a file's name
    request.time_rounds = static_cast<int>(parse_count("--time", args.time, 1, 1000));
  }
  parse_operands(args, request);
  request.accumulate = accumulates[parse_word("--accumulate", args.accumulate, {"f32", "f16"})];
  request.options.backend = backends[parse_word("--backend", args.backend, {"auto", "cuda", "emulator"})];
  request.options.kernel = args.kernel == "auto" ? "" : args.kernel;
  if (!args.arch.empty()) {
    request.options.arch = hw::parse_arch(args.arch);
  }
  if (!args.stages.empty()) {
    request.options.stages = static_cast<int>(parse_count("--stages", args.stages, 1, 99));
  }
  if (args.raster == "off") {
    request.options.raster_width = 0;
  } else if (!args.raster.empty() && args.raster != "auto") {
    request.options.raster_width = static_cast<std::uint32_t>(parse_count("--raster", args.raster, 1, 65535));
  }
  request.compare_cublas = !args.compare.empty() && parse_word("--compare", args.compare, {"none", "cublas"}) == 1;
  if (request.compare_cublas && !args.timed) {
    refuse("--compare: expected --time beside it, found none", "tileloom gemm ... --time --compare cublas");
  }
  if (args.check) {
    set_emulated(request, "--check");
    request.check = true;
  }
  request.counters = parse_counters(args.counters);
  if (request.counters) {
    set_emulated(request, "--counters");
  }
  if (!args.follow.empty()) {
    set_emulated(request, "--follow");
    request.follow = parse_matrix_element(args.follow);
  }
  request.output = args.output;
  request.verify = args.verify;
  request.explain = args.explain;
  request.json = args.json;
  return request;
}

std::vector<std::uint16_t> multiply(const GemmRequest& request, const GemmData& data, GemmOutcome& outcome) {
  constexpr std::uint16_t nan = 0x7FFF;  // an element that the kernel forgets fails verification
  std::vector<std::uint16_t> d(static_cast<std::size_t>(data.problem.m * data.problem.n), nan);
  Progress progress("emulating");
  LaunchControl control;
  control.check = request.check;
  control.count = request.counters.has_value();
  control.progress = [&](std::uint64_t done, std::uint64_t all) {
    progress.update(done, all);
    return true;
  };
  const GemmOperands operands{data.a.values.data(), data.b.values.data(), d.data()};
  if (request.follow) {
    outcome.sum = follow_element(*request.follow, data.problem, outcome.configuration, operands, control);
  }
  outcome.report = launch_host(data.problem, outcome.configuration, operands, control);
  return d;
}

void verify_product(const GemmData& data, const std::vector<std::uint16_t>& d, GemmOutcome& outcome) {
  const auto start = std::chrono::steady_clock::now();
  Progress progress("verifying");
  VerifyControl control;
  control.progress = [&](std::int64_t done, std::int64_t all) {
    progress.update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(all));
  };
  outcome.verification =
      verify(data.problem, outcome.configuration.arch, data.a.values.data(), data.b.values.data(), d.data(), control);
  outcome.verify_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string what_failed(const GemmOutcome& outcome) {
  if (outcome.verification && !outcome.verification->ok()) {
    return fmt::format("verification failed: {}", to_string(*outcome.verification->first));
  }
  return "check failed: " + render::count_findings(outcome.report.findings, outcome.report.uninitialised_reads);
}

int run_gemm(const GemmRequest& request, const std::vector<std::string>& argv) {
  const GemmData data = load_operands(request);
  if (request.follow) {
    static_cast<void>(followed_element(*request.follow, data.problem));
  }
  GemmOutcome outcome;
  outcome.configuration = configure(data.problem, request.options);
  // Opened before the work, like the file below: what cannot be done is known at once.
  std::unique_ptr<bench::Session> session;
  if (request.time_rounds > 0) {
    session = open_session(request, outcome.configuration);
  }
  // Opened before the work: a path that cannot be written is known at once.
  std::optional<npy::Writer> writer;
  if (!request.output.empty()) {
    writer.emplace(request.output);
  }
  if (!request.json) {
    print_headline(data, outcome.configuration);
  }
  const std::vector<std::uint16_t> d = multiply(request, data, outcome);
  if (request.verify) {
    verify_product(data, d, outcome);
  }
  const bool good = is_good(outcome);
  if (good && session && data.problem.m * data.problem.n * data.problem.k > 0) {
    outcome.timing = time_gemm(*session, request, data, outcome.configuration);
  }
  if (writer && good) {
    writer->write(data.problem.m, data.problem.n, d);
  }
  if (request.json) {
    print_outcome_json(request, argv, data, outcome);
  } else {
    print_outcome(request, data, outcome);
  }
  if (!good) {
    throw Error(ErrorKind::check_failed, what_failed(outcome),
                request.output.empty() ? "" : request.output + " was not written");
  }
  return 0;
}

void add_options(CLI::App& verb, Arguments& args) {
  verb.add_option("A", args.a, "left operand, M x K: a .npy file of float16 (or float32, which is rounded)");
  verb.add_option("B", args.b, "right operand, N x K: the product is A·Bᵀ");
  verb.add_option("-o,--output", args.output, "write D here (M x N, float16); complete or not at all");
  verb.add_option("--m", args.m, "without files: rows of A and D")->group("Generated operands");
  verb.add_option("--n", args.n, "without files: rows of B, columns of D")->group("Generated operands");
  verb.add_option("--k", args.k, "without files: columns of A and B")->group("Generated operands");
  verb.add_option("--seed", args.seed, "seed of the values [0]")->group("Generated operands");
  verb.add_option("--dist", args.distribution, "normal, uniform or integers [normal]")->group("Generated operands");
  verb.add_option("--kernel", args.kernel, "an instance or a family; `tileloom info` lists them [auto]");
  verb.add_option("--stages", args.stages, "shared-memory stages of a pipelined kernel, 2 to 5 [3; handwritten: 4]");
  verb.add_option("--raster", args.raster, "tile columns in a band of CTAs, or off [auto]");
  verb.add_option("--accumulate", args.accumulate, "f32 or f16: the type that products are summed in [f32]");
  verb.add_option("--backend", args.backend, "auto, cuda or emulator; auto takes a GPU if one is usable [auto]");
  verb.add_option("--arch", args.arch, "the GPU that the emulator models, for example sm_80 [sm_90]");
  CLI::Option* time = verb.add_option("--time", args.time, "on a GPU: time the product, in so many rounds [9]");
  time->expected(0, 1)->default_str("9")->each([&args](const std::string&) { args.timed = true; });
  verb.add_option("--compare", args.compare, "with --time: cublas, timed in turn with the kernel; or none [none]");
  verb.add_flag("--explain", args.explain, "say what was chosen and why, and how cuBLAS is asked for the same product");
  verb.add_flag("--check", args.check,
                "on the emulator: look for races and uninitialised reads; exit code 1 if there is one");
  add_counters_options(verb, args.counters);
  verb.add_option("--follow", args.follow, "on the emulator: where an element of A, B or D goes, for example A:0,9");
  verb.add_flag("--verify", args.verify, "check every element against a float64 product; exit code 1 if one is wrong");
  verb.add_flag("--json", args.json, "print one JSON object instead of text");
}

}  // namespace

void add_gemm_command(CLI::App& program, Invocation& invocation) {
  CLI::App* verb = add_verb(program, "gemm", "multiply matrices: D = A·Bᵀ in half precision on tensor cores");
  const auto args = std::make_shared<Arguments>();
  add_options(*verb, *args);
  verb->callback([args, &invocation] {
    invocation.run = [args, &invocation] { return run_gemm(parse_request(*args), invocation.argv); };
  });
}

}  // namespace tileloom::cli
