// SPDX-License-Identifier: Apache-2.0
#include "gemm/npy_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <utility>

#include "tileloom/error.hpp"

namespace tileloom::npy {
namespace {

// Reads on from the descriptor's position until `bytes` is full or the file ends; gives the count.
std::size_t read_some(int descriptor, std::span<std::byte> bytes, const std::string& path) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno != EINTR) {
      throw_io(path, "read");
    }
    if (got == 0) {
      break;
    }
    done += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return done;
}

}  // namespace

void check_size(const Header& header, std::uint64_t expected, std::uint64_t file_bytes, const std::string& name) {
  const std::uint64_t found = file_bytes - header.data_offset;
  if (found != expected) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected {} bytes of data for shape {}, found {}", name, expected,
                            shape_text(header.shape), found),
                found < expected ? "the file is cut short" : "the file goes on after its data");
  }
}

// Without O_NONBLOCK, opening a pipe would wait for a writer.
InputFile::InputFile(std::string path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status {};
  if (file_.get() < 0 || ::fstat(file_.get(), &status) != 0) {
    throw_io(path_, "read");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot read: expected a regular file, found {}", path_,
                                           S_ISDIR(status.st_mode) ? "a directory" : "a pipe, socket or device"));
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  head_.resize(max_header_bytes);
  head_.resize(read_some(file_.get(), head_, path_));
  header_ = parse_header(head_, path_);
}

// The size is the file's, so a hostile header cannot ask for more memory than the file has bytes.
std::vector<std::byte> InputFile::data(std::uint64_t count) {
  check_size(header_, count, size_, path_);
  std::vector<std::byte> data(count);
  const std::size_t in_head = std::min(head_.size() - header_.data_offset, data.size());
  std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(header_.data_offset), in_head, data.begin());
  const std::size_t got = in_head + read_some(file_.get(), std::span(data).subspan(in_head), path_);
  if (got != data.size()) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot read: the file became shorter while it was read", path_));
  }
  return data;
}

}  // namespace tileloom::npy
