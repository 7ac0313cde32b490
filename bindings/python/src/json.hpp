// SPDX-License-Identifier: Apache-2.0
// JSON as Python's own objects.
#pragma once

#include <nanobind/nanobind.h>

#include <nlohmann/json.hpp>

namespace tileloom::python {

// A dict, list, str, int, float, bool or None; objects keep their order.
[[nodiscard]] nanobind::object to_python(const nlohmann::ordered_json& json);

}  // namespace tileloom::python
