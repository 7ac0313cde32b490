// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "emu/ptx/ast.hpp"
#include "emu/ptx/lexer.hpp"
#include "emu/ptx/scopes.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu::ptx {

class Parser {
 public:
  Parser(std::string_view text, std::string name);
  [[nodiscard]] Module module();

 private:
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_expected(const std::string& what) const;
  Token take();
  [[nodiscard]] bool accept(char c);
  void expect(char c);
  std::string expect_word(const std::string& what);
  std::uint64_t expect_integer(const std::string& what);
  std::uint32_t expect_u32(const std::string& what);
  Type expect_type();

  void header();
  void module_item();
  [[nodiscard]] bool common_directive();
  void file_directive();
  void skip_section();

  [[nodiscard]] std::uint32_t function_named(const std::string& name);
  void function();
  [[nodiscard]] std::vector<std::uint32_t> parameters();
  [[nodiscard]] std::uint32_t parameter();
  void performance_directives();
  void body();
  void statement();
  void body_directive();
  void label();
  void location_directive();
  void register_declaration();

  [[nodiscard]] bool is_variable_space() const;
  void variable_declaration(bool external);
  [[nodiscard]] Variable variable_head();
  [[nodiscard]] std::vector<std::uint64_t> dimensions();
  void set_size(Variable& v, const std::vector<std::uint64_t>& dims);
  void initialiser(Variable& v, const std::vector<std::uint64_t>& dims);
  void initial_list(Variable& v, const std::vector<std::uint64_t>& dims, std::size_t level, std::uint64_t at);
  void initial_value(Variable& v, std::uint64_t at);
  void initial_symbol(Variable& v, std::uint64_t at);
  std::uint32_t add_variable(Variable v);

  void instruction();
  [[nodiscard]] Operand operand();
  [[nodiscard]] Operand simple_operand();
  [[nodiscard]] Operand word_operand();
  [[nodiscard]] Operand number_operand();
  [[nodiscard]] Operand address_operand();
  [[nodiscard]] Operand group_operand(Operand::Kind kind, char close);
  [[nodiscard]] std::int64_t offset_suffix();

  Lexer lexer_;
  Token token_, ahead_;
  Module module_;
  Scopes scopes_;
  std::unordered_map<std::string, std::uint32_t> function_ids_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> located_;
  std::uint32_t function_ = none;
  std::uint32_t scope_ = none;
  std::uint32_t location_ = none;
};

}  // namespace tileloom::emu::ptx
