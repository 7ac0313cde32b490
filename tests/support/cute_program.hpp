// SPDX-License-Identifier: Apache-2.0
// C++ programs against CuTe's own headers: written, compiled with the host compiler, run, their output by lines.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tileloom/layout/layout.hpp"

namespace tileloom::test {

// A tree or a layout as a C++ expression.
inline std::string cpp(layout::TreeRef t) {
  if (t.is_leaf()) {
    const layout::Int& x = t.leaf();
    if (x.is_any()) {
      return "cute::_";
    }
    const std::string v = std::to_string(x.value);
    return x.is_static() ? "cute::Int<" + v + ">{}" : "int(" + v + ")";
  }
  std::string s;
  for (const layout::TreeRef child : t) {
    s += (s.empty() ? "" : ", ") + cpp(child);
  }
  return "cute::make_tuple(" + s + ")";
}
inline std::string cpp(const layout::Layout& l) {
  return "cute::make_layout(" + cpp(l.shape()) + ", " + cpp(l.stride()) + ")";
}

// `flags`: further ones for the compiler. Throws std::runtime_error where it refuses the program; the files then stay
// for a look.
inline std::vector<std::string> run_cute_program(const std::string& text, const std::string& flags = "") {
  const auto directory =
      std::filesystem::temp_directory_path() / ("tileloom_cute_" + std::to_string(static_cast<long>(::getpid())));
  std::filesystem::create_directories(directory);
  const std::string source = directory / "program.cpp";
  const std::string program = directory / "program";
  const std::string output = directory / "output.txt";
  std::ofstream(source) << text;
  const std::string compile = std::string(TILELOOM_CXX) +
                              " -std=c++17 -O0 -w -I'" TILELOOM_CUTLASS_INCLUDE "' -I'" TILELOOM_CUDA_INCLUDE
                              "' -I'" TILELOOM_CUDA_INCLUDE "/cccl' " +
                              flags + " '" + source + "' -o '" + program + "' 2> '" + output + "'";
  if (std::system(compile.c_str()) != 0) {
    throw std::runtime_error("the compiler refuses " + source + ", see " + output);
  }
  if (std::system(("'" + program + "' > '" + output + "'").c_str()) != 0) {
    throw std::runtime_error(program + " fails");
  }
  std::ifstream in(output);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  std::filesystem::remove_all(directory);
  return lines;
}

}  // namespace tileloom::test
