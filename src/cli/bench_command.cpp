// SPDX-License-Identifier: Apache-2.0
// `tileloom bench`
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <memory>

#include "bench/articles.hpp"
#include "cli/arguments.hpp"
#include "cli/bench_json.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "gemm/generate.hpp"
#include "render/bench_text.hpp"
#include "text/atomic_file.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

constexpr double warm_up_seconds = 3;
constexpr std::int64_t largest_size = 32768;  // 2 GiB a matrix

// Options as written; empty: not given.
struct Arguments {
  std::string article, sizes, rounds, seed, output;
  bool json = false;
};

struct BenchRequest {
  bench::Sweep sweep;
  bench::Plan plan;
  std::uint64_t seed = 0;
  std::string output;  // empty: no file
  bool json = false;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::int64_t parse_matrix_size(const std::string& text) {
  return parse_count("--sizes", text, 1, largest_size);
}

// `1024,8192` or `256:16384:256`
std::vector<std::int64_t> parse_sizes(const std::string& text) {
  std::vector<std::int64_t> sizes;
  if (text.find(':') == std::string::npos) {
    std::ranges::transform(split(text, ','), std::back_inserter(sizes), parse_matrix_size);
    return sizes;
  }
  const std::vector<std::string> range = split(text, ':');
  if (range.size() != 3) {
    throw Error(ErrorKind::bad_input, fmt::format("--sizes: expected FIRST:LAST:STEP, found '{}'", text),
                "for example 256:4096:256, or a list such as 1024,4096");
  }
  const std::int64_t first = parse_matrix_size(range[0]);
  const std::int64_t last = parse_matrix_size(range[1]);
  const std::int64_t step = parse_matrix_size(range[2]);
  if (last < first) {
    throw Error(ErrorKind::bad_input, fmt::format("--sizes: expected LAST of at least FIRST, found '{}'", text));
  }
  for (std::int64_t size = first; size <= last; size += step) {
    sizes.push_back(size);
  }
  return sizes;
}

BenchRequest parse_request(const Arguments& args) {
  BenchRequest request;
  if (args.article.empty()) {
    throw Error(ErrorKind::bad_input, "bench: expected --article 1 or --article 2, found neither",
                "tileloom bench --article 2");
  }
  request.sweep = bench::article(static_cast<int>(parse_count("--article", args.article, 1, 2)));
  if (!args.sizes.empty()) {
    request.sweep.sizes = parse_sizes(args.sizes);
  }
  if (!args.rounds.empty()) {
    request.plan.rounds = static_cast<int>(parse_count("--rounds", args.rounds, 1, 1000));
  }
  request.seed = args.seed.empty() ? 0 : parse_seed("--seed", args.seed);
  request.output = args.output;
  request.json = args.json;
  return request;
}

std::string utc_date() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

GemmProblem square(std::int64_t size, Accumulate accumulate) {
  return dense_problem(size, size, size, accumulate);
}

std::vector<bench::ShapeResult> run_sweep(bench::Session& session, const BenchRequest& request) {
  const bench::Sweep& sweep = request.sweep;
  const std::int64_t largest = *std::ranges::max_element(sweep.sizes);
  const std::vector<std::uint16_t> a = generate(Distribution::normal, request.seed, 0, largest * largest);
  const std::vector<std::uint16_t> b = generate(Distribution::normal, request.seed, 1, largest * largest);
  session.load({a.data(), b.data()}, largest * largest, largest * largest);
  session.warm_up(square(largest, sweep.accumulate), warm_up_seconds);
  if (!request.json) {
    std::cout << sweep.title << '\n' << render::environment_line(session.environment()) << '\n';
    fmt::print(
        "TFLOPS at the median of {} rounds, {} accumulation, normal data, hot buffers; each product verified first\n\n",
        request.plan.rounds, to_string(sweep.accumulate));
    render::sweep_head(std::cout, sweep.contenders);
  }
  std::vector<bench::ShapeResult> results;
  Progress progress("measuring");
  for (const std::int64_t size : sweep.sizes) {
    results.push_back(session.run(square(size, sweep.accumulate), sweep.contenders, request.plan));
    if (!request.json) {
      render::sweep_row(std::cout, results.back());
      std::cout.flush();
    }
    progress.update(results.size(), sweep.sizes.size());
  }
  return results;
}

Json sweep_json(const BenchRequest& request, const std::vector<std::string>& argv, const bench::Session& session,
                const std::vector<bench::ShapeResult>& results) {
  Json json = json_report("tileloom.bench/1", argv);
  json["date"] = utc_date();
  json["title"] = request.sweep.title;
  json["environment"] = environment_json(session.environment());
  json["method"] = method_json(request.plan);
  json["inputs"] = {{"distribution", "normal"}, {"seed", request.seed}};
  json["accumulate"] = to_string(request.sweep.accumulate);
  json["shapes"] = Json::array();
  for (const bench::ShapeResult& result : results) {
    json["shapes"].push_back({{"m", result.problem.m},
                              {"n", result.problem.n},
                              {"k", result.problem.k},
                              {"contenders", contenders_json(result)}});
  }
  return json;
}

int run_bench(const BenchRequest& request, const std::vector<std::string>& argv) {
  std::optional<AtomicFile> file;  // opened before the work: a path that cannot be written is known at once
  if (!request.output.empty()) {
    file.emplace(request.output);
  }
  bench::Session session(std::ranges::any_of(request.sweep.contenders, &bench::Contender::cublas));
  const std::vector<bench::ShapeResult> results = run_sweep(session, request);
  const Json json = sweep_json(request, argv, session, results);
  if (request.json) {
    print_json(json);
  }
  if (file) {
    const std::string text = json_text(json);
    file->append(text.data(), text.size());
    file->commit();
  }
  return 0;
}

}  // namespace

void add_bench_command(CLI::App& program, Invocation& invocation) {
  CLI::App* verb = add_verb(program, "bench", "time the shipped kernels against cuBLAS on this machine's GPU");
  const auto args = std::make_shared<Arguments>();
  verb->add_option("--article", args->article,
                   "1: simple and smem against cuBLAS; 2: multistage 128x256x32, 2 to 4 stages, against cuBLAS");
  verb->add_option("--sizes", args->sizes, "m = n = k: a list 1024,8192 or FIRST:LAST:STEP [the article's]");
  verb->add_option("--rounds", args->rounds, "how often each contender is timed at each size [9]");
  verb->add_option("--seed", args->seed, "seed of the operands [0]");
  verb->add_option("-o,--output", args->output, "write the JSON here, complete or not at all");
  verb->add_flag("--json", args->json, "print one JSON object instead of a table");
  verb->callback([args, &invocation] {
    invocation.run = [args, &invocation] { return run_bench(parse_request(*args), invocation.argv); };
  });
}

}  // namespace tileloom::cli
