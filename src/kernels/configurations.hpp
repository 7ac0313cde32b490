// SPDX-License-Identifier: Apache-2.0
// The shipped kernels as configurations (docs/formats/kernel-config.md): the files of configs/, built in.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace tileloom::kernels {

struct Configuration {
  std::string_view name;  // of the instance
  std::string_view json;
};

[[nodiscard]] std::span<const Configuration> configurations();

// By the name of an instance, or of a family, which means its first default.
[[nodiscard]] std::optional<Configuration> find_configuration(std::string_view name);

}  // namespace tileloom::kernels
