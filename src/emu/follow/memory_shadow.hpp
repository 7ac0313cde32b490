// SPDX-License-Identifier: Apache-2.0
// The names in shared and global memory, one for each aligned 16 bits.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "emu/machine/cta.hpp"
#include "tileloom/emu/provenance.hpp"

namespace tileloom::emu {

// Where an access goes.
struct Spot {
  const Region* region = nullptr;  // null: shared memory
  std::uint64_t byte = 0;          // in the buffer, or the CTA's shared memory
};

class MemoryShadow {
 public:
  // `only`: of the buffers' elements this one has a name, 1.
  MemoryShadow(const LaunchState& launch, const std::vector<std::string>& buffers,
               const std::optional<BufferElement>& only);

  [[nodiscard]] const std::vector<Provenance::Named>& named() const { return named_; }

  void start_cta();
  // Nothing for memory that has no names: local memory, parameters, constants, and what is out of bounds.
  [[nodiscard]] std::optional<Spot> find(const Cta& cta, ptx::Space space, std::uint64_t address, std::uint32_t bytes);
  // Whether bytes at the address may have a name.
  [[nodiscard]] bool may_have(const Spot& spot, std::uint32_t bytes) const;
  [[nodiscard]] Name get(const Spot& spot) const;
  void set(const Spot& spot, Name name);

 private:
  [[nodiscard]] Name initial(const Region* region, std::uint64_t byte) const;

  static constexpr std::uint64_t line_bytes = 128;
  const LaunchState& launch_;
  std::optional<BufferElement> only_;
  const Region* only_region_ = nullptr;
  std::vector<Provenance::Named> named_;
  std::map<const Region*, Name> first_;  // of the buffers' first elements
  std::vector<Name> shared_;
  std::vector<std::uint8_t> shared_used_;               // by line
  std::map<const Region*, std::vector<Name>> written_;  // of regions that the kernel wrote
  const Region* last_ = nullptr;
};

}  // namespace tileloom::emu
