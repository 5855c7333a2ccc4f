// The flavored objects must not hold some things: a symbol that a linker could keep for baseline code, or code that runs before main, would
// crash a program on a CPU that lacks the flavor's instructions. Where their code lies must not depend on the linker.
#include "flavored_objects.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// The lines that a program prints of all objects.
std::vector<std::string> lines_of(const char* program, const char* options) {
  std::string command = program;
  command += options, command += object_list;
  std::vector<std::string> lines;
  FILE* const pipe = popen(command.c_str(), "r");
  if (!pipe) return lines;
  std::string line;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    lines.push_back(line);
    line.clear();
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  return lines;
}

const std::set<std::string> allowed_undefined{"sqrt", "sqrtf", "fma", "fmaf", "_GLOBAL_OFFSET_TABLE_"};

TEST(FlavoredObjects, define_only_their_own_entry_points_and_need_nothing_beyond_libm) {
  const auto symbols = lines_of(nm_program, " -A @");
  std::size_t entry_points = 0;
  for (const std::string& line : symbols) {
    std::istringstream words(line.substr(line.rfind(':') + 1));  // FILE:[value] type name
    std::string type, name;
    words >> type;
    if (type.size() > 1) words >> type;
    words >> name;
    if (type == "U") {
      EXPECT_TRUE(allowed_undefined.count(name)) << line;
    } else if (type == "T") {
      EXPECT_EQ(name.rfind("plumbline_", 0), 0u) << line;
      ++entry_points;
    } else {
      EXPECT_TRUE(type == "t" || type == "r" || type == "d") << line;  // local code and constants
    }
  }
  EXPECT_GE(entry_points, object_count);
}

TEST(FlavoredObjects, run_nothing_before_main) {
  const auto sections = lines_of(objdump_program, " -h @");
  EXPECT_GT(sections.size(), object_count);
  for (const std::string& line : sections)
    for (const char* forbidden : {".init_array", ".ctors", ".tbss", ".tdata"}) EXPECT_EQ(line.find(forbidden), std::string::npos) << line;
}

TEST(FlavoredObjects, begin_each_function_with_a_line_of_64_bytes) {
  constexpr unsigned long long line_of_code = 64;
  for (const std::string& line : lines_of(nm_program, " -A @")) {
    std::istringstream words(line.substr(line.rfind(':') + 1));  // FILE:[value] type name
    unsigned long long value = 0;
    std::string type;
    if (words >> std::hex >> value >> type && type == "T") {
      EXPECT_EQ(value % line_of_code, 0U) << line;
    }
  }
  std::size_t sections = 0;
  bool tells_alignment = false;  // GNU's objdump does, LLVM's does not
  for (const std::string& line : lines_of(objdump_program, " -h @")) {
    tells_alignment = tells_alignment || line.find(" Algn") != std::string::npos;
    constexpr int power_of_line = 6;
    const auto power = line.find("2**");  // at multiples of which the section is placed
    if (line.find(" .text ") == std::string::npos || power == std::string::npos) continue;
    ++sections;
    EXPECT_GE(std::stoi(line.substr(power + 3)), power_of_line) << line;
  }
  if (tells_alignment) {
    EXPECT_GE(sections, object_count);
  }
}

}  // namespace
