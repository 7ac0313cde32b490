// SPDX-License-Identifier: Apache-2.0
// Runs the built `tileloom` as a user would: arguments, directory, environment; exit code and both outputs come back.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "unit/gemm/npy_bytes.hpp"

namespace tileloom::test {

struct ProgramResult {
  int exit_code = -1;  // of a signal: 128 + its number
  std::string out;
  std::string err;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

class Program {
 public:
  explicit Program(const Directory& directory) : directory_(directory) {}

  // Starts the program in the directory; its outputs go to files outside of it.
  [[nodiscard]] pid_t start(const std::vector<std::string>& arguments, const Environment& environment = {}) const {
    std::vector<char*> argv{const_cast<char*>(TILELOOM_PROGRAM)};
    for (const std::string& argument : arguments) {
      argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      for (const auto& [name, value] : environment) {
        ::setenv(name.c_str(), value.c_str(), 1);
      }
      redirect(outputs_.file("out"), STDOUT_FILENO);
      redirect(outputs_.file("err"), STDERR_FILENO);
      if (::chdir(directory_.path().c_str()) == 0) {
        ::execv(TILELOOM_PROGRAM, argv.data());
      }
      ::_exit(127);
    }
    return child;
  }

  [[nodiscard]] ProgramResult wait(pid_t child) const {
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(outputs_.file("out")),
            read_file(outputs_.file("err"))};
  }

  [[nodiscard]] ProgramResult run(const std::vector<std::string>& arguments,
                                  const Environment& environment = {}) const {
    return wait(start(arguments, environment));
  }

 private:
  static void redirect(const std::string& path, int descriptor) {
    ::dup2(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), descriptor);
  }

  const Directory& directory_;
  Directory outputs_;
};

}  // namespace tileloom::test
