// SPDX-License-Identifier: Apache-2.0
// `tileloom atom`
#include <memory>
#include <sstream>

#include "cli/atom_run.hpp"
#include "cli/batch_file.hpp"
#include "cli/command.hpp"
#include "cli/report.hpp"

namespace tileloom::cli {

void add_atom_command(CLI::App& program, Invocation& invocation) {
  CLI::App* verb = add_verb(program, "atom", "who holds which element of a matrix or copy instruction");
  struct Arguments {
    AtomOptions options;
    std::string output;
  };
  const auto a = std::make_shared<Arguments>();
  AtomOptions& o = a->options;
  verb->add_option("action", o.action,
                   "list, show NAME, where NAME OPERAND I J, holds NAME OPERAND, table NAME OPERAND")
      ->type_name("ACTION");
  verb->add_option("name", o.name, "CuTe's name, a part of it, the PTX mnemonic, or words: 'm16n8k16 f16'")
      ->type_name("NAME");
  verb->add_option("operand", o.operand, "A, B, C or D; of a copy source or destination")->type_name("OPERAND");
  verb->add_option("row", o.row, "m of A, C, D; n of B; row of a copy")->type_name("I");
  verb->add_option("column", o.column, "k of A, B; n of C, D; 16-bit unit or byte of a copy")->type_name("J");
  verb->add_option("--arch", o.arch, "List what this architecture or chip runs: sm_80, H100")->type_name("ARCH");
  verb->add_option("--kind", o.kind, "List mma or copy only")->type_name("KIND");
  verb->add_option("--lane", o.lane, "The lane that holds, 0 to 31")->type_name("L");
  verb->add_option("--warp", o.warp, "Its warp in a warpgroup, 0 to 3")->type_name("W");
  verb->add_option("--value", o.value, "One of its values")->type_name("V");
  verb->add_option("--by", o.by, "Table by matrix (default) or lane")->type_name("VIEW");
  verb->add_flag("--json", o.json, "Report as JSON");
  verb->add_flag("--csv", o.csv, "Print a table as CSV");
  verb->add_flag("--markdown", o.markdown, "Print a table as Markdown");
  verb->add_option("-o,--output", a->output, "Write the answer to a file")->type_name("FILE");
  verb->callback([a, &invocation] {
    invocation.run = [a, &invocation] {
      std::ostringstream out;
      run_atom(a->options, a->options.json ? json_report("tileloom.atom/1", invocation.argv) : Json::object(), out);
      write_output(a->output, out.str());
      return 0;
    };
  });
}

}  // namespace tileloom::cli
