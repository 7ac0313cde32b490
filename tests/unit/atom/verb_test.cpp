// SPDX-License-Identifier: Apache-2.0
// What `tileloom atom` prints, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/atom_run.hpp"
#include "tileloom/hw/instructions.hpp"
#include "tileloom/hw/lane_maps.hpp"
#include "unit/gemm/error_of.hpp"

namespace tileloom::cli {
namespace {

using Json = nlohmann::ordered_json;

// Words in order; --option value; --flag.
std::string run(const std::vector<std::string>& arguments) {
  AtomOptions o;
  const std::vector<std::string*> words{&o.action, &o.name, &o.operand, &o.row, &o.column};
  const std::map<std::string, std::string*> options{{"--arch", &o.arch}, {"--kind", &o.kind},   {"--lane", &o.lane},
                                                    {"--warp", &o.warp}, {"--value", &o.value}, {"--by", &o.by}};
  const std::map<std::string, bool*> flags{{"--json", &o.json}, {"--csv", &o.csv}, {"--markdown", &o.markdown}};
  std::size_t word = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto flag = flags.find(arguments[i]); flag != flags.end()) {
      *flag->second = true;
    } else if (const auto option = options.find(arguments[i]); option != options.end()) {
      *option->second = arguments[++i];
    } else {
      *words[word++] = arguments[i];
    }
  }
  std::ostringstream out;
  run_atom(o, Json::object(), out);
  return out.str();
}

constexpr const char* hmma = "SM80_16x8x16_F16F16F16F16_TN";

TEST(Atom, WhereIsOneLine) {
  EXPECT_EQ(run({"where", hmma, "A", "0", "9"}), "A(0,9)   lane 0   value 5   a2[31:16]\n");
  EXPECT_EQ(run({"where", hmma, "b", "7", "15"}), "B(7,15)   lane 31   value 3   b1[31:16]\n");
  EXPECT_EQ(run({"where", "m16n8k16 bf16", "C", "15", "7"}), "C(15,7)   lane 31   value 3   c3\n");
  EXPECT_EQ(run({"where", "SM80_8x8x4_F64F64F64F64_TN", "A", "3", "2"}), "A(3,2)   lane 14   value 0   a0\n");
  EXPECT_EQ(run({"where", "16x8x256_S32U1U1S32_TN_XORPOPC", "B", "1", "40"}), "B(1,40)   lane 5   value 8   b0[8:8]\n");
  EXPECT_EQ(run({"where", "SM90_64x24x16_F32F16F16_RS", "A", "17", "9"}),
            "A(17,9)   warp 1   lane 4   thread 36   value 5   a2[31:16]\n");
  EXPECT_EQ(run({"where", "SM70_8x8x4_F16F16F16F16_TN", "A", "4", "1"}),
            "A(4,1)   lane 16   thread 4 of quad pair 0   value 1   a0[31:16]\n");
}

TEST(Atom, WhereShowsBothEndsOfACopy) {
  const std::string s = "S(16,1)   lane 16   bytes 2..3 of the row that it addresses\n";
  const std::string d = "D(16,1)   lane 0   value 5   r2[31:16]\n";
  EXPECT_EQ(run({"where", "SM75_U32x4_LDSM_N", "D", "16", "1"}), d + s);
  EXPECT_EQ(run({"where", "ldmatrix x4", "source", "16", "1"}), s + d);
  EXPECT_EQ(run({"where", "UniversalCopy<float>", "destination", "0", "2"}), "D(0,2)   byte 2\nS(0,2)   byte 2\n");
}

TEST(Atom, WhereOfDNamesTheSourcesOfItsProducts) {
  EXPECT_EQ(run({"where", "m16n8k16 f16", "D", "3", "4"}),
            "D(3,4)   lane 14   value 0   d0[15:0]\n"
            "= C(3,4) + sum over k of A(3,k)*B(4,k)\n"
            "    k       A            B\n"
            "    0..1    lane 12  a0  lane 16  b0\n"
            "    2..3    lane 13  a0  lane 17  b0\n"
            "    4..5    lane 14  a0  lane 18  b0\n"
            "    6..7    lane 15  a0  lane 19  b0\n"
            "    8..9    lane 12  a2  lane 16  b1\n"
            "    10..11  lane 13  a2  lane 17  b1\n"
            "    12..13  lane 14  a2  lane 18  b1\n"
            "    14..15  lane 15  a2  lane 19  b1\n");
}

// Every register that a product names holds the elements that it is said to hold.
TEST(Atom, SourcesOfProductsHoldWhatTheyMultiply) {
  for (const char* name :
       {hmma, "SM80_16x8x32_S32S8S8S32_TN", "SM70_8x8x4_F32F16F16F32_NT", "SM90_64x8x8_F32TF32TF32_RS_TN"}) {
    const hw::MmaAtom& x = hw::mma_atom(name);
    const Json json = Json::parse(run({"where", name, "D", "5", "3", "--json"}));
    int next = 0;
    for (const Json& source : json["sources"]) {
      EXPECT_EQ(source["k"][0], next);
      next = source["k"][1].get<int>() + 1;
      for (int k = source["k"][0]; k < next; ++k) {
        const Json a = Json::parse(run({"where", name, "A", "5", std::to_string(k), "--json"}))["places"][0];
        const auto text = source["A"].get<std::string>();
        EXPECT_NE(text.find("lane " + std::to_string(a["lane"].get<int>()) + " "), std::string::npos) << text;
        EXPECT_NE(text.find(a["register"].get<std::string>()), std::string::npos) << text;
      }
    }
    EXPECT_EQ(next, x.k);
  }
}

TEST(Atom, HoldsShowsRegistersAndFormulas) {
  EXPECT_EQ(run({"holds", hmma, "A", "--lane", "0"}),
            "a0  A(0,0) A(0,1)     a1  A(8,0) A(8,1)     a2  A(0,8) A(0,9)     a3  A(8,8) A(8,9)\n"
            "m = lane/4 + 8*(v/2%2)      k = 2*(lane%4) + v%2 + 8*(v/4)\n"
            "lane = 4*(m%8) + k%8/2      v = k%2 + 2*(m/8) + 4*(k/8)\n");
  EXPECT_EQ(run({"holds", hmma, "A", "--lane", "0", "--value", "5"}), "A(0,9)   lane 0   value 5   a2[31:16]\n");
  EXPECT_EQ(run({"holds", "SM70_8x8x4_F16F16F16F16_TN", "A", "--lane", "21", "--value", "0"}),
            "A(5,0)   lane 21   thread 5 of quad pair 1   value 0   a0[15:0]\n");
  EXPECT_EQ(run({"holds", "SM90_64x8x16_F16F16F16_SS", "D", "--warp", "3", "--lane", "31", "--value", "3"}),
            "D(63,7)   warp 3   lane 31   thread 127   value 3   d1[31:16]\n");
  EXPECT_EQ(run({"holds", "UniversalFMA<half_t>", "A", "--lane", "7"}), "a0  A(0,0)\n");
}

// ldmatrix.x4.trans: the rows that lanes 16 to 31 address go to registers 2 and 3.
TEST(Atom, HoldsOfALanesRow) {
  EXPECT_EQ(run({"holds", "SM75_U16x8_LDSM_T", "source", "--lane", "16"}),
            "lane 16 addresses row 0 of matrix 2   S(16,0..7)\n"
            "row = lane      u = v\n"
            "lane = row      v = u\n");
  EXPECT_EQ(run({"where", "SM75_U16x8_LDSM_T", "D", "16", "0"}).substr(0, 28), "D(16,0)   lane 0   value 4  ");
  EXPECT_EQ(run({"holds", "SM75_U32x1_LDSM_N", "S", "--lane", "9"}).substr(0, 76),
            "lane 9 addresses no row: the instruction reads the addresses of lanes 0..7\nr");
}

TEST(Atom, HoldsAndWhereAreInverse) {
  for (const char* name :
       {hmma, "SM75_8x8x16_S32S8S8S32_TN", "SM70_8x8x4_F32F16F16F32_TT", "SM90_64x40x16_F32F16F16_RS"}) {
    const hw::MmaAtom& x = hw::mma_atom(name);
    for (const std::string operand : {"A", "C", "D"}) {
      for (int lane = 0; lane < 32; lane += x.threads == 8 ? 17 : 5) {
        const Json held = Json::parse(run({"holds", name, operand, "--lane", std::to_string(lane), "--json"}));
        for (const Json& p : held["places"]) {
          const std::string column = operand == "A" ? "k" : "n";
          const Json there = Json::parse(run({"where", name, operand, std::to_string(p["m"].get<int>()),
                                              std::to_string(p[column].get<int>()), "--json"}));
          if (p["group"] == 0) {
            EXPECT_EQ(there["places"][0], p) << name;
          }
          EXPECT_EQ(there["places"][0]["thread"], p["thread"]) << name;
        }
      }
    }
  }
}

TEST(Atom, ShowIsACard) {
  EXPECT_EQ(run({"show", "m16n8k16 f16"}),
            "SM80_16x8x16_F16F16F16F16_TN\n"
            "ptx       mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16\n"
            "computes  D(m,n) = C(m,n) + sum over k of A(m,k)*B(n,k)   M 16   N 8   K 16\n"
            "needs     sm_80 or later\n"
            "threads   32 (a warp)   _32:_1\n"
            "PTX ISA   Matrix Fragments for mma.m16n8k16 with floating point type\n"
            "\n"
            "operand  type  shape  values  held in      TV layout\n"
            "A        f16   16x16       8  4 x 32 bits  ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))\n"
            "B        f16    8x16       4  2 x 32 bits  ((_4,_8),(_2,_2)):((_16,_1),(_8,_64))\n"
            "C        f16    16x8       4  2 x 32 bits  ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))\n"
            "D        f16    16x8       4  2 x 32 bits  ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))\n"
            "\n"
            "A     m = lane/4 + 8*(v/2%2)      k = 2*(lane%4) + v%2 + 8*(v/4)\n"
            "      lane = 4*(m%8) + k%8/2      v = k%2 + 2*(m/8) + 4*(k/8)\n"
            "B     n = lane/4              k = 2*(lane%4) + v%2 + 8*(v/2)\n"
            "      lane = 4*n + k%8/2      v = k%2 + 2*(k/8)\n"
            "C, D  m = lane/4 + 8*(v/2)      n = 2*(lane%4) + v%2\n"
            "      lane = 4*(m%8) + n/2      v = n%2 + 2*(m/8)\n");
}

TEST(Atom, EveryCardAndListFitsIn100Columns) {
  const auto check = [](const std::string& text, const std::string& what) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      const bool note = line.starts_with("note:");
      EXPECT_TRUE(note || line.size() <= 100) << what << "\n" << line;
    }
  };
  for (const std::string& name : hw::mma_names()) check(run({"show", name}), name);
  for (const std::string& name : hw::copy_names()) check(run({"show", name}), name);
  check(run({"list"}), "list");
  check(run({"table", "m16n8k64 s4", "A"}), "table");
  check(run({"table", hmma, "D", "--by", "lane"}), "table --by lane");
}

TEST(Atom, ShowSaysWhereCuteIsWrong) {
  EXPECT_NE(
      run({"show", "SM80_16x8x32_S32S4S4S32_TN"})
          .find("note: CuTe has B as ((_4,_8),(_8)):((_32,_1),(_8)), which is wrong; the table has what PTX says\n"),
      std::string::npos);
  EXPECT_EQ(Json::parse(run({"show", "16x8x128_S32U1U1S32_TN_ANDPOPC", "--json"}))["operands"][0]["cute_tv"],
            "((_4,_8),(_32,_2)):((_512,_1),((_16,_8)))");
}

TEST(Atom, ListIsWhatAChipRuns) {
  const auto names = [](const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"list", "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    std::vector<std::string> all;
    const Json report = Json::parse(run(arguments));
    for (const Json& x : report["atoms"]) all.push_back(x["name"]);
    return all;
  };
  const auto has = [](const std::vector<std::string>& all, const char* name) {
    return std::ranges::find(all, name) != all.end();
  };
  EXPECT_EQ(names({}).size(), hw::mma_atoms().size() + hw::copy_atoms().size());
  EXPECT_EQ(names({"--kind", "copy"}).size(), hw::copy_atoms().size());
  EXPECT_TRUE(has(names({"--arch", "A100"}), hmma));
  EXPECT_FALSE(has(names({"--arch", "T4"}), hmma));
  EXPECT_TRUE(has(names({"--arch", "RTX 4090"}), "SM89_16x8x32_F32E4M3E4M3F32_TN"));
  EXPECT_FALSE(has(names({"--arch", "RTX 3090"}), "SM89_16x8x32_F32E4M3E4M3F32_TN"));
  EXPECT_TRUE(has(names({"--arch", "Hopper"}), "SM90_64x64x16_F32F16F16_SS"));
  EXPECT_FALSE(has(names({"--arch", "B200"}), "SM90_64x64x16_F32F16F16_SS"));  // wgmma is of sm_90a alone
  EXPECT_TRUE(has(names({"--arch", "B200"}), hmma));
  EXPECT_EQ(run({"list", "--arch", "V100", "--kind", "mma"}).substr(0, 60).find("name "), 0U);
  EXPECT_NE(run({"list"}).find("SM90_64x8..256x16_F32F16F16_SS "), std::string::npos);
}

TEST(Atom, TablesInThreeFormats) {
  EXPECT_EQ(run({"table", "SM80_8x8x4_F64F64F64F64_TN", "A"}),
            "A of SM80_8x8x4_F64F64F64F64_TN, lane:value\n\n"
            "m\\k     0     1     2     3\n"
            "  0   0:0   1:0   2:0   3:0\n"
            "  1   4:0   5:0   6:0   7:0\n"
            "  2   8:0   9:0  10:0  11:0\n"
            "  3  12:0  13:0  14:0  15:0\n"
            "  4  16:0  17:0  18:0  19:0\n"
            "  5  20:0  21:0  22:0  23:0\n"
            "  6  24:0  25:0  26:0  27:0\n"
            "  7  28:0  29:0  30:0  31:0\n");
  EXPECT_EQ(run({"table", hmma, "B", "--by", "lane", "--markdown"}).substr(0, 77),
            "| lane | b0 | b1 |\n| --- | --- | --- |\n| 0 | B(0,0) B(0,1) | B(0,8) B(0,9) |\n");
  EXPECT_EQ(run({"where", hmma, "A", "0", "9", "--csv"}),
            "operand,m,k,warp,lane,thread,value,register,bits\nA,0,9,0,0,0,5,a2,31:16\n");
  EXPECT_EQ(run({"holds", hmma, "C", "--lane", "1", "--csv"}).substr(0, 81),
            "operand,m,n,warp,lane,thread,value,register,bits\nC,0,2,0,1,1,0,c0,15:0\nC,0,3,0,1,");
  EXPECT_EQ(run({"list", "--csv", "--kind", "copy"}).find("kind,name,M,N,K,types D.A.B.C,"), 0U);
  EXPECT_NE(run({"list", "--csv"}).find("\"UniversalFMA<float,float,float,float>\""), std::string::npos);
}

TEST(Atom, WhatIsRefused) {
  EXPECT_ERROR(run({}), "atom: expected list, show, where, holds or table, found nothing", 2);
  EXPECT_ERROR(run({"shw"}), "atom: expected list, show, where, holds or table, found 'shw'", 2);
  EXPECT_ERROR(run({"show"}), "atom show: expected NAME, found no NAME", 2);
  EXPECT_ERROR(run({"show", "m16n8k16", "f16"}), "atom show: expected NAME, found also 'f16'", 2);
  EXPECT_ERROR(run({"list", hmma}), std::string("atom list: expected no name, found also '") + hmma + "'", 2);
  EXPECT_ERROR(run({"where", hmma, "A", "0"}), "atom where: expected NAME OPERAND I J, found no J", 2);
  EXPECT_ERROR(run({"where", hmma, "E", "0", "0"}), "operand: expected A, B, C or D, found 'E'", 2);
  EXPECT_ERROR(run({"where", "ldmatrix x4", "A", "0", "0"}), "operand: expected source or destination, found 'A'", 2);
  EXPECT_ERROR(run({"where", hmma, "A", "16", "0"}), "m of A: expected an integer from 0 to 15, found '16'", 2);
  EXPECT_ERROR(run({"where", hmma, "B", "8", "0"}), "n of B: expected an integer from 0 to 7, found '8'", 2);
  EXPECT_ERROR(run({"holds", hmma, "A"}), "atom holds: expected NAME OPERAND --lane L, found no --lane", 2);
  EXPECT_ERROR(run({"holds", hmma, "A", "--lane", "32"}), "--lane: expected an integer from 0 to 31, found '32'", 2);
  EXPECT_ERROR(run({"holds", hmma, "A", "--lane", "1", "--value", "8"}),
               "--value: expected an integer from 0 to 7, found '8'", 2);
  EXPECT_ERROR(run({"holds", hmma, "A", "--lane", "1", "--warp", "1"}),
               std::string("--warp: expected no such option for ") + hmma + ", which is of one warp", 2);
  EXPECT_ERROR(run({"where", hmma, "A", "0", "0", "--lane", "1"}), "--lane: expected no such option for atom where", 2);
  EXPECT_ERROR(run({"list", "--kind", "mmm"}), "--kind: expected mma or copy, found 'mmm'", 2);
  EXPECT_ERROR(run({"list", "--csv", "--json"}), "--json, --csv, --markdown: expected at most one of them", 2);
  EXPECT_ERROR(run({"where", "SM90_64x8x16_F16F16F16_SS", "A", "0", "0"}),
               "A of SM90_64x8x16_F16F16F16_SS: expected an operand in registers, found one that all 128 threads read "
               "from shared memory",
               2);
  EXPECT_ERROR(run({"where", "DefaultCopy", "S", "0", "0"}),
               "AutoVectorizingCopyWithAssumedAlignment<8>: expected a copy with a layout of its own, found one whose "
               "width follows from the tensors that it copies",
               2);
}

}  // namespace
}  // namespace tileloom::cli
