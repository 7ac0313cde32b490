// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "text/atomic_file.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

std::ifstream open(const std::string& file, const std::string& label) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) {
    const int reason = in ? EISDIR : errno;
    throw Error(ErrorKind::io, label + ": cannot read: " + std::strerror(reason));
  }
  return in;
}

}  // namespace

std::string read_text(const std::string& file) {
  std::ifstream in = open(file, file);
  return {std::istreambuf_iterator<char>(in), {}};
}

void read_stream(const std::string& file, const std::string& name, const std::function<void(std::istream&)>& read) {
  if (file == "-") {
    read(std::cin);
    return;
  }
  std::ifstream in = open(file, name);
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
