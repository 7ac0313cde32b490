// SPDX-License-Identifier: Apache-2.0
// `tileloom check`
#include <memory>
#include <sstream>

#include "cli/arguments.hpp"
#include "cli/batch_file.hpp"
#include "cli/check_json.hpp"
#include "cli/check_options.hpp"
#include "cli/command.hpp"
#include "cli/config_options.hpp"
#include "cli/report.hpp"
#include "cli/trace_json.hpp"
#include "render/check_text.hpp"
#include "tileloom/error.hpp"
#include "tileloom/trace/check.hpp"
#include "tileloom/trace/suggest.hpp"

namespace tileloom::cli {

namespace {

struct Arguments {
  ConfigOptions config;
  std::string max_conflicts;
  std::string output;
  bool suggest = false;
  bool json = false;
};

int run(const Arguments& a, const std::vector<std::string>& argv) {
  const trace::Kernel kernel = load_kernel("check", a.config);
  trace::CheckOptions options = check_options(kernel, !a.config.kernel.empty() && a.config.settings.empty());
  if (!a.max_conflicts.empty()) {
    options.max_conflicts = static_cast<int>(parse_count("--max-conflicts", a.max_conflicts, 0, 1024));
  }
  const trace::CheckReport report = check_kernel(kernel, options);
  const auto suggestions = a.suggest ? std::optional(suggest_layouts(kernel)) : std::nullopt;
  std::ostringstream out;
  if (a.json) {
    Json json = json_report("tileloom.check/1", argv);
    json["kernel"] = kernel_json(kernel);
    json.update(check_json(report));
    if (suggestions) {
      json["suggestions"] = suggestions_json(*suggestions);
    }
    out << json_text(json);
  } else {
    render::check_text(out, kernel, report);
    if (suggestions) {
      render::suggestions_text(out, kernel, *suggestions);
    }
  }
  write_output(a.output, out.str());
  return report.ok() ? 0 : static_cast<int>(ErrorKind::check_failed);
}

}  // namespace

void add_check_command(CLI::App& program, Invocation& invocation) {
  CLI::App* verb = add_verb(program, "check", "what every memory access of a kernel costs, and what would not work");
  const auto a = std::make_shared<Arguments>();
  add_config_options(*verb, a->config);
  verb->add_option("--max-conflicts", a->max_conflicts,
                   "Fail where an instruction takes more than N wavefronts beyond its ideal")
      ->type_name("N");
  verb->add_flag("--suggest", a->suggest, "Search layouts of shared memory for fewer conflicts");
  verb->add_flag("--json", a->json, "Report as JSON");
  verb->add_option("-o,--output", a->output, "Write the report to a file")->type_name("FILE");
  verb->callback([a, &invocation] { invocation.run = [a, &invocation] { return run(*a, invocation.argv); }; });
}

}  // namespace tileloom::cli
