// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <new>

#include "cli/command.hpp"
#include "cli/examples.hpp"
#include "cli/say.hpp"
#include "text/suggest.hpp"
#include "tileloom/error.hpp"
#include "tileloom/npy.hpp"
#include "tileloom/version.hpp"

namespace tileloom::cli {
namespace {

constexpr std::array commands{add_gemm_command,    add_layout_command, add_atom_command,
                              add_trace_command,   add_check_command,  add_draw_command,
                              add_emulate_command, add_bench_command,  add_info_command};

class ExamplesFirst : public CLI::Formatter {
 public:
  explicit ExamplesFirst(std::string_view examples) : examples_(examples) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    return std::string(examples_) + "\n" + CLI::Formatter::make_help(app, std::move(name), mode);
  }

 private:
  std::string_view examples_;
};

// A file that is half written must not outlive the program.
extern "C" void clean_up_and_die(int signal) {
  npy::remove_unfinished();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
    if (std::signal(signal, clean_up_and_die) == SIG_IGN) {
      std::signal(signal, SIG_IGN);  // the caller, nohup for example, wants it ignored
    }
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a write over the file size limit fails with an error that we report
}

// A file that we open must not take the place of a standard stream that the caller closed: our text would go into it.
void open_standard_streams() {
  for (int descriptor = ::open("/dev/null", O_RDWR); descriptor >= 0; descriptor = ::dup(descriptor)) {
    if (descriptor > STDERR_FILENO) {
      ::close(descriptor);
      return;
    }
  }
}

std::vector<std::string> verb_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

// An empty argument is always a mistake, a shell variable that is not set for example, and would count as not given.
void refuse_empty(const std::vector<std::string>& argv) {
  for (std::size_t i = 1; i < argv.size(); ++i) {
    if (argv[i].empty()) {
      throw Error(ErrorKind::bad_input,
                  i == 1 ? "argument 1 is empty" : fmt::format("argument {} is empty, after '{}'", i, argv[i - 1]),
                  "is a variable of the shell not set?");
    }
  }
}

[[noreturn]] void refuse_verb(const CLI::App& program, const std::string& name) {
  const std::string hint = did_you_mean(name, verb_names(program));
  throw Error(ErrorKind::bad_input, fmt::format("unknown verb '{}'", name),
              hint.empty() ? "tileloom --help lists what there is" : hint);
}

// The first argument that nothing took.
void refuse_extra(const CLI::App& program) {
  const std::vector<CLI::App*> verbs = program.get_subcommands();
  const CLI::App& app = verbs.empty() ? program : *verbs.front();
  std::vector<std::string> extras = app.remaining();
  if (extras.empty()) {
    return;
  }
  const auto option = std::ranges::find_if(extras, [](const std::string& extra) { return extra.starts_with("-"); });
  const std::string help = verbs.empty() ? "tileloom --help" : fmt::format("tileloom {} --help", app.get_name());
  if (option == extras.end() || (verbs.empty() && option != extras.begin())) {
    if (verbs.empty()) {
      refuse_verb(program, extras.front());
    }
    throw Error(ErrorKind::bad_input, fmt::format("unknown argument '{}'", extras.front()),
                help + " lists what there is");
  }
  const std::string name = option->substr(0, option->find('='));
  const std::string hint = did_you_mean(name, option_names(app));
  throw Error(ErrorKind::bad_input, fmt::format("unknown option '{}'", name),
              hint.empty() ? help + " lists what there is" : hint);
}

int fail(const std::string& message, const std::string& hint, int exit_code) {
  std::fflush(stdout);
  say(fmt::format("error: {}\n", message));
  if (!hint.empty()) {
    std::string aligned = hint;  // further lines, a column mark for example, stand below the first
    for (std::size_t at = aligned.find('\n'); at != std::string::npos; at = aligned.find('\n', at + 1)) {
      aligned.insert(at + 1, "      ");
    }
    say(fmt::format("hint: {}\n", aligned));
  }
  return exit_code;
}

int parse_and_run(CLI::App& program, Invocation& invocation, int argc, char** argv) {
  refuse_empty(invocation.argv);
  if (const std::vector<std::string> verbs = verb_names(program);
      argc > 1 && argv[1][0] != '-' && std::ranges::find(verbs, argv[1]) == verbs.end()) {
    refuse_verb(program, argv[1]);  // also where --help follows
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", program.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    fmt::print("tileloom {}\n", TILELOOM_VERSION);
    return 0;
  } catch (const CLI::ParseError& error) {
    std::string line = error.what();
    std::ranges::replace(line, '\n', ' ');
    throw Error(ErrorKind::bad_input, line);
  }
  refuse_extra(program);
  if (!invocation.run) {
    say(program.help());
    return static_cast<int>(ErrorKind::bad_input);
  }
  return invocation.run();
}

}  // namespace

CLI::App* add_verb(CLI::App& program, const std::string& name, const std::string& description) {
  CLI::App* verb = program.add_subcommand(name, description);
  verb->formatter(std::make_shared<ExamplesFirst>(examples_of(name)));
  verb->allow_extras();  // refuse_extra names them, and what was meant
  return verb;
}

int run_program(int argc, char** argv) {
  open_standard_streams();
  install_signal_handlers();
  CLI::App program("Half-precision tensor-core GEMM that you can see through.", "tileloom");
  program.set_version_flag("--version", TILELOOM_VERSION);
  program.formatter(std::make_shared<ExamplesFirst>(examples_of("tileloom")));
  program.allow_extras();
  program.require_subcommand(0, 1);  // a file may have the name of a verb
  Invocation invocation{.argv = {argv, argv + argc}, .run = {}};
  for (const AddCommand add : commands) {
    add(program, invocation);
  }
  int exit_code = 0;
  try {
    exit_code = parse_and_run(program, invocation, argc, argv);
  } catch (const Error& error) {
    return fail(error.what(), error.hint(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return fail("out of memory", "", static_cast<int>(ErrorKind::cannot_run));
  } catch (const std::exception& error) {
    return fail(fmt::format("internal: {}", error.what()), "", static_cast<int>(ErrorKind::cannot_run));
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return fail("standard output: cannot write", "", static_cast<int>(ErrorKind::io));
  }
  return exit_code;
}

}  // namespace tileloom::cli
