// SPDX-License-Identifier: Apache-2.0
// An Error that also carries the C interface's finer status.
#pragma once

#include <string>
#include <utility>

#include "tileloom/error.hpp"
#include "tileloom/gemm.h"

namespace tileloom::gemm {

class StatusError : public Error {
 public:
  StatusError(ErrorKind kind, tileloom_status status, const std::string& message, std::string hint = {})
      : Error(kind, message, std::move(hint)), status_(status) {}

  [[nodiscard]] tileloom_status status() const noexcept { return status_; }

 private:
  tileloom_status status_;
};

}  // namespace tileloom::gemm
