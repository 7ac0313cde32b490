// SPDX-License-Identifier: Apache-2.0
// The policy: CuTe's answer, its law, and the override where the law does not hold.
#pragma once

#include <optional>
#include <string>

#include "layout/engine.hpp"
#include "layout/refusal.hpp"

namespace tileloom::layout {

[[nodiscard]] inline bool is_cute(const Policy& policy) {
  return policy.semantics == Semantics::cute;
}

inline constexpr Engine cute(false);
inline constexpr Engine by_value(true);

inline void note(const Policy& policy, const std::string& sentence) {
  if (policy.log != nullptr) {
    policy.log->notes.push_back(sentence);
  }
}

[[nodiscard]] inline bool wants_steps(const Policy& policy) {
  return policy.log != nullptr && policy.log->want_steps;
}

// Records a step; what() is the expression, formed only if somebody wants to read it.
template <class What>
void step(const Policy& policy, const What& what, const Layout& result) {
  if (wants_steps(policy)) {
    policy.log->steps.push_back({what(), to_string(result)});
  }
}

// CuTe's own answer, or none where CuTe refuses.
template <class F>
[[nodiscard]] std::optional<Layout> attempt(const F& f) {
  try {
    return f();
  } catch (const Error&) {
    return std::nullopt;
  }
}

// CuTe's answer if `holds`, else the one that `better` finds, with a note of the difference. Both take a Refusal* that
// may be null, and may refuse.
template <class Cute, class Holds, class Better>
[[nodiscard]] std::optional<Layout> choose(const char* what, const Policy& policy, Refusal* why,
                                           const Cute& cute_answer, const Holds& holds, const Better& better,
                                           const char* reason) {
  if (is_cute(policy)) {
    return cute_answer(why);
  }
  std::optional<Layout> answer = attempt([&] { return cute_answer(nullptr); });
  if (answer && holds(*answer)) {
    return answer;
  }
  std::optional<Layout> result = better(answer, why);
  if (result && policy.log != nullptr) {
    note(policy,
         std::string(what) + ": CuTe " + (answer ? "returns " + to_string(*answer) : "refuses this") + "; " + reason);
  }
  return result;
}

// The same for operations that throw where they refuse.
template <class Cute, class Holds, class Better>
[[nodiscard]] Layout answered(const char* what, const Policy& policy, const Cute& cute_answer, const Holds& holds,
                              const Better& better, const char* reason) {
  return *choose(
      what, policy, nullptr, [&](Refusal*) -> std::optional<Layout> { return cute_answer(); }, holds,
      [&](const std::optional<Layout>& l, Refusal*) -> std::optional<Layout> { return better(l); }, reason);
}

inline constexpr const char* values_decide = "the answer here is decided from the values, which are known";

// What refusing(why) returns, or the Error that it refuses with.
template <class F>
[[nodiscard]] Layout or_throw(const F& refusing) {
  Refusal why;
  std::optional<Layout> answer = refusing(&why);
  if (!answer) {
    throw why.error();
  }
  return *std::move(answer);
}
template <class F>
[[nodiscard]] Result<Layout> or_error(const F& refusing) {
  try {
    Refusal why;
    std::optional<Layout> answer = refusing(&why);
    if (answer) {
      return *std::move(answer);
    }
    return why.error();
  } catch (const Error& e) {  // what is refused on the way: numbers that overflow, sizes that cannot be
    return e;
  }
}

}  // namespace tileloom::layout
