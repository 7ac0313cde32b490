// SPDX-License-Identifier: Apache-2.0
#include "emu/memory.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tileloom/error.hpp"

namespace tileloom::emu {
namespace {

constexpr std::uint64_t base_alignment = 256;

constexpr std::uint64_t granule = 16;  // bytes of one mask in Region::written

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

// Marks bytes of a region as written.
void mark_written(const Region& region, std::uint64_t address, std::uint64_t size) {
  if (region.written == nullptr) return;
  const std::uint64_t origin = region.base / granule;
  for (const std::uint64_t end = address + size; address < end;) {
    const std::uint64_t first = address % granule;
    const std::uint64_t count = std::min(granule - first, end - address);
    region.written[address / granule - origin] |= static_cast<std::uint16_t>(((1U << count) - 1) << first);
    address += count;
  }
}

std::uint64_t offset_of(const void* bytes) {
  return reinterpret_cast<std::uintptr_t>(bytes) % base_alignment;
}

}  // namespace

void Memory::Impl::set_unwritten(std::size_t region) {
  Region& r = regions[region];
  written[region].assign((r.base % granule + r.size + granule - 1) / granule, 0);
  r.written = written[region].data();
}

void Memory::Impl::set_written(std::size_t region) {
  regions[region].written = nullptr;
  written[region] = {};
}

DevicePtr Memory::Impl::add(std::byte* data, std::uint64_t size, std::string label, std::uint64_t offset,
                            bool writable) {
  const std::uint64_t base = buffer_base(first_buffer_region + regions.size()) + offset;
  if (size > region_bytes / 2 - base_alignment || first_buffer_region + regions.size() >= first_variable_region) {
    throw Error(ErrorKind::bad_input, fmt::format("buffer {} of {} bytes: a buffer has at most 2^39 - 256 bytes, and "
                                                  "there are at most 2^20 of them",
                                                  label, size));
  }
  regions.push_back({data, base, size, writable, std::move(label)});
  written.emplace_back();
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
  impl_->set_unwritten(impl_->regions.size() - 1);
  return at;
}

DevicePtr Memory::wrap(std::span<std::byte> bytes, std::string label) {
  return impl_->add(bytes.data(), bytes.size(), std::move(label), offset_of(bytes.data()), true);
}

DevicePtr Memory::wrap_read_only(std::span<const std::byte> bytes, std::string label) {
  return impl_->add(const_cast<std::byte*>(bytes.data()), bytes.size(), std::move(label), offset_of(bytes.data()),
                    false);
}

DevicePtr Memory::wrap_output(std::span<std::byte> bytes, std::string label) {
  const DevicePtr at = wrap(bytes, std::move(label));
  impl_->set_unwritten(impl_->regions.size() - 1);
  return at;
}

void Memory::write(DevicePtr at, std::span<const std::byte> bytes) {
  const Region& region = buffer_at(*impl_, at, bytes.size());
  if (!bytes.empty()) std::memcpy(region.data + (at.address - region.base), bytes.data(), bytes.size());
  mark_written(region, at.address, bytes.size());
}

void Memory::read(DevicePtr at, std::span<std::byte> bytes) const {
  const Region& region = buffer_at(*impl_, at, bytes.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), region.data + (at.address - region.base), bytes.size());
}

}  // namespace tileloom::emu
