// SPDX-License-Identifier: Apache-2.0
// What a GPU gave: for each micro-kernel the results of its first threads bit by bit, of the others a checksum a CTA.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "emu/micro/micro_case.hpp"

namespace tileloom::emu::test {

// Threads whose results are kept whole: more of the instructions whose results are compared within a bound.
[[nodiscard]] std::size_t whole_threads(const MicroCase& c);

struct MicroRecord {
  std::uint64_t text = 0;                // of micro_fingerprint()
  bool refused = false;                  // NVIDIA's compiler does not take it
  std::vector<std::uint8_t> bits;        // results of the first threads, one after the other without gaps
  std::vector<std::uint32_t> checksums;  // of each CTA
};

// Changes with the kernel's text and with its inputs.
[[nodiscard]] std::uint64_t micro_fingerprint(const MicroCase& c);
[[nodiscard]] std::vector<std::uint32_t> micro_checksums(const MicroCase& c, std::span<const std::uint64_t> stored);
// From what the kernel stored: 64 bits for each result of each thread.
[[nodiscard]] MicroRecord make_record(const MicroCase& c, std::span<const std::uint64_t> stored);
// Result `i` of `thread`, which is among the first ones.
[[nodiscard]] std::uint64_t recorded(const MicroCase& c, const MicroRecord& record, std::size_t thread, std::size_t i);

using MicroRecords = std::map<std::string, MicroRecord>;
void write_records(const std::string& path, const MicroRecords& records);
[[nodiscard]] MicroRecords read_records(const std::string& path);

}  // namespace tileloom::emu::test
