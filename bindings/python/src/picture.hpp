// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "render/draw/picture.hpp"

namespace tileloom::python {

struct PyKernel;

// A picture of `draw`.
struct PyPicture {
  render::draw::Picture model;

  [[nodiscard]] std::string svg() const;
  [[nodiscard]] std::string latex() const;
};

[[nodiscard]] PyPicture kernel_picture(const PyKernel& kernel, const std::string& part, bool bank);

}  // namespace tileloom::python
