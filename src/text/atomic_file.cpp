// SPDX-License-Identifier: Apache-2.0
#include "text/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "text/file.hpp"

namespace tileloom {
namespace {

// Paths of temporary files, where a signal handler can read them: no heap, no lock.
struct Slot {
  enum State { unused, filling, armed };
  std::atomic<int> state{unused};
  std::array<char, PATH_MAX> path{};
};
std::array<Slot, 32> slots;
static_assert(std::atomic<int>::is_always_lock_free);

Slot& arm(const std::string& temporary, const std::string& path) {
  for (Slot& slot : slots) {
    int expected = Slot::unused;
    if (temporary.size() < slot.path.size() && slot.state.compare_exchange_strong(expected, Slot::filling)) {
      temporary.copy(slot.path.data(), temporary.size());
      slot.path[temporary.size()] = '\0';
      slot.state = Slot::armed;
      return slot;
    }
  }
  throw Error(ErrorKind::io,
              fmt::format("{}: cannot write: the path is too long, or {} files are being written", path, slots.size()));
}

// The file that `path` names, through symbolic links if they lead somewhere.
std::string resolve(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
  return resolved != nullptr ? std::string(resolved.get()) : path;
}

std::string temporary_beside(const std::string& target) {
  static std::atomic<unsigned> count{0};
  const std::filesystem::path directory = std::filesystem::path(target).parent_path();
  return (directory / fmt::format(".tileloom-{}-{}.tmp", ::getpid(), count++)).string();
}

void write_all(int descriptor, const void* data, std::size_t bytes, const std::string& path) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t wrote = ::write(descriptor, at, bytes);
    if (wrote < 0 && errno != EINTR) {
      throw_io(path, "write");
    }
    const std::size_t done = wrote > 0 ? static_cast<std::size_t>(wrote) : 0;
    at += done;
    bytes -= done;
  }
}

}  // namespace

struct AtomicFile::Impl {
  std::string path;       // as the caller wrote it, for messages
  std::string target;     // what it resolves to
  std::string temporary;  // empty: a device or pipe, written in place
  Slot* slot = nullptr;
  Descriptor file{-1};

  explicit Impl(std::string name, std::string resolved) : path(std::move(name)), target(std::move(resolved)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { discard(); }

  void disarm() {
    if (slot != nullptr) {
      slot->state = Slot::unused;
      slot = nullptr;
    }
  }
  void discard() {
    if (slot != nullptr) {
      ::unlink(temporary.c_str());
      disarm();
    }
  }
};

AtomicFile::AtomicFile(std::string path) {
  std::string target = resolve(path);
  impl_ = std::make_unique<Impl>(std::move(path), std::move(target));
  Impl& out = *impl_;
  struct stat status {};
  const bool exists = ::stat(out.target.c_str(), &status) == 0;
  if (out.path.empty() || out.path.ends_with('/') || (exists && S_ISDIR(status.st_mode))) {
    errno = out.path.empty() ? ENOENT : EISDIR;
    throw_io(out.path, "write");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    out.file = Descriptor(::open(out.target.c_str(), O_WRONLY | O_CLOEXEC));
    if (out.file.get() < 0) {
      throw_io(out.path, "write");
    }
    return;
  }
  // Renaming over a file asks the directory for permission, not the file.
  if (exists && ::access(out.target.c_str(), W_OK) != 0) {
    throw_io(out.path, "write");
  }
  out.temporary = temporary_beside(out.target);
  out.slot = &arm(out.temporary, out.path);
  out.file = Descriptor(::open(out.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (out.file.get() < 0) {
    const int reason = errno;
    out.disarm();  // the name is not ours
    errno = reason;
    throw_io(out.path, "write");
  }
  if (exists) {
    ::fchmod(out.file.get(), status.st_mode & 07777U);
  }
}

AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;
AtomicFile::~AtomicFile() = default;

void AtomicFile::append(const void* data, std::size_t bytes) {
  write_all(impl_->file.get(), data, bytes, impl_->path);
}

void AtomicFile::commit() {
  Impl& out = *impl_;
  if (!out.temporary.empty() && ::fsync(out.file.get()) != 0) {
    throw_io(out.path, "write");
  }
  if (::close(out.file.release()) != 0) {
    throw_io(out.path, "write");
  }
  if (out.temporary.empty()) {
    return;
  }
  if (::rename(out.temporary.c_str(), out.target.c_str()) != 0) {
    throw_io(out.path, "write");
  }
  out.disarm();
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.append(text.data(), text.size());
  file.commit();
}

void remove_unfinished_files() noexcept {
  for (Slot& slot : slots) {
    if (slot.state == Slot::armed) {
      ::unlink(slot.path.data());
    }
  }
}

}  // namespace tileloom
