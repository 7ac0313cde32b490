// SPDX-License-Identifier: Apache-2.0
// Integers that Python gives: whatever is wrong with one is said by an Error that names it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tileloom::python {

// What __index__ gives, if it fits. Throws what Python raises.
[[nodiscard]] std::optional<std::int64_t> as_int64(nanobind::handle value);
// Anything with __index__ that fits. Throws Error(bad_input) that begins with `name`.
[[nodiscard]] std::int64_t integer_argument(const std::string& name, nanobind::handle value);
[[nodiscard]] int int_argument(const std::string& name, nanobind::handle value);
// A dict from text to integers. Throws Error(bad_input).
[[nodiscard]] std::map<std::string, std::int64_t> integers_argument(const std::string& name, nanobind::handle values);

}  // namespace tileloom::python
