// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <stdexcept>
#include <utility>

#include "gemm/npy_header.hpp"
#include "text/atomic_file.hpp"
#include "tileloom/npy.hpp"

namespace tileloom::npy {

struct Writer::Impl {
  std::optional<AtomicFile> file;
};

Writer::Writer(std::string path) : impl_(std::make_unique<Impl>()) {
  impl_->file.emplace(std::move(path));
}

Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

void Writer::write(std::int64_t rows, std::int64_t cols, std::span<const std::uint16_t> values) {
  if (impl_ == nullptr || !impl_->file) {
    throw std::logic_error("npy::Writer::write called twice");
  }
  AtomicFile& out = *impl_->file;
  const std::string header = format_header(rows, cols);
  out.append(header.data(), header.size());
  out.append(values.data(), values.size_bytes());
  out.commit();
  impl_->file.reset();
}

void write_matrix(const std::string& path, const Matrix& matrix) {
  Writer(path).write(matrix.rows, matrix.cols, matrix.values);
}

void remove_unfinished() noexcept {
  remove_unfinished_files();
}

}  // namespace tileloom::npy
