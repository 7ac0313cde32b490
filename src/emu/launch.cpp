// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "emu/check/launch_checks.hpp"
#include "emu/check/race_checker.hpp"
#include "emu/isa/special_registers.hpp"
#include "emu/launch_state.hpp"
#include "emu/machine/frames.hpp"
#include "emu/machine/interpreter.hpp"
#include "emu/memory.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu {
namespace {

// What observes a launch; null: nothing.
struct Observation {
  LaunchChecks* checks = nullptr;
  LaunchCounters* counters = nullptr;
  Follower* follower = nullptr;  // of the one host thread
};

// One host thread's CTA, used again for the next one.
class CtaRunner {
 public:
  CtaRunner(LaunchState& launch, const Observation& observation)
      : launch_(launch), checks_(observation.checks), follower_(observation.follower) {
    const Dim3& block = launch.options.block;
    threads_ = block.x * block.y * block.z;
    cta_.launch = &launch;
    cta_.warps.resize((threads_ + lanes - 1) / lanes);
    shared_ = make_aligned_bytes(launch.shared_bytes);
    cta_.shared = {shared_.get(), 0, launch.shared_bytes, true, "shared memory"};
    cta_.param = {launch.parameters.data(), 0, launch.parameters.size(), false, "the kernel's parameters"};
    for (Warp& w : cta_.warps) w.special = make_aligned_bytes(special_area_bytes());
    if (checks_ != nullptr) checker_.emplace(*checks_, launch.shared_bytes);
    if (observation.counters != nullptr) counter_.emplace(*observation.counters);
  }
  CtaRunner(const CtaRunner&) = delete;
  CtaRunner& operator=(const CtaRunner&) = delete;
  ~CtaRunner() {
    if (checker_) checks_->add(checker_->log());
  }

  // The CTA that begins as the `ticket`th. Returns the warp instructions it ran.
  std::uint64_t run(std::uint64_t ticket, std::uint64_t number) {
    start(number);
    if (follower_ != nullptr) follower_->start_cta(cta_, number);
    if (checker_) {
      checker_->start_cta(cta_, number);
      run_checked(ticket);
    } else {
      interpret();
    }
    return cta_.instructions;
  }

 private:
  // A CTA that fails has done something until then.
  void run_checked(std::uint64_t ticket) {
    try {
      interpret();
    } catch (...) {
      checks_->add(ticket, checker_->take_trace());
      throw;
    }
    checks_->add(ticket, checker_->take_trace());
  }

  void interpret() {
    if (counter_ || follower_ != nullptr) {
      ObserverSet all{checker_ ? &*checker_ : nullptr, counter_ ? &*counter_ : nullptr, follower_};
      Interpreter<ObserverSet>(cta_, all).run();
    } else if (checker_) {
      Interpreter<RaceChecker>(cta_, *checker_).run();
    } else {
      NoObserver observer;
      Interpreter<NoObserver>(cta_, observer).run();
    }
  }

  void start(std::uint64_t number) {
    const Dim3& grid = launch_.options.grid;
    cta_.index = {static_cast<std::uint32_t>(number % grid.x), static_cast<std::uint32_t>(number / grid.x % grid.y),
                  static_cast<std::uint32_t>(number / grid.x / grid.y)};
    cta_.instructions = 0;
    cta_.barriers = {};
    if (launch_.shared_bytes > 0) std::memset(shared_.get(), uninitialised, launch_.shared_bytes);
    for (std::uint32_t i = 0; i < cta_.warps.size(); ++i) start_warp(cta_.warps[i], i);
  }

  void start_warp(Warp& w, std::uint32_t index) {
    const Program& program = *launch_.program;
    const FunctionCode& kernel = program.functions[launch_.entry];
    const std::uint32_t left = threads_ - index * lanes;
    w.cta = &cta_;
    w.index = index;
    w.lists = program.lists.data();
    w.exists = w.live = left >= lanes ? all_lanes : (1U << left) - 1;
    w.blocked = 0;
    w.instructions = 0;
    w.lane_pc.fill(kernel.first);
    w.pc = kernel.first;
    w.depth.fill(0);
    w.wait.fill({});
    w.copies.clear();
    w.copy_group.fill(0);
    enter_kernel(w, program, kernel);
    w.areas = {w.frames[0].registers.get(), launch_.constants.data(), w.special.get()};
    fill_specials(w);
  }

  LaunchState& launch_;
  LaunchChecks* checks_;  // null in an unchecked launch
  std::uint32_t threads_ = 0;
  AlignedBytes shared_;
  Cta cta_;
  std::optional<RaceChecker> checker_;
  std::optional<Counter> counter_;
  Follower* follower_;
};

// Hands CTAs out in order. The error of the lowest CTA is the launch's.
class Workers {
 public:
  Workers(LaunchState& launch, const Observation& observation, std::uint64_t ctas, unsigned threads)
      : launch_(launch), observation_(observation), ctas_(ctas), order_(launch.options.schedule, ctas) {
    while (threads_.size() < threads && start_one()) {
    }
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    for (std::thread& t : threads_) t.join();
  }

  // Until all are done; calls `progress` now and then from this thread.
  void wait(const std::function<bool(const Progress&)>& progress) {
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, std::chrono::milliseconds(100), [&] { return running_ == 0; })) {
      if (!progress) continue;
      lock.unlock();
      bool go_on = false;
      try {
        go_on = progress({finished_.load(), ctas_});
      } catch (...) {
        launch_.stop = true;
        throw;
      }
      if (!go_on) launch_.stop = true;
      lock.lock();
    }
    if (error_) std::rethrow_exception(error_);
  }

  [[nodiscard]] std::uint64_t instructions() const { return instructions_.load(); }

 private:
  // False where the system has no more threads to give; the launch goes on with those that it has.
  bool start_one() {
    {
      const std::scoped_lock lock(mutex_);
      ++running_;
    }
    try {
      threads_.emplace_back([this] { work(); });
      return true;
    } catch (const std::system_error&) {
      const std::scoped_lock lock(mutex_);
      --running_;
    }
    if (threads_.empty()) {
      throw Error(ErrorKind::cannot_run, "the system gives the emulator no thread",
                  "raise the limits of processes or memory (ulimit -u, ulimit -v)");
    }
    return false;
  }

  void work() {
    try {
      std::optional<CtaRunner> runner;
      while (!failed_.load() && !launch_.stop.load()) {
        const std::uint64_t ticket = next_.fetch_add(1);
        if (ticket >= ctas_) break;
        run_one(runner, ticket);
      }
    } catch (...) {
      note_error(0);
    }
    const std::scoped_lock lock(mutex_);
    --running_;
    done_.notify_all();
  }

  void run_one(std::optional<CtaRunner>& runner, std::uint64_t ticket) {
    const std::uint64_t number = order_[ticket];
    try {
      if (!runner) runner.emplace(launch_, observation_);
      instructions_ += runner->run(ticket, number);
      ++finished_;
    } catch (...) {
      note_error(number);
    }
  }

  void note_error(std::uint64_t number) {
    const std::scoped_lock lock(mutex_);
    if (error_ && number >= error_cta_) return;
    error_ = std::current_exception();
    error_cta_ = number;
    failed_ = true;
  }

  LaunchState& launch_;
  Observation observation_;
  std::uint64_t ctas_;
  CtaOrder order_;
  std::atomic<std::uint64_t> next_{0}, finished_{0}, instructions_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::condition_variable done_;
  unsigned running_ = 0;
  std::exception_ptr error_;
  std::uint64_t error_cta_ = 0;
  std::vector<std::thread> threads_;
};

unsigned thread_count(const LaunchOptions& options, std::uint64_t ctas) {
  if (options.follow) return 1;
  const unsigned wanted = options.host_threads != 0 ? options.host_threads : std::thread::hardware_concurrency();
  return static_cast<unsigned>(std::min<std::uint64_t>(std::clamp(wanted, 1U, 1024U), ctas));
}

// What a plain launch writes is not known: every buffer that it may write counts as written.
void forget_unwritten(Memory::Impl& memory) {
  for (std::size_t i = 0; i < memory.regions.size(); ++i) memory.set_written(i);
}

Failure failure_of(const Error& error) {
  const std::string message = error.what();
  return {message.substr(0, message.find(':')), message};
}

}  // namespace

LaunchReport try_launch(const Module& module, std::string_view kernel, const LaunchOptions& options,
                        std::span<const std::byte> parameters, Memory& memory) {
  LaunchState state;
  LaunchReport report;
  prepare_launch(state, module, module.kernel(kernel), options, parameters, memory);
  std::optional<LaunchChecks> checks;
  if (options.check) checks.emplace(state);
  std::optional<LaunchCounters> counters;
  if (options.count) counters.emplace(*state.program);
  std::optional<Follower> follower;
  if (options.follow) follower.emplace(state);
  const Observation observation{checks ? &*checks : nullptr, counters ? &*counters : nullptr,
                                follower ? &*follower : nullptr};
  const std::uint64_t ctas = std::uint64_t{options.grid.x} * options.grid.y * options.grid.z;
  {
    Workers workers(state, observation, ctas, thread_count(options, ctas));
    try {
      workers.wait(options.progress);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::check_failed) throw;
      report.failure = failure_of(error);
    }
    report.warp_instructions = workers.instructions();
  }
  if (checks) {
    const RaceLog& log = checks->finish();
    report.findings = log.findings(*state.program, options.grid);
    report.uninitialised_reads = log.uninitialised_reads(*state.program, options.grid);
  } else {
    forget_unwritten(memory.impl());
  }
  if (counters) report.counters = counters->finish();
  if (follower) report.provenance = follower->finish();
  report.warnings = launch_warnings(state);
  return report;
}

LaunchReport launch(const Module& module, std::string_view kernel, const LaunchOptions& options,
                    std::span<const std::byte> parameters, Memory& memory) {
  LaunchReport report = try_launch(module, kernel, options, parameters, memory);
  if (report.failure) throw Error(ErrorKind::check_failed, report.failure->message);
  return report;
}

}  // namespace tileloom::emu
