// SPDX-License-Identifier: Apache-2.0
// From a file to the modules that hold its kernels.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>

#include "cli/batch_file.hpp"
#include "cli/emulate_run.hpp"
#include "tileloom/emu/image.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

// For a POSIX shell.
std::string quoted(const std::string& text) {
  std::string made = "'";
  for (const char c : text) {
    made += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return made + "'";
}

// A directory that is gone when this is.
class Scratch {
 public:
  Scratch() {
    std::error_code none;
    path_ = (std::filesystem::temp_directory_path(none) / "tileloom-XXXXXX").string();
    if (none || ::mkdtemp(path_.data()) == nullptr) {
      const char* wanted = std::getenv("TMPDIR");
      throw Error(ErrorKind::io,
                  fmt::format("temporary directory: expected one that can be written to, found '{}'",
                              wanted != nullptr ? wanted : "/tmp"),
                  "set TMPDIR to another");
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// What nvcc prints goes to stderr as it is.
std::string compile(const std::string& path, hw::Arch arch) {
  if (std::system("nvcc --version >/dev/null 2>&1") != 0) {
    throw Error(ErrorKind::cannot_run, path + ": expected nvcc to compile it, found none on the PATH",
                "compile it elsewhere: nvcc -ptx -lineinfo " + path);
  }
  (void)read_text(path);  // a file that is not there is no error of nvcc's
  const Scratch scratch;
  const std::string made = scratch.file("kernel.ptx");
  const std::string command =
      fmt::format("nvcc -ptx -lineinfo -std=c++17 -arch=compute_{} -o {} {} >&2", arch.sm, quoted(made), quoted(path));
  if (std::system(command.c_str()) != 0) {
    throw Error(ErrorKind::bad_input, path + ": nvcc could not compile it",
                "its messages stand above; NVCC_APPEND_FLAGS gives it more options, such as -I");
  }
  return read_text(made);
}

}  // namespace

std::vector<emu::Module> load_modules(const std::string& path, hw::Arch arch) {
  const bool source = path.ends_with(".cu");
  const std::string bytes = source ? compile(path, arch) : read_text(path);
  std::vector<emu::Module> modules;
  const emu::ImageFile file = emu::read_images(std::as_bytes(std::span(bytes)), path);
  for (emu::PtxImage& image : emu::images_for(file, arch, path)) {
    modules.push_back(emu::Module::from_ptx(image.text, std::move(image.name)));
  }
  return modules;
}

}  // namespace tileloom::cli
