// SPDX-License-Identifier: Apache-2.0
#include "emu/follow/memory_shadow.hpp"

#include <algorithm>

#include "emu/machine/address.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu {
namespace {

constexpr std::uint64_t most_names = std::uint64_t{1} << 31;

const Region& buffer_of(const LaunchState& launch, const std::string& label) {
  std::string known;
  for (const Region& region : launch.buffers) {
    if (region.label == label) return region;
    known += (known.empty() ? "" : ", ") + region.label;
  }
  throw Error(ErrorKind::bad_input, "follow: expected one of the buffers " + known + ", found '" + label + "'");
}

}  // namespace

MemoryShadow::MemoryShadow(const LaunchState& launch, const std::vector<std::string>& buffers,
                           const std::optional<BufferElement>& only)
    : launch_(launch),
      only_(only),
      shared_(launch.shared_bytes / 2 + 1),
      shared_used_(launch.shared_bytes / line_bytes + 1) {
  if (only_) {
    only_region_ = &buffer_of(launch, only_->buffer);
    if (only_->byte % 2 != 0 || only_->byte + 2 > only_region_->size) {
      throw Error(ErrorKind::bad_input, "follow: expected an even byte offset below " +
                                            std::to_string(only_region_->size) + " in " + only_->buffer + ", found " +
                                            std::to_string(only_->byte));
    }
    return;
  }
  std::uint64_t next = 1;
  for (const std::string& label : buffers) {
    const Region& region = buffer_of(launch, label);
    named_.push_back({label, static_cast<Name>(next)});
    first_[&region] = static_cast<Name>(next);
    next += (region.size + 1) / 2;
    if (next >= most_names) {
      throw Error(ErrorKind::bad_input, "follow: the buffers have more than 2^31 elements", "follow one element");
    }
  }
}

void MemoryShadow::start_cta() {
  std::ranges::fill(shared_, 0);
  std::ranges::fill(shared_used_, 0);
}

std::optional<Spot> MemoryShadow::find(const Cta& cta, ptx::Space space, std::uint64_t address, std::uint32_t bytes) {
  const bool generic = space == ptx::Space::generic;
  if (space == ptx::Space::shared || (generic && region_of(address) == shared_region)) {
    const std::uint64_t at = generic ? address - region_base(shared_region) : address;
    if (at > launch_.shared_bytes || launch_.shared_bytes - at < bytes) return std::nullopt;
    return Spot{nullptr, at};
  }
  if (!generic && space != ptx::Space::global) return std::nullopt;
  if (last_ == nullptr || region_of(last_->base) != region_of(address)) last_ = cta.find(address);
  if (last_ == nullptr) return std::nullopt;
  const std::uint64_t at = address - last_->base;
  if (at > last_->size || last_->size - at < bytes) return std::nullopt;
  return Spot{last_, at};
}

bool MemoryShadow::may_have(const Spot& spot, std::uint32_t bytes) const {
  if (spot.region == nullptr) {
    return shared_used_[spot.byte / line_bytes] != 0 || shared_used_[(spot.byte + bytes - 1) / line_bytes] != 0;
  }
  if (!written_.empty() && written_.contains(spot.region)) return true;
  if (only_) return spot.region == only_region_ && only_->byte + 1 - spot.byte < bytes;
  return !first_.empty() && first_.contains(spot.region);
}

Name MemoryShadow::initial(const Region* region, std::uint64_t byte) const {
  if (only_) return region == only_region_ && byte == only_->byte ? 1 : 0;
  const auto found = first_.find(region);
  return found == first_.end() ? 0 : found->second + static_cast<Name>(byte / 2);
}

Name MemoryShadow::get(const Spot& spot) const {
  if (spot.byte % 2 != 0) return 0;
  if (spot.region == nullptr) return shared_[spot.byte / 2];
  if (!written_.empty()) {
    if (const auto found = written_.find(spot.region); found != written_.end()) return found->second[spot.byte / 2];
  }
  return initial(spot.region, spot.byte);
}

void MemoryShadow::set(const Spot& spot, Name name) {
  if (spot.region == nullptr) {
    shared_[spot.byte / 2] = name;
    if (name != 0) shared_used_[spot.byte / line_bytes] = 1;
    return;
  }
  auto found = written_.find(spot.region);
  if (found == written_.end()) {
    if (name == initial(spot.region, spot.byte)) return;
    std::vector<Name> names(spot.region->size / 2 + 1);
    for (std::uint64_t i = 0; i < names.size(); ++i) names[i] = initial(spot.region, 2 * i);
    found = written_.emplace(spot.region, std::move(names)).first;
  }
  found->second[spot.byte / 2] = name;
}

}  // namespace tileloom::emu
