// SPDX-License-Identifier: Apache-2.0
// Questions of `tileloom trace` about one kernel, asked without the program.
#pragma once

#include <gtest/gtest.h>

#include <sstream>

#include "cli/trace_kernel.hpp"
#include "unit/trace/kernel_support.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::trace::test {

using cli::TraceQuestion;
using Json = nlohmann::ordered_json;

inline std::string answer(const Kernel& kernel, const TraceQuestion& q) {
  std::ostringstream out;
  cli::run_trace_kernel(kernel, q, Json::object(), out);
  return out.str();
}

inline Json json_answer(const Kernel& kernel, TraceQuestion q) {
  q.json = true;
  return Json::parse(answer(kernel, q));
}

inline std::pair<std::string, std::string> refused(const Kernel& kernel, const TraceQuestion& q) {
  return error_of([&] { return answer(kernel, q); });
}

struct Question : testing::Test {
  const Kernel one_warp = kernel_of_file("examples/one-warp.json");
  const Kernel big = kernel_of_file("examples/hgemm-128x256x32.json");
  const Kernel simple = build_kernel(cli::read_kernel_config("simple_128x128x16_f16", {}));
  const Kernel multistage = build_kernel(cli::read_kernel_config("multistage_128x256x32_f32", {}));

  static TraceQuestion element(const std::string& text) {
    TraceQuestion q;
    q.element = text;
    return q;
  }
  static TraceQuestion tensors(const std::vector<std::string>& names) {
    TraceQuestion q;
    q.tensors = names;
    return q;
  }
  static TraceQuestion map(const std::string& operand, const std::string& thread = "") {
    TraceQuestion q;
    q.map = operand;
    q.thread = thread;
    return q;
  }
  static TraceQuestion reg(const std::string& name, const std::string& lane, const std::string& warp = "") {
    TraceQuestion q;
    q.register_name = name;
    q.lane = lane;
    q.warp = warp;
    return q;
  }
};

}  // namespace tileloom::trace::test
