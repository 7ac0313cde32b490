// SPDX-License-Identifier: Apache-2.0
#include "emu/check/knowledge.hpp"

#include <algorithm>

namespace tileloom::emu {

SharedKnowledge joined(const SharedKnowledge& a, const SharedKnowledge& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  auto made = std::make_shared<Knowledge>(*a);
  for (std::size_t i = 0; i < made->size(); ++i) (*made)[i] = std::max((*made)[i], (*b)[i]);
  return made;
}

SharedForeign joined(const SharedForeign& a, const SharedForeign& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  auto made = std::make_shared<Foreign>(*a);
  for (const auto& [cta, knowledge] : *b) {
    SharedKnowledge& all = (*made)[cta];
    all = joined(all, knowledge);
  }
  return made;
}

Told joined(const Told& a, const Told& b) {
  return {joined(a.own, b.own), joined(a.others, b.others)};
}

void Publications::publish(std::uint64_t address, const SharedForeign& told) {
  if (!told) return;
  const std::scoped_lock lock(mutex_);
  SharedForeign& all = told_[address];
  all = joined(all, told);
}

SharedForeign Publications::at(std::uint64_t address) const {
  const std::scoped_lock lock(mutex_);
  const auto found = told_.find(address);
  return found == told_.end() ? nullptr : found->second;
}

}  // namespace tileloom::emu
