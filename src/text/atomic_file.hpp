// SPDX-License-Identifier: Apache-2.0
// A file that appears under its name complete or not at all.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tileloom {

// A target that exists keeps its permissions; a symbolic link is followed; a device or pipe is written in place.
// Every failure is an Error(io) that names the path as it was given, and leaves nothing behind.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  ~AtomicFile();  // without a commit, nothing is left behind

  void append(const void* data, std::size_t bytes);
  // Flushes to the disk and puts the file under its name; the last call on this object.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

void write_file(const std::string& path, std::string_view text);

// Removes what is being written; safe in a signal handler.
void remove_unfinished_files() noexcept;

}  // namespace tileloom
