// SPDX-License-Identifier: Apache-2.0
// Every form of every instruction, compared with what an H200 gave (tests/golden/h200/micro_kernels.bin, made by
// tests/gpu/micro_kernels.cpp).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "emu/isa/instruction.hpp"
#include "emu/micro/micro_case.hpp"
#include "emu/micro/micro_compare.hpp"
#include "emu/micro/micro_record.hpp"
#include "emu/ptx/parser.hpp"
#include "tileloom/emu/emulator.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu::test {
namespace {

using U64 = std::uint64_t;

constexpr std::size_t threads = std::size_t{micro_threads} * micro_ctas;

const MicroRecords& records() {
  static const MicroRecords all = read_records(TILELOOM_TEST_DATA "/golden/h200/micro_kernels.bin");
  return all;
}

// What the kernel stores; nothing, and why, where the emulator refuses it.
std::optional<std::vector<U64>> emulate(const MicroCase& c, std::string& reason) {
  try {
    const Module module = Module::from_ptx(micro_ptx(c), "micro.ptx");
    const std::vector<U64> in = micro_values(c);
    std::vector<U64> out(threads * c.results.size(), 0);
    std::vector<U64> scratch(threads * micro_cell / 8, 0);
    Memory memory;
    Arguments arguments(module.kernels().front());
    arguments.set(0, memory.wrap_read_only(std::as_bytes(std::span(in)), "in"));
    arguments.set(1, memory.wrap(std::as_writable_bytes(std::span(out)), "out"));
    arguments.set(2, memory.wrap(std::as_writable_bytes(std::span(scratch)), "scratch"));
    LaunchOptions options;
    options.grid = {micro_ctas};
    options.block = {micro_threads};
    options.host_threads = 1;
    launch(module, module.kernels().front().name, options, arguments.bytes(), memory);
    return out;
  } catch (const Error& error) {
    reason = error.what();
    return std::nullopt;
  }
}

std::string describe_inputs(const MicroCase& c, std::size_t thread) {
  const std::vector<U64> values = micro_values(c);
  std::string text;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const std::string name = reg(c.inputs[i], static_cast<unsigned>(i + 1));
    text +=
        fmt::format("{}{} = {:#x}", i > 0 ? ", " : "", name, cut_to_register(name, values[thread * micro_inputs + i]));
  }
  return text;
}

// The words `a` ... of a name like `ld.global.u32 after prefetch.global.L1`.
std::set<std::string> words_of(const std::string& name) {
  std::set<std::string> words;
  std::string word;
  for (const char letter : name + ".") {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      word += letter;
    } else {
      words.insert(std::exchange(word, ""));
    }
  }
  return words;
}

// Calls f(case, instruction) for the instructions that a case is about.
template <class F>
void for_subjects(F f) {
  for (const MicroCase& c : micro_cases()) {
    const std::set<std::string> words = words_of(c.name);
    for (const ptx::Function& function : ptx::parse(micro_ptx(c), "micro.ptx").functions) {
      for (const ptx::Instruction& i : function.code) {
        if (words.contains(i.root) && find_entry(i) != nullptr) f(c, i);
      }
    }
  }
}

// Whether the emulator takes the case's instruction `root` with one more modifier.
bool takes(MicroCase c, const std::string& root, const std::string& modifier) {
  for (std::size_t at = c.body.find(root); at != std::string::npos; at = c.body.find(root, at + 1)) {
    const char after = c.body[at + root.size()];
    const bool begins = at == 0 || c.body[at - 1] == ' ';
    if (begins && (after == '.' || after == ' ' || after == ';')) c.body.insert(at + root.size(), "." + modifier);
  }
  try {
    static_cast<void>(Module::from_ptx(micro_ptx(c), "micro.ptx"));
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Where the emulator and the H200 differ: kernels whose instruction NVIDIA's compiler translates into something else
// than PTX says. `instead` has that in PTX; the emulator's results of it are the H200's.
std::optional<MicroCase> instead(const MicroCase& c) {
  const auto has = [&](const char* part) { return c.name.find(part) != std::string::npos; };
  MicroCase made = c;
  if (c.name.starts_with("st.") && has(".f32") && has("64-bit register")) {
    // The register's number is converted, not cut.
    const std::size_t value = c.body.find("], %d5;");
    const std::size_t store = c.body.rfind("st.", value);
    made.body.replace(value, 7, "], %r60;").insert(store, "cvt.rn.f32.u64 %r60, %d5; ");
    return made;
  }
  if (has("shared") && has("add.noftz.") && has("f16x2")) {
    // The operand's high half is taken from the next register, which is 0 here.
    made.body = "and.b32 %r2, %r2, 0xFFFF; " + c.body;
    return made;
  }
  return std::nullopt;
}

}  // namespace

TEST(MicroKernels, names_are_different) {
  std::set<std::string> symbols;
  for (const MicroCase& c : micro_cases()) EXPECT_TRUE(symbols.insert(c.name).second) << c.name;
}

TEST(MicroKernels, every_instruction_of_the_table_has_one) {
  // Without a result to compare: these end the launch, or only run in kernels of warpgroups.
  const std::set<std::string_view> without{"trap", "brkpt", "setmaxnreg"};
  std::set<const DecodeEntry*> seen;
  for_subjects([&](const MicroCase&, const ptx::Instruction& i) { seen.insert(find_entry(i)); });
  for (const DecodeEntry& entry : all_instructions()) {
    if (without.contains(entry.root)) continue;
    EXPECT_TRUE(seen.contains(&entry)) << entry.root << ", family " << static_cast<int>(entry.family);
  }
}

// How an access is cached, ordered or seen by others changes no value: the emulator takes all of these words at each.
bool is_hint(const std::string& root, const std::string& word) {
  static const std::set<std::string> roots{"ld", "ldu", "st", "atom", "red", "cp"};
  static const std::set<std::string> words{"weak", "relaxed", "acquire", "release", "acq_rel", "volatile",
                                           "cta",  "gpu",     "sys",     "cluster", "ca",      "cg",
                                           "cs",   "lu",      "cv",      "nc",      "wb",      "wt"};
  return roots.contains(root) && (words.contains(word) || word.starts_with("L1::") || word.starts_with("L2::"));
}

// What the emulator takes after an instruction and what the micro-kernels have there is the same. Instructions that
// take any word are hints.
TEST(MicroKernels, every_modifier_of_an_instruction_has_one) {
  std::map<const DecodeEntry*, std::set<std::string>> had;
  std::map<const DecodeEntry*, MicroCase> first;
  std::set<std::string> vocabulary;
  for_subjects([&](const MicroCase& c, const ptx::Instruction& i) {
    first.try_emplace(find_entry(i), c);
    had[find_entry(i)].insert(i.modifiers.begin(), i.modifiers.end());
    for (const std::string& m : i.modifiers) {
      if (!ptx::parse_type(m)) vocabulary.insert(m);
    }
  });
  for (const auto& [entry, c] : first) {
    const std::string root(entry->root);
    if (takes(c, root, "anything")) continue;
    for (const std::string& word : vocabulary) {
      if (had[entry].contains(word) || is_hint(root, word)) continue;
      EXPECT_FALSE(takes(c, root, word)) << root << "." << word << " has no micro-kernel (" << c.name << ")";
    }
  }
}

TEST(MicroKernels, the_record_is_of_these_kernels) {
  for (const MicroCase& c : micro_cases()) {
    const auto found = records().find(c.name);
    ASSERT_NE(found, records().end()) << c.name << " has no record: run tests/gpu/micro_kernels.sh on an H200";
    EXPECT_EQ(found->second.text, micro_fingerprint(c)) << c.name << " has changed since it was recorded";
  }
  EXPECT_EQ(records().size(), micro_cases().size());
}

TEST(MicroKernels, the_emulator_gives_the_results_of_the_h200) {
  // What NVIDIA's compiler takes and the emulator does not.
  const std::set<std::string_view> unsupported{"movmatrix.sync.aligned.m8n8.trans.b16"};
  std::map<Agreement, std::size_t> kernels;
  std::size_t results = 0;
  std::size_t explained = 0;
  for (const MicroCase& c : micro_cases()) {
    const auto recorded_case = records().find(c.name);
    if (recorded_case == records().end() || recorded_case->second.refused) continue;
    const MicroRecord& record = recorded_case->second;
    std::string reason;
    const auto made = emulate(c, reason);
    EXPECT_EQ(made.has_value(), !unsupported.contains(c.name)) << c.name << ": " << reason;
    if (!made) continue;
    results += made->size();
    const Comparison found = compare(c, record, *made);
    ++kernels[found.agreement];
    if (found.agreement == Agreement::within) {
      fmt::print(
          "{}: up to {} units of the last place{}\n", c.name, found.ulps,
          found.absolute > 0 ? fmt::format(", or {:.2g} = 2^{:.1f}", found.absolute, std::log2(found.absolute)) : "");
    }
    if (const auto other = instead(c)) {
      EXPECT_EQ(found.agreement, Agreement::differs) << c.name << " no longer differs";
      const Comparison explanation = compare(c, record, emulate(*other, reason).value());
      EXPECT_EQ(explanation.agreement, Agreement::equal) << c.name << " differs in another way: " << explanation.text;
      ++explained;
      continue;
    }
    if (found.agreement != Agreement::differs) continue;
    ADD_FAILURE() << c.name << ": " << found.text
                  << (found.thread ? "; inputs " + describe_inputs(c, *found.thread) : std::string());
  }
  fmt::print("{} kernels equal, {} within their bound, {} differ ({} explained); {} results\n",
             kernels[Agreement::equal], kernels[Agreement::within], kernels[Agreement::differs], explained, results);
}

}  // namespace tileloom::emu::test
