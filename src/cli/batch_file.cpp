// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "text/atomic_file.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

void read_batch(const std::string& file, const std::function<void(std::istream&)>& read) {
  if (file == "-") {
    read(std::cin);
    return;
  }
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    const int reason = in ? EISDIR : errno;
    throw Error(ErrorKind::io, "--batch " + file + ": cannot read: " + std::strerror(reason));
  }
  read(in);
}

void write_output(const std::string& file, const std::string& text) {
  if (file.empty()) {
    std::cout << text << std::flush;
    return;
  }
  write_file(file, text);
}

}  // namespace tileloom::cli
