// SPDX-License-Identifier: Apache-2.0
// `tileloom layout`
#include "cli/command.hpp"

#include <iostream>
#include <memory>
#include <sstream>

#include "cli/batch_file.hpp"
#include "cli/layout_run.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

namespace {

struct Arguments {
  LayoutOptions options;
  std::string batch;   // file, - for stdin
  std::string output;  // file; empty: stdout
};

int run(const Arguments& a, const std::vector<std::string>& argv) {
  if (a.options.expression.empty() == a.batch.empty()) {
    throw Error(ErrorKind::bad_input, a.batch.empty() ? "layout: no expression" : "layout: an expression and --batch",
                "give one expression, for example tileloom layout 'coalesce((_2,_4):(_1,_2))', or --batch FILE");
  }
  const LayoutOptions& o = a.options;
  if (!a.batch.empty() && (o.table || o.explain || o.properties || o.json || !o.at.empty() || !o.equal.empty())) {
    throw Error(ErrorKind::bad_input, "layout: --batch goes with --cute and -o only");
  }
  std::ostringstream out;
  int exit_code = 0;
  if (a.batch.empty()) {
    exit_code =
        run_layout(a.options, a.options.json ? json_report("tileloom.layout/1", argv) : Json::object(), out, std::cerr);
  } else {
    Progress progress("evaluating");
    read_stream(a.batch, "--batch " + a.batch, [&](std::istream& in) {
      run_layout_batch(in, out, a.options.cute,
                       [&](std::uint64_t done, std::uint64_t all) { progress.update(done, all); });
    });
  }
  write_output(a.output, out.str());
  return exit_code;
}

}  // namespace

void add_layout_command(CLI::App& program, Invocation& invocation) {
  CLI::App* verb = add_verb(program, "layout", "evaluate CuTe layout expressions, as CuTe prints them");
  const auto a = std::make_shared<Arguments>();
  verb->add_option("expression", a->options.expression, "A layout, or calls such as zipped_divide(L, (_4,_8))")
      ->type_name("EXPR");
  verb->add_flag("--cute", a->options.cute, "Answer exactly as CuTe does, also where CuTe is wrong");
  verb->add_flag("--table", a->options.table, "Show the offset at every coordinate (rank 1 to 4)");
  verb->add_option("--at", a->options.at, "Show the value at one coordinate; _ slices")->type_name("COORD");
  verb->add_flag("--explain", a->options.explain, "Show the intermediate layouts");
  verb->add_flag("--properties", a->options.properties, "Show size, injectivity, alignment ...");
  verb->add_option("--equal", a->options.equal, "Compare with a second expression; exit code 1 if they differ")
      ->type_name("EXPR2");
  verb->add_option("--batch", a->batch, "Evaluate one JSON object a line: {\"op\", \"args\"}; - is stdin")
      ->type_name("FILE");
  verb->add_flag("--json", a->options.json, "Report as JSON");
  verb->add_option("-o,--output", a->output, "Write the answer to a file")->type_name("FILE");
  verb->callback([a, &invocation] { invocation.run = [a, &invocation] { return run(*a, invocation.argv); }; });
}

}  // namespace tileloom::cli
