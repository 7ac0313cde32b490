// SPDX-License-Identifier: Apache-2.0
#include "emu/count/price.hpp"

#include <algorithm>
#include <bit>

namespace tileloom::emu {
namespace {

std::array<std::uint32_t, lanes> narrow(const std::array<std::uint64_t, lanes>& wide) {
  std::array<std::uint32_t, lanes> made;
  std::ranges::transform(wide, made.begin(), [](std::uint64_t a) { return static_cast<std::uint32_t>(a); });
  return made;
}

// An atomic is no access that was measured: one wavefront if all goes well, one a lane and word if nothing does.
hw::Wavefronts atomic_cost(const AccessForm& form, std::uint32_t active) {
  const int worst = std::popcount(active) * (form.bytes > 4 ? 2 : 1);
  return {1, worst, worst == 1, 1, "atomic"};
}

hw::Wavefronts wavefronts(const AccessForm& form, const AccessPattern& p, const hw::SharedAccess& access) {
  if (form.access == AccessClass::atomic) return atomic_cost(form, p.shared_lanes);
  return hw::shared_wavefronts(access);
}

hw::SharedAccess shared_access(const AccessForm& form, const AccessPattern& p,
                               std::span<const std::uint32_t, lanes> address) {
  hw::SharedAccess access{form.op, form.size, address, {}, p.shared_lanes};
  if (form.access == AccessClass::cp_async) {
    access.global = p.global;
    access.readers = p.global_lanes;
  }
  return access;
}

SharedCount shared_price(const AccessForm& form, const AccessPattern& p) {
  SharedCount count;
  if (p.shared_lanes == 0) return count;
  const std::array<std::uint32_t, lanes> address = narrow(p.shared);
  const hw::SharedAccess access = shared_access(form, p, address);
  const hw::Wavefronts w = wavefronts(form, p, access);
  const bool generic = p.global_lanes != 0 && form.access != AccessClass::cp_async;  // of both memories: not measured
  count.requests = 1;
  count.wavefronts_low = static_cast<std::uint64_t>(w.low);
  count.wavefronts_high = static_cast<std::uint64_t>(w.high);
  count.ideal = static_cast<std::uint64_t>(w.ideal);
  count.profiled = form.sized ? static_cast<std::uint64_t>(hw::profiled_sized_copy(access)) : count.wavefronts_high;
  count.exact = w.exact && !generic;
  count.bytes = std::uint64_t{form.bytes} * static_cast<unsigned>(std::popcount(p.shared_lanes));
  const std::array<int, 32> words = hw::bank_words(access);
  std::ranges::copy(words, count.bank_words.begin());
  return count;
}

GlobalCount global_price(const AccessForm& form, const AccessPattern& p) {
  GlobalCount count;
  if (p.global_lanes == 0) return count;
  const int size = std::min<int>(form.bytes, 16);  // wider ones are several accesses of 16 bytes side by side
  for (int at = 0; at < form.bytes; at += size) {
    std::array<std::uint64_t, lanes> address = p.global;
    for (std::uint64_t& a : address) a += static_cast<std::uint64_t>(at);
    const hw::GlobalTraffic t = hw::global_traffic({size, address, p.global_lanes});
    count.requests += static_cast<std::uint64_t>(t.requests);
    count.sectors += static_cast<std::uint64_t>(t.sectors);
    count.ideal_sectors += static_cast<std::uint64_t>(t.ideal_sectors);
  }
  if (form.op == hw::SharedOp::cp_async_cg) {
    const std::array<std::uint32_t, lanes> to = narrow(p.shared);
    count.sectors = static_cast<std::uint64_t>(hw::bypass_sectors(shared_access(form, p, to)));
  }
  count.bytes = p.global_bytes;
  return count;
}

}  // namespace

Price price_of(const AccessForm& form, const AccessPattern& pattern) {
  return {shared_price(form, pattern), global_price(form, pattern)};
}

}  // namespace tileloom::emu
