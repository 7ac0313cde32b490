// SPDX-License-Identifier: Apache-2.0
#include "cli/atom_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include "cli/arguments.hpp"
#include "cli/atom_json.hpp"
#include "tileloom/error.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::cli {

using render::AtomOperand;
using render::AtomPlace;
using render::TableFormat;

namespace {

enum class Action { list, show, where, holds, table };
const std::vector<std::string> action_names{"list", "show", "where", "holds", "table"};

// Words and options of an action; what is not named here is refused.
struct Form {
  const char* words;
  std::size_t count;
  std::vector<std::string> options;
};

const Form& form_of(Action action) {
  static const std::array<Form, 5> forms{{{"no name", 0, {"--arch", "--kind"}},
                                          {"NAME", 1, {}},
                                          {"NAME OPERAND I J", 4, {}},
                                          {"NAME OPERAND --lane L", 2, {"--lane", "--warp", "--value"}},
                                          {"NAME OPERAND", 2, {"--by"}}}};
  return forms[static_cast<std::size_t>(action)];
}

void check_form(const AtomOptions& o, Action action) {
  const Form& form = form_of(action);
  const std::array<const std::string*, 4> words{&o.name, &o.operand, &o.row, &o.column};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i]->empty() == (i < form.count)) {
      const std::array names{"NAME", "OPERAND", "I", "J"};
      throw Error(ErrorKind::bad_input,
                  fmt::format("atom {}: expected {}, found {}", o.action, form.words,
                              words[i]->empty() ? "no " + std::string(names[i]) : "also '" + *words[i] + "'"),
                  i == 1 && form.count == 1 ? "quote a name of several words" : "");
    }
  }
  const std::pair<const char*, const std::string*> options[] = {{"--arch", &o.arch},   {"--kind", &o.kind},
                                                                {"--lane", &o.lane},   {"--warp", &o.warp},
                                                                {"--value", &o.value}, {"--by", &o.by}};
  for (const auto& [name, text] : options) {
    if (!text->empty() && std::ranges::find(form.options, name) == form.options.end()) {
      throw Error(ErrorKind::bad_input, fmt::format("{}: expected no such option for atom {}", name, o.action));
    }
  }
}

TableFormat format_of(const AtomOptions& o) {
  return o.csv ? TableFormat::csv : o.markdown ? TableFormat::markdown : TableFormat::text;
}

void print_json(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

// --- list --------------------------------------------------------------------------------------------------------

template <class Atom>
std::vector<const Atom*> runnable(std::span<const Atom> atoms, const std::string& arch_text) {
  std::vector<const Atom*> chosen;
  const hw::Arch arch = arch_text.empty() ? hw::Arch{} : hw::parse_arch(arch_text);
  for (const Atom& x : atoms) {
    bool only = false;
    if constexpr (std::is_same_v<Atom, hw::MmaAtom>) only = x.one_arch_only();
    if (arch_text.empty() || (only ? x.arch == arch : x.arch <= arch)) chosen.push_back(&x);
  }
  return chosen;
}

void list(const AtomOptions& o, const Json& header, std::ostream& out) {
  const bool with_mma = o.kind.empty() || parse_word("--kind", o.kind, {"mma", "copy"}) == 0;
  const bool with_copy = o.kind.empty() || o.kind == "copy";
  const auto mma = with_mma ? runnable(hw::mma_atoms(), o.arch) : std::vector<const hw::MmaAtom*>{};
  const auto copy = with_copy ? runnable(hw::copy_atoms(), o.arch) : std::vector<const hw::CopyAtom*>{};
  if (o.json) {
    Json json = header;
    json["atoms"] = Json::array();
    for (const hw::MmaAtom* x : mma) json["atoms"].push_back(atom_json({x, nullptr}));
    for (const hw::CopyAtom* x : copy) json["atoms"].push_back(atom_json({nullptr, x}));
    print_json(out, json);
    return;
  }
  const TableFormat format = format_of(o);
  if (format != TableFormat::text) {
    print_table(out, render::full_list(mma, copy), format);
    return;
  }
  if (with_mma) print_table(out, render::short_list(mma), format);
  if (with_mma && with_copy) out << '\n';
  if (with_copy) print_table(out, render::short_list(copy), format);
}

// --- show --------------------------------------------------------------------------------------------------------

void show(const AtomOptions& o, const Json& header, std::ostream& out) {
  const hw::AnyAtom atom = hw::atom(o.name);
  if (o.json) {
    Json json = header;
    json.update(card_json(atom));
    print_json(out, json);
  } else if (format_of(o) == TableFormat::text) {
    render::atom_card(out, atom);
  } else {
    print_table(out, render::operands_table(atom), format_of(o));
  }
}

// --- where -------------------------------------------------------------------------------------------------------

int coordinate(const AtomOperand& operand, const std::string& axis, const std::string& text, int extent) {
  return static_cast<int>(parse_count(axis + " of " + operand.letter, text, 0, extent - 1));
}

void where(const AtomOptions& o, const Json& header, std::ostream& out) {
  const hw::AnyAtom atom = hw::atom(o.name);
  const AtomOperand operand = render::operand_of(atom, o.operand);
  const int row = coordinate(operand, operand.row_name, o.row, operand.rows);
  const int column = coordinate(operand, operand.column_name, o.column, operand.columns);
  const std::vector<AtomPlace> places{render::find(operand, render::map_of(operand), row, column)};
  std::vector<render::ProductSource> sources;
  if (atom.mma != nullptr && operand.letter == "D") sources = render::product_sources(atom, row, column);
  std::optional<AtomOperand> other;  // the copy's other end has the same element
  std::vector<AtomPlace> there;
  if (atom.copy != nullptr) {
    other = render::operand_of(atom, operand.letter == "S" ? "D" : "S");
    there.push_back(render::find(*other, render::map_of(*other), row, column));
  }
  if (o.json) {
    Json json = header;
    json["atom"] = operand.atom;
    json["places"] = places_json(operand, places);
    if (other) json["other_end"] = places_json(*other, there);
    if (!sources.empty()) json["sources"] = sources_json(sources);
    print_json(out, json);
    return;
  }
  if (format_of(o) != TableFormat::text) {
    print_table(out, render::places_table(operand, places), format_of(o));
    return;
  }
  out << render::place_line(operand, places.front()) << '\n';
  if (other) out << render::place_line(*other, there.front()) << '\n';
  if (!sources.empty()) render::product_text(out, sources, row, column);
}

// --- holds -------------------------------------------------------------------------------------------------------

struct Asked {
  int thread = 0;
  int group = 0;  // of the warp's independent groups
};

Asked asked_thread(const AtomOptions& o, const AtomOperand& operand) {
  if (o.lane.empty()) {
    throw Error(ErrorKind::bad_input, "atom holds: expected NAME OPERAND --lane L, found no --lane");
  }
  const bool warpgroup = operand.threads == 128;
  const int lane = static_cast<int>(parse_count("--lane", o.lane, 0, 31));
  if (!o.warp.empty() && !warpgroup) {
    throw Error(ErrorKind::bad_input, "--warp: expected no such option for " + operand.atom + ", which is of one warp");
  }
  const int warp = o.warp.empty() ? 0 : static_cast<int>(parse_count("--warp", o.warp, 0, 3));
  if (operand.threads == 1) return {};
  const render::LaneGroups groups = render::lane_groups(operand);
  for (int thread = 0; thread < operand.threads; ++thread) {
    for (int group = 0; group < groups.count; ++group) {
      if (operand.thread_id(thread) + group * groups.step == 32 * warp + lane) return {thread, group};
    }
  }
  throw Error(ErrorKind::bad_input, operand.atom + ": no thread is lane " + o.lane);
}

std::vector<AtomPlace> places_of(const AtomOperand& operand, const hw::LaneMap& map, Asked asked) {
  std::vector<AtomPlace> places;
  places.reserve(static_cast<std::size_t>(map.values()));
  for (int v = 0; v < map.values(); ++v) {
    places.push_back(in_group(operand, place_of(operand, map, {asked.thread, v}), asked.group));
  }
  return places;
}

void holds(const AtomOptions& o, const Json& header, std::ostream& out) {
  const AtomOperand operand = render::operand_of(hw::atom(o.name), o.operand);
  const hw::LaneMap map = render::map_of(operand);
  const Asked asked = asked_thread(o, operand);
  std::vector<AtomPlace> places = places_of(operand, map, asked);
  if (!o.value.empty()) {
    const auto v = static_cast<std::size_t>(parse_count("--value", o.value, 0, map.values() - 1));
    places = {places[v]};
  }
  if (o.json) {
    Json json = header;
    json["atom"] = operand.atom;
    json["places"] = places_json(operand, places);
    json["formulas"] = formulas_json(operand);
    print_json(out, json);
  } else if (format_of(o) != TableFormat::text) {
    print_table(out, render::places_table(operand, places), format_of(o));
  } else if (!o.value.empty()) {
    out << render::place_line(operand, places.front()) << '\n';
  } else {
    render::holdings_text(out, operand, map, asked.thread);
  }
}

// --- table -------------------------------------------------------------------------------------------------------

void table(const AtomOptions& o, const Json& header, std::ostream& out) {
  const AtomOperand operand = render::operand_of(hw::atom(o.name), o.operand);
  const hw::LaneMap map = render::map_of(operand);
  const bool by_lane = !o.by.empty() && parse_word("--by", o.by, {"matrix", "lane"}) == 1;
  if (o.json) {
    Json json = header;
    json["atom"] = operand.atom;
    json["places"] = Json::array();
    for (int thread = 0; thread < operand.threads; ++thread) {
      for (Json& p : places_json(operand, places_of(operand, map, {thread, 0}))) json["places"].push_back(std::move(p));
    }
    print_json(out, json);
    return;
  }
  const TableFormat format = format_of(o);
  if (format == TableFormat::text) {
    out << operand.letter << " of " << operand.atom
        << (by_lane                  ? ""
            : operand.threads == 128 ? ", thread:value"
                                     : ", lane:value")
        << "\n\n";
  }
  print_table(out, by_lane ? render::thread_table(operand, map) : render::matrix_table(operand, map), format);
}

}  // namespace

void run_atom(const AtomOptions& options, const nlohmann::ordered_json& header, std::ostream& out) {
  if (options.action.empty()) {
    throw Error(ErrorKind::bad_input, "atom: expected list, show, where, holds or table, found nothing",
                "for example tileloom atom show 'm16n8k16 f16'");
  }
  const auto action = static_cast<Action>(parse_word("atom", options.action, action_names));
  check_form(options, action);
  if (static_cast<int>(options.json) + static_cast<int>(options.csv) + static_cast<int>(options.markdown) > 1) {
    throw Error(ErrorKind::bad_input, "--json, --csv, --markdown: expected at most one of them");
  }
  constexpr std::array runs{list, show, where, holds, table};
  runs[static_cast<std::size_t>(action)](options, header, out);
}

}  // namespace tileloom::cli
