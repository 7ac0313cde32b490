// SPDX-License-Identifier: Apache-2.0
// Text files of the verbs.
#pragma once

#include <functional>
#include <istream>
#include <string>

namespace tileloom::cli {

// Hands the contents of `file` to `read`; - is stdin. Throws Error(io), which begins with `name`, if it cannot be read.
void read_stream(const std::string& file, const std::string& name, const std::function<void(std::istream&)>& read);

// All of a file. Throws Error(io) that begins with its name.
[[nodiscard]] std::string read_text(const std::string& file);

// Puts the whole text into `file`, or on stdout if that is empty. Throws Error(io).
void write_output(const std::string& file, const std::string& text);

}  // namespace tileloom::cli
