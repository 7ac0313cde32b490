// SPDX-License-Identifier: Apache-2.0
// `tileloom bench`
#include <iostream>
#include <memory>

#include "cli/bench_json.hpp"
#include "cli/bench_list.hpp"
#include "cli/bench_output.hpp"
#include "cli/bench_run.hpp"
#include "cli/command.hpp"
#include "render/bench_compare_text.hpp"
#include "render/bench_table.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

// The text of a run, as it comes.
class Text {
 public:
  explicit Text(std::ostream& out) : out_(out) {}

  void begun(const bench::Report& report, bool shapes_follow) { render::bench_heading(out_, report, shapes_follow); }
  void ceilings(const bench::Report& report) {
    out_ << '\n';
    render::ceilings_text(out_, report.ceilings);
    out_.flush();
  }
  void shape(const bench::Report& report, const render::BenchColumns& columns) {
    if (!table_) {
      table_ = render::bench_table(report, columns);
      out_ << '\n';
      table_->head(out_);
    }
    table_->rows(out_, report.shapes.back());
    out_.flush();
  }

 private:
  std::ostream& out_;
  std::unique_ptr<render::BenchTable> table_;
};

StoredReport measure(const BenchRequest& request, const std::vector<std::string>& argv) {
  if (request.json) {
    return measure_bench(request, argv, {});
  }
  render::BenchColumns columns = render::bench_columns(request.contenders);
  columns.unicode = locale_is_utf8();
  Text text(std::cout);
  return measure_bench(
      request, argv,
      {[&](const bench::Report& r) { text.begun(r, !request.shapes.empty()); },
       [&](const bench::Report& r) { text.ceilings(r); }, [&](const bench::Report& r) { text.shape(r, columns); }});
}

// An earlier run, as it was shown.
StoredReport show(const BenchRequest& request) {
  StoredReport stored = read_bench_report(request.from);
  if (request.json) {
    return stored;
  }
  render::BenchColumns columns = render::bench_columns(stored.report);
  columns.unicode = locale_is_utf8();
  Text text(std::cout);
  text.begun(stored.report, !stored.report.shapes.empty());
  if (!stored.report.ceilings.empty()) {
    text.ceilings(stored.report);
  }
  bench::Report grown = stored.report;
  grown.shapes.clear();
  for (const bench::MeasuredShape& measured : stored.report.shapes) {
    grown.shapes.push_back(measured);
    text.shape(grown, columns);
  }
  return stored;
}

std::optional<StoredReport> read_earlier(const BenchRequest& request) {
  return request.compare_with.empty() ? std::nullopt : std::optional(read_bench_report(request.compare_with));
}

void check_comparable(const std::string& file, const bench::Report& before, Accumulate accumulate) {
  if (before.accumulate != accumulate) {
    throw Error(ErrorKind::bad_input, "--compare-with " + file + ": expected a run that accumulates in " +
                                          std::string(to_string(accumulate)) + ", found " +
                                          std::string(to_string(before.accumulate)));
  }
}

int run(const BenchRequest& request, const std::vector<std::string>& argv) {
  if (request.list) {
    list_bench(std::cout, request, argv);
    return 0;
  }
  const std::optional<StoredReport> earlier = read_earlier(request);
  if (earlier && request.from.empty()) {
    check_comparable(request.compare_with, earlier->report, request.accumulate);
  }
  BenchFiles files(request);
  StoredReport now = request.from.empty() ? measure(request, argv) : show(request);
  if (!request.json) {
    render::bench_summary(std::cout, now.report);
  }
  if (earlier) {
    check_comparable(request.compare_with, earlier->report, now.report.accumulate);
    const bench::Comparison comparison = bench::compare(earlier->report, now.report);
    now.json["comparison"] = comparison_json(request.compare_with, earlier->report, comparison);
    if (!request.json) {
      render::comparison_text(std::cout, request.compare_with, earlier->report, comparison);
    }
  }
  if (request.json) {
    print_json(now.json);
  }
  files.write(now.report, now.json);
  return 0;
}

void add_what(CLI::App& verb, BenchArguments& a) {
  verb.add_option("--shapes", a.shapes, "squares, llm-core, M,N,K or a file of lines M,N,K NAME; several with ;")
      ->type_name("SHAPES");
  verb.add_option("--kernels", a.kernels,
                  "auto, all, an instance, a family or PREFIX*; @STAGES and /BAND behind it; commas between [auto]")
      ->type_name("NAMES");
  verb.add_option("--accumulate", a.accumulate, "f32 or f16: the type that products are summed in [f32]")
      ->type_name("TYPE");
  verb.add_option("--dtype", a.dtype, "f16: the type of A, B and D [f16]")->type_name("TYPE");
  verb.add_option("--compare", a.compare,
                  "cublas, cublaslt-best, both with a comma, or none [both; of an article cublas]")
      ->type_name("NAMES");
  verb.add_option("--article", a.article, "1: simple and smem; 2: mma.sync by hand and through CuTe; f16 accumulation")
      ->type_name("N");
  verb.add_option("--sizes", a.sizes, "with --article, m = n = k: a list 1024,8192 or FIRST:LAST:STEP [the article's]")
      ->type_name("SIZES");
  verb.add_flag("--ceilings", a.ceilings, "measure what this GPU can do at most; alone, or before the shapes");
}

void add_how(CLI::App& verb, BenchArguments& a) {
  verb.add_flag("--cold", a.cold, "rotate operands through more than twice the L2 [default with --shapes]");
  verb.add_flag("--hot", a.hot, "every launch uses the same operands [default with --article]");
  verb.add_option("--rounds", a.rounds, "how often each contender is timed at each shape [9]")->type_name("N");
  verb.add_option("--sustained", a.sustained,
                  "least milliseconds of a timed run of products that take 20 us or longer; 0: bursts of 10 ms [150]")
      ->type_name("MS");
  verb.add_option("--seed", a.seed, "seed of the operands [0]")->type_name("N");
  verb.add_flag("--list", a.list, "print what would run, and measure nothing; needs no GPU");
}

void add_output(CLI::App& verb, BenchArguments& a) {
  verb.add_option("--resume", a.resume, "keep the JSON here after every shape, and go on from it")->type_name("FILE");
  verb.add_option("--from", a.from, "show an earlier run's JSON, and measure nothing; needs no GPU")->type_name("FILE");
  verb.add_option("--compare-with", a.compare_with, "an earlier run's JSON: what became faster or slower")
      ->type_name("FILE");
  verb.add_option("--csv", a.csv, "write a line a contender of a shape")->type_name("FILE");
  verb.add_option("--plot", a.plot, "write TFLOPS over size, and the speed over cuBLAS, as SVG")->type_name("FILE");
  verb.add_option("-o,--output", a.output, "write the JSON here, complete or not at all")->type_name("FILE");
  verb.add_flag("--json", a.json, "print one JSON object instead of a table");
}

}  // namespace

void add_bench_command(CLI::App& program, Invocation& invocation) {
  CLI::App* verb = add_verb(program, "bench", "time the shipped kernels against cuBLAS on this machine's GPU");
  const auto a = std::make_shared<BenchArguments>();
  add_what(*verb, *a);
  add_how(*verb, *a);
  add_output(*verb, *a);
  verb->callback(
      [a, &invocation] { invocation.run = [a, &invocation] { return run(parse_bench(*a), invocation.argv); }; });
}

}  // namespace tileloom::cli
