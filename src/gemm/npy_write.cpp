// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

#include "gemm/npy_header.hpp"
#include "gemm/npy_type.hpp"
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

void Writer::write_parts(const std::string& header, std::span<const std::byte> bytes) {
  if (impl_ == nullptr || !impl_->file) {
    throw std::logic_error("npy::Writer::write called twice");
  }
  AtomicFile& out = *impl_->file;
  out.append(header.data(), header.size());
  out.append(bytes.data(), bytes.size());
  out.commit();
  impl_->file.reset();
}

void Writer::write(std::int64_t rows, std::int64_t cols, std::span<const std::uint16_t> values) {
  write(Type::f16, std::array{rows, cols}, std::as_bytes(values));
}

void Writer::write(Type type, std::span<const std::int64_t> shape, std::span<const std::byte> bytes) {
  write_parts(format_header(descr_of(type), shape), bytes);
}

void write_matrix(const std::string& path, const Matrix& matrix) {
  Writer(path).write(matrix.rows, matrix.cols, matrix.values);
}

void remove_unfinished() noexcept {
  remove_unfinished_files();
}

}  // namespace tileloom::npy
