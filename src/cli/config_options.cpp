// SPDX-License-Identifier: Apache-2.0
#include "cli/config_options.hpp"

#include "cli/arguments.hpp"
#include "cli/config_file.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

namespace {

layout::SymbolValues parse_sizes(const std::vector<std::string>& texts) {
  layout::SymbolValues sizes;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::bad_input, "--size: expected SYMBOL=VALUE, found '" + text + "'",
                  "for example --size K=1024");
    }
    const std::string name = text.substr(0, equals);
    sizes[name] = parse_count("--size " + name, text.substr(equals + 1), 1, std::int64_t{1} << 31);
  }
  return sizes;
}

}  // namespace

void add_config_options(CLI::App& verb, ConfigOptions& o) {
  verb.add_option("config", o.file, "A kernel configuration, docs/formats/kernel-config.md; - is stdin")
      ->type_name("CONFIG");
  verb.add_option("--kernel", o.kernel, "A shipped kernel, or the default of its family")->type_name("NAME");
  // One value each: a list would take CONFIG for another one.
  verb.add_option("--set", o.settings, "Replace a field: s2r.B=SM75_U32x4_LDSM_N; may be repeated")
      ->type_name("FIELD=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_option("--size", o.sizes, "Value of a symbol: K=1024 (default 4096); may be repeated")
      ->type_name("SYMBOL=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

trace::Kernel load_kernel(const std::string& verb, const ConfigOptions& o) {
  if (o.file.empty() == o.kernel.empty()) {
    throw Error(ErrorKind::bad_input,
                o.file.empty() ? verb + ": no kernel" : verb + ": both a configuration and --kernel",
                "give a configuration file or --kernel NAME");
  }
  const trace::KernelConfig config =
      o.file.empty() ? read_kernel_config(o.kernel, o.settings) : read_config_file(o.file, o.settings);
  return build_kernel(config, parse_sizes(o.sizes));
}

}  // namespace tileloom::cli
