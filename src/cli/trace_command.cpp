// SPDX-License-Identifier: Apache-2.0
// `tileloom trace`
#include <memory>
#include <sstream>

#include "cli/batch_file.hpp"
#include "cli/command.hpp"
#include "cli/config_options.hpp"
#include "cli/report.hpp"
#include "cli/trace_kernel.hpp"
#include "cli/trace_run.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

namespace {

struct Arguments {
  ConfigOptions config;
  TraceQuestion question;
  std::string batch;   // file, - for stdin
  std::string output;  // file; empty: stdout
  bool cute = false;
};

int run(const Arguments& a, const std::vector<std::string>& argv) {
  std::ostringstream out;
  if (!a.batch.empty() && names_a_kernel(a.config)) {
    throw Error(ErrorKind::bad_input, "trace: both a kernel and --batch", "give one of them");
  }
  if (a.batch.empty() && !names_a_kernel(a.config)) {
    throw Error(ErrorKind::bad_input, "trace: nothing to trace",
                "give a configuration file, --kernel NAME, or --batch FILE, one question a line");
  }
  if (!a.batch.empty()) {
    read_stream(a.batch, "--batch " + a.batch, [&](std::istream& in) { run_trace_batch(in, out, a.cute); });
  } else if (a.cute) {
    throw Error(ErrorKind::bad_input, "--cute: only with --batch");
  } else {
    run_trace_kernel(load_kernel("trace", a.config), a.question,
                     a.question.json ? json_report("tileloom.trace/1", argv) : Json::object(), out);
  }
  write_output(a.output, out.str());
  return 0;
}

}  // namespace

void add_trace_command(CLI::App& program, Invocation& invocation) {
  CLI::App* verb =
      add_verb(program, "trace", "every layout of a kernel, and the way of an element from memory to the tensor core");
  const auto a = std::make_shared<Arguments>();
  add_config_options(*verb, a->config);
  TraceQuestion& q = a->question;
  verb->add_option("--thread", q.thread, "Whose layouts (default 0); given, its elements too, MMA by MMA")
      ->type_name("T");
  verb->add_option("--cta", q.cta, "The CTA of tile M,N (default 0,0)")->type_name("M,N");
  // One value each: a list would take CONFIG for another one.
  verb->add_option("--tensor", q.tensors, "Only this tensor: tCsA; or several, tCsA,tCrA; may be repeated")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_flag("--explain", q.explain, "How to read each layout, and where its modes come from");
  verb->add_option("--map", q.map, "Draw the thread's elements of A, B or D on the tile")->type_name("OPERAND");
  verb->add_option("--element", q.element, "Follow one: A:0,9 or, of a later k-tile, A:0,9,2; also B and D")
      ->type_name("ELEMENT");
  verb->add_option("--register", q.register_name, "The elements in a register: a2")->type_name("NAME");
  verb->add_option("--lane", q.lane, "The register's lane, 0 to 31")->type_name("L");
  verb->add_option("--warp", q.warp, "The register's warp (default 0)")->type_name("W");
  verb->add_option("--k-tile", q.k_tile, "The register's k-tile (default 0)")->type_name("K");
  verb->add_flag("--json", q.json, "Report as JSON");
  verb->add_option("--batch", a->batch, "Answer one JSON object a line: {\"atom\", \"tile\", \"A\", ...}; - is stdin")
      ->type_name("FILE");
  verb->add_flag("--cute", a->cute, "With --batch: exactly as CuTe does, also where CuTe is wrong");
  verb->add_option("-o,--output", a->output, "Write the answer to a file")->type_name("FILE");
  verb->callback([a, &invocation] { invocation.run = [a, &invocation] { return run(*a, invocation.argv); }; });
}

}  // namespace tileloom::cli
