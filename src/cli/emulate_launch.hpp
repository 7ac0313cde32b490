// SPDX-License-Identifier: Apache-2.0
// One launch of `tileloom emulate`.
#pragma once

#include <span>
#include <vector>

#include "cli/emulate_run.hpp"

namespace tileloom::cli {

// The kernel's parameter bytes, and the buffers that they point to.
class Launch {
 public:
  // `entry` must outlive it. Throws Error(bad_input) for arguments that are not those of the kernel.
  Launch(const Entry& entry, const EmulateRequest& request);

  // Runs the kernel, once. The request's buffers hold afterwards what it left; they are compared with what is expected.
  [[nodiscard]] EmulateOutcome run(EmulateRequest& request);

 private:
  void set(const KernelArgument& argument, std::size_t index);
  [[nodiscard]] emu::DevicePtr place(const BufferArgument& buffer, const std::string& name);
  void read_back(EmulateRequest& request) const;

  Entry entry_;
  emu::Memory memory_;
  emu::Arguments arguments_;
  std::vector<std::vector<std::byte>> read_only_;
  std::vector<emu::DevicePtr> at_;  // by argument
};

}  // namespace tileloom::cli
