// SPDX-License-Identifier: Apache-2.0
#include "emu/memory.hpp"

#include <cstring>

#include <fmt/format.h>

#include "tileloom/error.hpp"

namespace tileloom::emu {
namespace {

constexpr std::uint64_t base_alignment = 256;

// The region that holds [at, at + size).
const Region& buffer_at(const Memory::Impl& impl, DevicePtr at, std::size_t size) {
  const std::uint64_t index = region_of(at.address) - first_buffer_region;
  if (index >= impl.regions.size()) {
    throw Error(ErrorKind::bad_input, fmt::format("address {:#x} is in no buffer", at.address));
  }
  const Region& region = impl.regions[index];
  const std::uint64_t offset = at.address - region.base;
  if (offset > region.size || region.size - offset < size) {
    throw Error(ErrorKind::bad_input, fmt::format("{} bytes at byte {} of {}, which has {} bytes", size,
                                                  static_cast<std::int64_t>(offset), region.label, region.size));
  }
  return region;
}

}  // namespace

DevicePtr Memory::Impl::add(std::byte* data, std::uint64_t size, std::string label, std::uint64_t offset,
                            bool writable) {
  const std::uint64_t base = buffer_base(first_buffer_region + regions.size()) + offset;
  if (size > region_bytes / 2 - base_alignment || first_buffer_region + regions.size() >= first_variable_region) {
    throw Error(ErrorKind::bad_input, fmt::format("buffer {} of {} bytes: a buffer has at most 2^39 - 256 bytes, and "
                                                  "there are at most 2^20 of them",
                                                  label, size));
  }
  regions.push_back({data, base, size, writable, std::move(label)});
  return {base};
}

Memory::Memory() : impl_(std::make_unique<Impl>()) {}
Memory::~Memory() = default;

DevicePtr Memory::allocate(std::size_t bytes, std::string label) {
  AlignedBytes made;
  try {
    made = make_aligned_bytes(bytes);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::cannot_run, fmt::format("no memory for buffer {} of {} bytes", label, bytes));
  }
  const DevicePtr at = impl_->add(made.get(), bytes, std::move(label), 0, true);
  impl_->owned.push_back(std::move(made));
  return at;
}

DevicePtr Memory::wrap(std::span<std::byte> bytes, std::string label) {
  return impl_->add(bytes.data(), bytes.size(), std::move(label),
                    reinterpret_cast<std::uintptr_t>(bytes.data()) % base_alignment, true);
}

DevicePtr Memory::wrap_read_only(std::span<const std::byte> bytes, std::string label) {
  return impl_->add(const_cast<std::byte*>(bytes.data()), bytes.size(), std::move(label),
                    reinterpret_cast<std::uintptr_t>(bytes.data()) % base_alignment, false);
}

void Memory::write(DevicePtr at, std::span<const std::byte> bytes) {
  const Region& region = buffer_at(*impl_, at, bytes.size());
  if (!bytes.empty()) std::memcpy(region.data + (at.address - region.base), bytes.data(), bytes.size());
}

void Memory::read(DevicePtr at, std::span<std::byte> bytes) const {
  const Region& region = buffer_at(*impl_, at, bytes.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), region.data + (at.address - region.base), bytes.size());
}

}  // namespace tileloom::emu
