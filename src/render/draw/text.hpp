// SPDX-License-Identifier: Apache-2.0
// Texts of users in XML and LaTeX.
#pragma once

#include <string>
#include <string_view>

namespace tileloom::render::draw {

// Markup characters as entities; what XML 1.0 does not allow, and bytes that are not UTF-8, as U+FFFD.
[[nodiscard]] std::string xml_text(std::string_view text);

// LaTeX's special characters as commands; what is not printable ASCII as `?`, for every TeX to read.
[[nodiscard]] std::string latex_text(std::string_view text);
// For a comment line: no line ends in it.
[[nodiscard]] std::string latex_comment(std::string_view text);

}  // namespace tileloom::render::draw
