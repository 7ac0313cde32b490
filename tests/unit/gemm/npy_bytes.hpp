// SPDX-License-Identifier: Apache-2.0
// .npy files made by hand, right and wrong, independent of the library's own writer.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace tileloom::test {

struct NpyFile {
  std::string descr = "'<f2'";
  std::string fortran_order = "False";
  std::string shape = "(2, 3)";
  std::string data = std::string(12, '\0');
  char major = 1;
  char minor = 0;

  [[nodiscard]] std::string bytes() const {
    return with_header("{'descr': " + descr + ", 'fortran_order': " + fortran_order + ", 'shape': " + shape + ", }\n");
  }
  [[nodiscard]] std::string with_header(const std::string& header) const {
    std::string length(major == 1 ? 2 : 4, '\0');
    for (std::size_t i = 0; i < length.size(); ++i) {
      length[i] = static_cast<char>(header.size() >> (8 * i));
    }
    return std::string("\x93NUMPY") + major + minor + length + header + data;
  }
};

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A directory of its own for one test, with a space in its name; removed at the end.
class Directory {
 public:
  Directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tileloom test XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::vector<std::string> listing() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tileloom::test
