// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "bench/articles.hpp"
#include "cli/arguments.hpp"
#include "cli/bench_contenders.hpp"
#include "cli/bench_shapes.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::bad_input, message, hint);
}

struct Given {
  const char* option;
  bool given;
};

// Those of `all` that are named, in the order of the names.
std::vector<Given> named(const std::vector<Given>& all, std::initializer_list<std::string_view> options) {
  std::vector<Given> some;
  for (const std::string_view option : options) {
    some.push_back(*std::ranges::find(all, option, [](const Given& g) { return std::string_view(g.option); }));
  }
  return some;
}

void refuse_beside(const std::string& option, const std::vector<Given>& others, const std::string& hint) {
  for (const Given& other : others) {
    if (other.given) {
      refuse(fmt::format("{}: expected no {} beside it, found one", option, other.option), hint);
    }
  }
}

void check_together(const BenchArguments& a) {
  const std::vector<Given> measuring{{"--shapes", !a.shapes.empty()},
                                     {"--article", !a.article.empty()},
                                     {"--sizes", !a.sizes.empty()},
                                     {"--kernels", !a.kernels.empty()},
                                     {"--accumulate", !a.accumulate.empty()},
                                     {"--dtype", !a.dtype.empty()},
                                     {"--compare", !a.compare.empty()},
                                     {"--cold", a.cold},
                                     {"--hot", a.hot},
                                     {"--rounds", !a.rounds.empty()},
                                     {"--sustained", !a.sustained.empty()},
                                     {"--seed", !a.seed.empty()},
                                     {"--resume", !a.resume.empty()},
                                     {"--ceilings", a.ceilings},
                                     {"--list", a.list}};
  if (!a.from.empty()) {
    return refuse_beside("--from", measuring, "it shows an earlier run as it was");
  }
  if (a.cold && a.hot) {
    refuse("bench: expected one of --cold and --hot, found both", "cold is the default of --shapes, hot of --article");
  }
  if (!a.article.empty()) {
    return refuse_beside("--article", named(measuring, {"--shapes", "--kernels", "--accumulate", "--dtype"}),
                         "an article fixes its kernels and how they sum; --sizes replaces its sizes");
  }
  if (!a.sizes.empty()) {
    refuse("--sizes: expected --article beside it, found none", "--shapes 1024,1024,1024 names any sizes");
  }
  if (a.shapes.empty() && !a.ceilings) {
    refuse("bench: expected --shapes, --article, --ceilings or --from, found none", "tileloom bench --shapes squares");
  }
  if (a.shapes.empty()) {
    std::vector<Given> useless =
        named(measuring, {"--kernels", "--accumulate", "--compare", "--cold", "--hot", "--resume", "--list"});
    useless.push_back({"--compare-with", !a.compare_with.empty()});
    useless.push_back({"--csv", !a.csv.empty()});
    useless.push_back({"--plot", !a.plot.empty()});
    refuse_beside("--ceilings", useless, "that needs --shapes or --article");
  }
}

void take_article(const BenchArguments& a, BenchRequest& request) {
  request.article = static_cast<int>(parse_count("--article", a.article, 1, 2));
  const bench::Article& article = bench::article(request.article);
  request.title = article.title;
  request.accumulate = Accumulate::f16;
  for (const std::int64_t size : a.sizes.empty() ? article.sizes : parse_bench_sizes(a.sizes)) {
    request.shapes.push_back({size, size, size});
  }
  request.contenders = bench::article_contenders(request.article);
  request.plan.cold = a.cold;
}

void take_shapes(const BenchArguments& a, BenchRequest& request) {
  const std::vector<Accumulate> accumulates{Accumulate::f32, Accumulate::f16};
  if (!a.accumulate.empty()) {
    request.accumulate = accumulates[parse_word("--accumulate", a.accumulate, {"f32", "f16"})];
  }
  if (!a.dtype.empty()) {
    (void)parse_word("--dtype", a.dtype, {"f16"});
  }
  request.plan.cold = !a.hot;
  request.shapes = parse_bench_shapes(a.shapes);
  if (!request.shapes.empty()) {
    request.contenders =
        parse_kernels(a.kernels.empty() ? "auto" : a.kernels, request.shapes.front(), request.accumulate);
  }
}

}  // namespace

BenchRequest parse_bench(const BenchArguments& a) {
  check_together(a);
  BenchRequest request;
  request.ceilings = a.ceilings;
  request.list = a.list;
  request.json = a.json;
  request.from = a.from;
  request.resume = a.resume;
  request.compare_with = a.compare_with;
  request.output = a.output;
  request.csv = a.csv;
  request.plot = a.plot;
  if (!a.from.empty()) {
    return request;
  }
  a.article.empty() ? take_shapes(a, request) : take_article(a, request);
  if (!request.shapes.empty()) {
    const std::string usual = request.article == 0 ? "cublas,cublaslt-best" : "cublas";
    std::ranges::copy(parse_compare(a.compare.empty() ? usual : a.compare), std::back_inserter(request.contenders));
  }
  if (!a.rounds.empty()) {
    request.plan.rounds = static_cast<int>(parse_count("--rounds", a.rounds, 1, 1000));
  }
  if (!a.sustained.empty()) {
    request.plan.sustained_seconds = 1e-3 * static_cast<double>(parse_count("--sustained", a.sustained, 0, 10000));
  }
  if (!a.seed.empty()) {
    request.seed = parse_seed("--seed", a.seed);
  }
  return request;
}

}  // namespace tileloom::cli
