// SPDX-License-Identifier: Apache-2.0
// Entries by name: whole names, other spellings of them, words.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <mutex>

#include "hw/instructions/records.hpp"
#include "text/suggest.hpp"
#include "tileloom/error.hpp"

namespace tileloom::hw {
namespace {

using Words = std::vector<std::string>;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

Words words_of(std::string_view text) {
  Words words(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool contains(const Words& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

bool contains_all(const Words& words, const Words& wanted) {
  return std::ranges::all_of(wanted, [&](const std::string& w) { return contains(words, w); });
}

// --- Spellings ---------------------------------------------------------------------------------------------------

// C++ types by the table's own: integers of the same width for copies, the arithmetic type for multiply-adds.
struct CppType {
  std::string_view name, unsigned_of_width, arithmetic;
};
constexpr std::array<CppType, 22> cpp_types{{{"uint8_t", "uint8_t", "uint8_t"},
                                             {"int8_t", "uint8_t", "int8_t"},
                                             {"char", "uint8_t", "char"},
                                             {"uint16_t", "uint16_t", "uint16_t"},
                                             {"int16_t", "uint16_t", "int16_t"},
                                             {"half_t", "uint16_t", "half_t"},
                                             {"half", "uint16_t", "half_t"},
                                             {"bfloat16_t", "uint16_t", "bfloat16_t"},
                                             {"uint32_t", "uint32_t", "uint32_t"},
                                             {"unsigned", "uint32_t", "uint32_t"},
                                             {"int32_t", "uint32_t", "int"},
                                             {"int", "uint32_t", "int"},
                                             {"float", "uint32_t", "float"},
                                             {"tfloat32_t", "uint32_t", "tfloat32_t"},
                                             {"uint64_t", "uint64_t", "uint64_t"},
                                             {"int64_t", "uint64_t", "int64_t"},
                                             {"double", "uint64_t", "double"},
                                             {"uint2", "uint64_t", "uint2"},
                                             {"uint128_t", "uint128_t", "uint128_t"},
                                             {"uint4", "uint128_t", "uint4"},
                                             {"int4", "uint128_t", "int4"},
                                             {"float4", "uint128_t", "float4"}}};

std::string table_type(const std::string& type, std::string_view CppType::*as) {
  const auto* const found = std::ranges::find(cpp_types, type, &CppType::name);
  return found == cpp_types.end() ? type : std::string((*found).*as);
}

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
}

Words split(std::string_view list) {
  Words parts(1);
  for (const char c : list) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// UniversalFMA<D, A = D, B = A, C = D>
std::string fma_name(Words types) {
  for (std::string& t : types) t = table_type(t, &CppType::arithmetic);
  if (types.size() == 1) types.push_back(types[0]);
  if (types.size() == 2) types.push_back(types[1]);
  if (types.size() == 3) types.push_back(types[0]);
  std::string name = "universalfma<" + types[0];
  for (std::size_t i = 1; i < types.size(); ++i) name += "," + types[i];
  return name + ">";
}

// Copies of two types of one width are copies of that width.
std::string copy_name(const std::string& base, Words types) {
  for (std::string& t : types) t = table_type(t, &CppType::unsigned_of_width);
  const bool same = std::ranges::all_of(types, [&](const std::string& t) { return t == types[0]; });
  if (!same) return {};
  return base + "<" + types[0] + ">";
}

// The spelling of the table, in lower case, for what CuTe also accepts.
std::string table_spelling(std::string_view query) {
  std::string text = lower(query);
  erase_all(text, "cute::");
  if (text.find('<') != std::string::npos) erase_all(text, " ");
  if (text.starts_with("sm90::gmma::mma_")) text.replace(0, 16, "sm90_");
  if (text == "autovectorizingcopy") return "autovectorizingcopywithassumedalignment<128>";
  if (text == "defaultcopy") return "autovectorizingcopywithassumedalignment<8>";
  const std::size_t open = text.find('<');
  if (open == std::string::npos || !text.ends_with(">")) return text;
  std::string base = text.substr(0, open);
  const Words arguments = split(std::string_view(text).substr(open + 1, text.size() - open - 2));
  if (base.starts_with("sm90_64x")) return base;  // majors and signs do not change who holds what
  if (base == "universalfma") return fma_name(arguments);
  return base == "universalcopy" || base.starts_with("sm80_cp_async") ? copy_name(base, arguments) : text;
}

// CuTe's name without the architecture, the majors, or both.
bool is_short_form(std::string_view lower_name, std::string_view spelling) {
  const std::size_t prefix = lower_name.starts_with("sm") ? lower_name.find('_') + 1 : 0;
  const std::string_view without_arch = lower_name.substr(prefix);
  if (spelling == without_arch) return true;
  if (!lower_name.ends_with("_tn")) return false;
  return spelling == lower_name.substr(0, lower_name.size() - 3) ||
         spelling == without_arch.substr(0, without_arch.size() - 3);
}

// --- Entries -----------------------------------------------------------------------------------------------------

struct Entry {
  std::string name;
  std::string ptx;  // lower case
  Words types;      // as in PTX: of D, A, B and C; none of a copy
};

std::vector<Entry> mma_entries() {
  std::vector<Entry> entries;
  for (const MmaRecord& r : mma_records()) {
    const MmaTypes& t = r.types;
    Entry e{name_of(r), lower(ptx_of(r)), {}};
    for (const ElementType type : {t.d, t.a, t.b, t.c}) e.types.emplace_back(name(type));
    entries.push_back(std::move(e));
  }
  return entries;
}

std::vector<Entry> copy_entries() {
  std::vector<Entry> entries;
  for (const CopyRecord& r : copy_records()) entries.push_back({r.name, lower(r.ptx), {}});
  return entries;
}

std::vector<Entry> all_entries() {
  std::vector<Entry> entries = mma_entries();
  std::ranges::move(copy_entries(), std::back_inserter(entries));
  return entries;
}

Words all_words(const Entry& e) {
  Words words = words_of(lower(e.name));
  for (const std::string& w : words_of(e.ptx)) words.push_back(w);
  words.insert(words.end(), e.types.begin(), e.types.end());
  return words;
}

// What a query may leave out, if nothing that it names more of fits: modifiers, the types of A and B, those of C and D.
int unnamed_qualifiers(const Entry& e, const Words& words, const Words& query) {
  static const Words modifiers{"trans", "satfinite", "zfill"};
  const bool modified =
      std::ranges::all_of(modifiers, [&](const std::string& m) { return !contains(words, m) || contains(query, m); });
  if (!modified) return 3;
  if (e.types.empty() || contains_all(query, e.types)) return 0;
  return contains(query, e.types[1]) && contains(query, e.types[2]) ? 1 : 2;
}

using Indices = std::vector<std::size_t>;

// Cheaper than to split the texts, and false for nearly all entries.
bool mentions_all(const Entry& e, const Words& query) {
  const std::string text = lower(e.name) + " " + e.ptx + (e.types.empty() ? "" : " " + e.types[0] + " " + e.types[1]);
  return std::ranges::all_of(query, [&](const std::string& w) { return text.find(w) != std::string::npos; });
}

// Those that have all words of the query and leave the least unnamed.
Indices by_words(std::span<const Entry> entries, std::string_view spelling) {
  const Words query = words_of(spelling);
  if (query.empty()) return {};
  std::array<Indices, 4> found;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!mentions_all(entries[i], query)) continue;
    const Words words = all_words(entries[i]);
    if (!contains_all(words, query)) continue;
    found[static_cast<std::size_t>(unnamed_qualifiers(entries[i], words, query))].push_back(i);
  }
  const auto* const best = std::ranges::find_if(found, [](const Indices& f) { return !f.empty(); });
  return best == found.end() ? Indices{} : *best;
}

Indices by_name(std::span<const std::string> names, std::string_view spelling) {
  Indices found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = lower(names[i]);
    if (name == spelling) return {i};
    if (is_short_form(name, spelling)) found.push_back(i);
  }
  return found;
}

Indices by_ptx(std::span<const Entry> entries, std::string_view spelling) {
  Indices found;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].ptx.empty() && entries[i].ptx == spelling) found.push_back(i);
  }
  return found;
}

// --- What to say -------------------------------------------------------------------------------------------------

std::string joined(const Words& names) {
  constexpr std::size_t most = 6;
  std::string list;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) list += (i == 0 ? "" : ", ") + names[i];
  return names.size() <= most ? list : list + " and " + std::to_string(names.size() - most) + " more";
}

// Empty if none is near.
std::string nearest_name(std::span<const Entry> entries, std::string_view spelling) {
  Words names;
  for (const Entry& e : entries) names.push_back(lower(e.name));
  const auto found = std::ranges::find(names, nearest(spelling, names));
  return found == names.end() ? "" : entries[static_cast<std::size_t>(found - names.begin())].name;
}

[[noreturn]] void refuse(std::span<const Entry> entries, std::string_view query, const char* kind,
                         const Indices& found) {
  const std::string quoted = "'" + std::string(query) + "'";
  if (found.empty()) {
    const std::string near = nearest_name(entries, table_spelling(query));
    throw Error(ErrorKind::bad_input, std::string(kind) + ": expected a name of the table, found " + quoted,
                (near.empty() ? "" : "did you mean " + near + "? ") + "tileloom atom list shows all names");
  }
  Words names;
  for (const std::size_t i : found) names.push_back(entries[i].name);
  throw Error(ErrorKind::bad_input,
              std::string(kind) + " " + quoted + ": expected the name of one, found " + std::to_string(names.size()) +
                  " that it fits: " + joined(names),
              "write one of these names, or more of its words");
}

// Names first: they need no other text of the entries.
std::size_t resolve(const std::vector<std::string>& names, std::vector<Entry> (*make_entries)(), std::string_view query,
                    const char* kind) {
  constexpr std::size_t longest = 200;  // more than twice the longest PTX mnemonic
  if (query.size() > longest) {
    throw Error(ErrorKind::bad_input, std::string(kind) + ": expected a name of at most " + std::to_string(longest) +
                                          " characters, found " + std::to_string(query.size()));
  }
  const std::string spelling = table_spelling(query);
  Indices found = by_name(names, spelling);
  if (found.size() == 1) return found.front();
  const std::vector<Entry> entries = make_entries();
  if (found.empty()) found = by_ptx(entries, spelling);
  if (found.empty()) found = by_words(entries, spelling);
  if (found.size() != 1) refuse(entries, query, kind, found);
  return found.front();
}

// --- Entries that were asked for, each built once ----------------------------------------------------------------

template <class Atom, class Record>
const Atom& cached(const std::vector<Record>& records, std::size_t i) {
  static std::mutex mutex;
  static std::map<std::size_t, Atom> built;
  const std::lock_guard lock(mutex);
  auto at = built.find(i);
  if (at == built.end()) at = built.emplace(i, build(records[i])).first;
  return at->second;
}

const MmaAtom& cached_mma(std::size_t i) {
  return cached<MmaAtom>(mma_records(), i);
}

const CopyAtom& cached_copy(std::size_t i) {
  return cached<CopyAtom>(copy_records(), i);
}

template <class Atom, class Record>
std::vector<Atom> build_all(const std::vector<Record>& records) {
  std::vector<Atom> atoms;
  atoms.reserve(records.size());
  for (const Record& r : records) atoms.push_back(build(r));
  return atoms;
}

}  // namespace

std::span<const MmaAtom> mma_atoms() {
  static const std::vector<MmaAtom> atoms = build_all<MmaAtom>(mma_records());
  return atoms;
}

std::span<const CopyAtom> copy_atoms() {
  static const std::vector<CopyAtom> atoms = build_all<CopyAtom>(copy_records());
  return atoms;
}

std::vector<std::string> mma_names() {
  std::vector<std::string> names;
  for (const MmaRecord& r : mma_records()) names.push_back(name_of(r));
  return names;
}

std::vector<std::string> copy_names() {
  std::vector<std::string> names;
  for (const CopyRecord& r : copy_records()) names.push_back(r.name);
  return names;
}

const MmaAtom& mma_atom(std::string_view name) {
  return cached_mma(resolve(mma_names(), mma_entries, name, "MMA atom"));
}

const CopyAtom& copy_atom(std::string_view name) {
  return cached_copy(resolve(copy_names(), copy_entries, name, "copy atom"));
}

AnyAtom atom(std::string_view name) {
  std::vector<std::string> names = mma_names();
  const std::size_t mma_count = names.size();
  std::ranges::move(copy_names(), std::back_inserter(names));
  const std::size_t i = resolve(names, all_entries, name, "atom");
  return i < mma_count ? AnyAtom{&cached_mma(i), nullptr} : AnyAtom{nullptr, &cached_copy(i - mma_count)};
}

}  // namespace tileloom::hw
