// SPDX-License-Identifier: Apache-2.0
// `tileloom draw`
#include <filesystem>
#include <memory>
#include <sstream>

#include "cli/arguments.hpp"
#include "cli/batch_file.hpp"
#include "cli/command.hpp"
#include "cli/draw_json.hpp"
#include "cli/draw_run.hpp"
#include "cli/report.hpp"
#include "render/draw/latex.hpp"
#include "render/draw/svg.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

namespace {

struct Arguments {
  DrawOptions draw;
  std::string format;  // svg, latex
  std::string output;  // file; empty: stdout
  bool json = false;
};

bool wants_latex(const Arguments& a) {
  if (!a.format.empty()) {
    return parse_word("--format", a.format, {"svg", "latex"}) == 1;
  }
  const std::string suffix = std::filesystem::path(a.output).extension();
  if (a.output.empty() || suffix == ".svg" || suffix == ".tex" || a.json) {
    return suffix == ".tex";
  }
  throw Error(ErrorKind::bad_input, "-o " + a.output + ": expected a name that ends in .svg or .tex",
              "--format svg or --format latex says it for any name");
}

int run(const Arguments& a, const std::vector<std::string>& argv) {
  const bool latex = wants_latex(a);
  const render::draw::Picture picture = picture_of(a.draw);
  std::ostringstream out;
  if (a.json) {
    Json json = json_report("tileloom.draw/1", argv);
    json.update(picture_json(picture));
    out << json_text(json);
  } else if (latex) {
    write_latex(out, picture);
  } else {
    write_svg(out, picture);
  }
  write_output(a.output, out.str());
  return 0;
}

}  // namespace

void add_draw_command(CLI::App& program, Invocation& invocation) {
  CLI::App* verb = add_verb(program, "draw", "pictures of layouts, instructions and kernels, as SVG or LaTeX");
  const auto a = std::make_shared<Arguments>();
  add_config_options(*verb, a->draw.config);
  verb->get_option("config")
      ->description("A kernel configuration, a layout expression, or an instruction")
      ->type_name("CONFIG|EXPR|ATOM");
  verb->add_option("--part", a->draw.part,
                   "Of a kernel: mma (default), atom, smem.A, .B, .C, g2s.A, .B, s2r.A, .B, epilogue.r2s, .s2g, .r2g")
      ->type_name("PART");
  verb->add_option("--tv", a->draw.tile, "EXPR is (thread, value) -> element of a tile of this shape: (_16,_8)")
      ->type_name("SHAPE");
  verb->add_flag("--bank", a->draw.bank, "Colour by banks of shared memory");
  verb->add_option("--bits", a->draw.bits, "With --bank: bits of an element (default 16)")->type_name("N");
  verb->add_option("--format", a->format, "svg (default) or latex, whatever the file's name")->type_name("FORMAT");
  verb->add_flag("--json", a->json, "The picture as a model: panels, cells, who holds what");
  verb->add_option("-o,--output", a->output, "Write the picture to a file: F.svg, F.tex")->type_name("FILE");
  verb->callback([a, &invocation] { invocation.run = [a, &invocation] { return run(*a, invocation.argv); }; });
}

}  // namespace tileloom::cli
