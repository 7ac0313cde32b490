// SPDX-License-Identifier: Apache-2.0
// Kernel configurations from JSON, as docs/formats/kernel-config.md describes them.
#pragma once

#include <string>
#include <vector>

#include "tileloom/trace/kernel_config.hpp"

namespace tileloom::cli {

// `name` stands in front of messages: the file, or the kernel. `settings` are `field=value`, a field being a path such
// as s2r.B, and replace what the text says. Throws Error(bad_input), naming the field.
[[nodiscard]] trace::KernelConfig read_config(const std::string& name, const std::string& text,
                                              const std::vector<std::string>& settings = {});

// The configuration of a file, or of a shipped kernel by its name or its family's.
[[nodiscard]] trace::KernelConfig read_config_file(const std::string& file, const std::vector<std::string>& settings);
[[nodiscard]] trace::KernelConfig read_kernel_config(const std::string& kernel,
                                                     const std::vector<std::string>& settings);

}  // namespace tileloom::cli
