// SPDX-License-Identifier: Apache-2.0
#include "emu/micro/micro_record.hpp"

#include <fstream>
#include <stdexcept>

namespace tileloom::emu::test {
namespace {

using U64 = std::uint64_t;
using U32 = std::uint32_t;

struct Hash {
  U64 value = 0xCBF29CE484222325;
  void take(U64 word) { value = (value ^ word) * 0x100000001B3 ^ value >> 29; }
};

U64 low_bits(U64 value, unsigned bits) {
  return bits == 64 ? value : value & ((U64{1} << bits) - 1);
}

unsigned bits_of_thread(const MicroCase& c) {
  unsigned bits = 0;
  for (const std::string& r : c.results) bits += register_bits(r);
  return bits;
}

template <class T>
void put(std::ostream& out, const T& value) {
  out.write(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
T get(std::istream& in) {
  T value{};
  if (!in.read(reinterpret_cast<char*>(&value), sizeof value)) throw std::runtime_error("the record ends early");
  return value;
}

template <class T>
void put_list(std::ostream& out, const std::vector<T>& list) {
  put(out, static_cast<U32>(list.size()));
  out.write(reinterpret_cast<const char*>(list.data()), static_cast<std::streamsize>(list.size() * sizeof(T)));
}
template <class T>
std::vector<T> get_list(std::istream& in) {
  std::vector<T> list(get<U32>(in));
  for (T& item : list) item = get<T>(in);
  return list;
}

constexpr U64 file_mark = 0x314B4F5243494D54;

}  // namespace

std::size_t whole_threads(const MicroCase& c) {
  const bool bounded = c.tolerance.ulps != 0 || c.tolerance.absolute != 0;
  if (bounded) return std::size_t{micro_threads} * micro_ctas;
  return bits_of_thread(c) > 64 ? 8 : 32;
}

U64 micro_fingerprint(const MicroCase& c) {
  Hash hash;
  for (const char letter : micro_ptx(c)) hash.take(static_cast<unsigned char>(letter));
  for (const U64 value : micro_values(c)) hash.take(value);
  return hash.value;
}

std::vector<U32> micro_checksums(const MicroCase& c, std::span<const U64> stored) {
  std::vector<U32> made;
  std::size_t at = 0;
  for (std::size_t cta = 0; cta < micro_ctas; ++cta) {
    Hash hash;
    for (std::size_t thread = 0; thread < micro_threads; ++thread) {
      for (const std::string& result : c.results) hash.take(low_bits(stored[at++], register_bits(result)));
    }
    made.push_back(static_cast<U32>(hash.value ^ hash.value >> 32));
  }
  return made;
}

MicroRecord make_record(const MicroCase& c, std::span<const U64> stored) {
  MicroRecord record{micro_fingerprint(c), false, {}, micro_checksums(c, stored)};
  record.bits.assign((whole_threads(c) * bits_of_thread(c) + 7) / 8, 0);
  std::size_t at = 0;
  std::size_t bit = 0;
  for (std::size_t thread = 0; thread < whole_threads(c); ++thread) {
    for (const std::string& result : c.results) {
      const U64 value = stored[at++];
      for (unsigned i = 0; i < register_bits(result); ++i, ++bit) {
        record.bits[bit / 8] |= static_cast<std::uint8_t>((value >> i & 1) << bit % 8);
      }
    }
  }
  return record;
}

U64 recorded(const MicroCase& c, const MicroRecord& record, std::size_t thread, std::size_t i) {
  std::size_t bit = thread * bits_of_thread(c);
  for (std::size_t k = 0; k < i; ++k) bit += register_bits(c.results[k]);
  U64 value = 0;
  for (unsigned k = 0; k < register_bits(c.results[i]); ++k, ++bit) {
    value |= U64{static_cast<std::uint8_t>(record.bits.at(bit / 8) >> bit % 8 & 1)} << k;
  }
  return value;
}

void write_records(const std::string& path, const MicroRecords& records) {
  std::ofstream out(path, std::ios::binary);
  put(out, file_mark);
  put(out, static_cast<U32>(records.size()));
  for (const auto& [name, record] : records) {
    put_list(out, std::vector<char>(name.begin(), name.end()));
    put(out, record.text);
    put(out, static_cast<std::uint8_t>(record.refused ? 1 : 0));
    put_list(out, record.bits);
    put_list(out, record.checksums);
  }
  if (!out) throw std::runtime_error("cannot write " + path);
}

MicroRecords read_records(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || get<U64>(in) != file_mark) throw std::runtime_error(path + " is no record of micro-kernels");
  MicroRecords records;
  for (auto left = get<U32>(in); left > 0; --left) {
    const auto letters = get_list<char>(in);
    MicroRecord& record = records[std::string(letters.begin(), letters.end())];
    record.text = get<U64>(in);
    record.refused = get<std::uint8_t>(in) != 0;
    record.bits = get_list<std::uint8_t>(in);
    record.checksums = get_list<U32>(in);
  }
  return records;
}

}  // namespace tileloom::emu::test
