// SPDX-License-Identifier: Apache-2.0
// The C boundary: arguments in, status out, nothing thrown.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "gemm/plan.hpp"
#include "gemm/problem.hpp"
#include "gemm/status.hpp"
#include "tileloom/gemm.h"
#include "tileloom/gemm.hpp"
#include "tileloom/version.hpp"

namespace tileloom::gemm {
namespace {

thread_local std::string last_error;

tileloom_status fail(tileloom_status status, const std::string& message) noexcept {
  try {
    last_error = message;
  } catch (const std::bad_alloc&) {
    last_error.clear();
  }
  return status;
}

tileloom_status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_input:
      return TILELOOM_STATUS_INVALID_VALUE;
    case ErrorKind::check_failed:
      return TILELOOM_STATUS_EXECUTION_FAILED;
    case ErrorKind::cannot_run:
      return TILELOOM_STATUS_NOT_SUPPORTED;
    default:
      return TILELOOM_STATUS_IO;
  }
}

std::string text_of(const Error& error) {
  return error.hint().empty() ? error.what() : fmt::format("{} ({})", error.what(), error.hint());
}

// The one place where exceptions end.
template <class Call>
tileloom_status guarded(const Call& call) noexcept {
  try {
    call();
    return TILELOOM_STATUS_SUCCESS;
  } catch (const StatusError& error) {
    return fail(error.status(), text_of(error));
  } catch (const Error& error) {
    return fail(status_of(error.kind()), text_of(error));
  } catch (const std::bad_alloc&) {
    return fail(TILELOOM_STATUS_ALLOC_FAILED, "out of memory");
  } catch (const std::exception& error) {
    return fail(TILELOOM_STATUS_INTERNAL_ERROR, error.what());
  } catch (...) {
    return fail(TILELOOM_STATUS_INTERNAL_ERROR, "unknown exception");
  }
}

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::bad_input, "gemm: " + message);
}

// The caller's struct, which may be shorter (an older program) or longer (a newer one) than ours. What a newer program
// sets beyond our fields asks for something that this version cannot do.
tileloom_gemm_args known_args(const tileloom_gemm_args* args) {
  if (args == nullptr) {
    refuse("args: expected a tileloom_gemm_args, found null");
  }
  constexpr std::size_t least = offsetof(tileloom_gemm_args, accumulate);
  if (args->struct_size < least) {
    refuse(fmt::format("struct_size: expected at least {}, found {}", least, args->struct_size));
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(args);
  for (std::size_t i = sizeof(tileloom_gemm_args); i < args->struct_size; ++i) {
    if (bytes[i] != 0) {
      throw StatusError(ErrorKind::cannot_run, TILELOOM_STATUS_NOT_SUPPORTED,
                        fmt::format("gemm: struct_size: expected zero bytes past {}, found one set at {}: "
                                    "the program asks for more than Tileloom " TILELOOM_VERSION " knows",
                                    sizeof(tileloom_gemm_args), i));
    }
  }
  tileloom_gemm_args known = TILELOOM_GEMM_ARGS_INIT;
  std::memcpy(&known, args, std::min(args->struct_size, sizeof known));
  if (known.reserved != 0) {
    refuse(fmt::format("reserved: expected 0, found {}", known.reserved));
  }
  return known;
}

GemmProblem problem_of(const tileloom_gemm_args& args) {
  if (args.accumulate != TILELOOM_ACCUMULATE_F32 && args.accumulate != TILELOOM_ACCUMULATE_F16) {
    refuse(fmt::format("accumulate: expected 0 (f32) or 1 (f16), found {}", args.accumulate));
  }
  return {.m = args.m,
          .n = args.n,
          .k = args.k,
          .lda = args.lda,
          .ldb = args.ldb,
          .ldd = args.ldd,
          .accumulate = args.accumulate == TILELOOM_ACCUMULATE_F16 ? Accumulate::f16 : Accumulate::f32};
}

GemmOptions options_of(const tileloom_gemm_args& args) {
  GemmOptions options;
  switch (args.backend) {
    case TILELOOM_BACKEND_AUTO:
      options.backend = Backend::automatic;
      break;
    case TILELOOM_BACKEND_CUDA:
      options.backend = Backend::cuda;
      break;
    case TILELOOM_BACKEND_EMULATOR:
      options.backend = Backend::emulator;
      break;
    default:
      refuse(fmt::format("backend: expected 0 (auto), 1 (cuda) or 2 (emulator), found {}", args.backend));
  }
  if (args.arch != 0) {
    options.arch = hw::parse_arch(std::to_string(args.arch));
  }
  options.kernel = args.kernel != nullptr ? args.kernel : "";
  options.stages = args.stages;
  if (args.raster < -1) {
    refuse(fmt::format("raster: expected -1 (off), 0 (chosen) or a width, found {}", args.raster));
  }
  if (args.raster != 0) {
    options.raster_width = static_cast<std::uint32_t>(std::max(args.raster, 0));
  }
  return options;
}

using Launch = GemmReport (*)(const GemmProblem&, const Plan&, const GemmOperands&, const LaunchControl&);

tileloom_status run(const tileloom_gemm_args* args, Launch launch_function, void* stream) noexcept {
  return guarded([&] {
    const tileloom_gemm_args known = known_args(args);
    const GemmOperands operands{known.a, known.b, known.d};
    const GemmProblem problem = problem_of(known);
    check(problem, operands);  // before the choice, whose errors come later in the order of arguments
    const Plan plan = remembered_plan(problem, options_of(known));
    LaunchControl control;
    control.stream = stream;
    launch_function(problem, plan, operands, control);
  });
}

}  // namespace
}  // namespace tileloom::gemm

extern "C" {

tileloom_status tileloom_gemm(const tileloom_gemm_args* args, void* stream) {
  return tileloom::gemm::run(args, tileloom::gemm::launch, stream);
}

tileloom_status tileloom_gemm_host(const tileloom_gemm_args* args) {
  return tileloom::gemm::run(args, tileloom::gemm::launch_host, nullptr);
}

tileloom_status tileloom_gemm_describe(const tileloom_gemm_args* args, char* text, size_t capacity, size_t* needed) {
  using namespace tileloom;
  return gemm::guarded([&] {
    const tileloom_gemm_args known = gemm::known_args(args);
    if (text == nullptr && capacity != 0) {
      gemm::refuse(fmt::format("text: expected {} bytes to write to, found null", capacity));
    }
    const GemmProblem problem = gemm::problem_of(known);
    const std::string all = to_string(problem) + '\n' + to_string(configure(problem, gemm::options_of(known)));
    if (needed != nullptr) {
      *needed = all.size() + 1;
    }
    if (capacity > 0) {
      const std::size_t copied = std::min(all.size(), capacity - 1);
      std::memcpy(text, all.data(), copied);
      text[copied] = '\0';
    }
  });
}

const char* tileloom_status_string(tileloom_status status) {
  switch (status) {
    case TILELOOM_STATUS_SUCCESS:
      return "success";
    case TILELOOM_STATUS_NOT_INITIALIZED:
      return "not initialized";
    case TILELOOM_STATUS_ALLOC_FAILED:
      return "allocation failed";
    case TILELOOM_STATUS_INVALID_VALUE:
      return "invalid value";
    case TILELOOM_STATUS_ARCH_MISMATCH:
      return "arch mismatch";
    case TILELOOM_STATUS_EXECUTION_FAILED:
      return "execution failed";
    case TILELOOM_STATUS_INTERNAL_ERROR:
      return "internal error";
    case TILELOOM_STATUS_NOT_SUPPORTED:
      return "not supported";
    case TILELOOM_STATUS_IO:
      return "input or output failed";
  }
  return "unknown status";
}

const char* tileloom_last_error(void) {
  return tileloom::gemm::last_error.c_str();
}

const char* tileloom_version(void) {
  return TILELOOM_VERSION;
}
}
