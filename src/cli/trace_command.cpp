// SPDX-License-Identifier: Apache-2.0
// `tileloom trace`
#include "cli/command.hpp"

#include <iostream>
#include <memory>
#include <sstream>

#include "cli/batch_file.hpp"
#include "cli/trace_run.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

namespace {

struct Arguments {
  std::string batch;   // file, - for stdin
  std::string output;  // file; empty: stdout
  bool cute = false;
};

int run(const Arguments& a) {
  if (a.batch.empty()) {
    throw Error(ErrorKind::bad_input, "trace: nothing to trace", "give --batch FILE, one configuration a line");
  }
  std::ostringstream out;
  read_batch(a.batch, [&](std::istream& in) { run_trace_batch(in, out, a.cute); });
  write_output(a.output, out.str());
  return 0;
}

}  // namespace

void add_trace_command(CLI::App& program, Invocation& invocation) {
  CLI::App* verb = add_verb(program, "trace", "who holds which element: tiled MMA and tiled copy, as CuTe prints them");
  const auto a = std::make_shared<Arguments>();
  verb->add_option("--batch", a->batch, "Answer one JSON object a line: {\"atom\", \"tile\", \"A\", ...}; - is stdin")
      ->type_name("FILE");
  verb->add_flag("--cute", a->cute, "Answer exactly as CuTe does, also where CuTe is wrong");
  verb->add_option("-o,--output", a->output, "Write the answer to a file")->type_name("FILE");
  verb->callback([a, &invocation] { invocation.run = [a] { return run(*a); }; });
}

}  // namespace tileloom::cli
