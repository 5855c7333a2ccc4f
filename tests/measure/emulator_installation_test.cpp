#include "measure/emulator_installation.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

// Folders of a program, of the tool, and one on PATH, in each of which there may be a valgrind.
class FindValgrind : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "valgrinds.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    for (const char* folder : {"program", "tool", "path"}) fs::create_directory(root_ / folder);
    if (const char* path = std::getenv("PATH")) path_ = path;
    setenv("PATH", (root_ / "path").c_str(), 1);
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    fs::remove_all(root_);
  }

  void put_into(const char* folder) const {
    std::ofstream(root_ / folder / "valgrind") << "#!/bin/sh\n";
    fs::permissions(root_ / folder / "valgrind", fs::perms::owner_all);
  }
  std::string found_in() const { return find_valgrind(root_ / "program", root_ / "tool").parent_path().filename(); }

  fs::path root_;
  std::string path_;
};

TEST_F(FindValgrind, beside_the_program_comes_before_beside_the_tool_and_that_before_the_path) {
  EXPECT_EQ(found_in(), "");
  put_into("path");
  EXPECT_EQ(found_in(), "path");
  put_into("tool");
  EXPECT_EQ(found_in(), "tool");
  put_into("program");
  EXPECT_EQ(found_in(), "program");
}

TEST_F(FindValgrind, what_cannot_be_run_is_passed_over) {
  put_into("path");
  fs::create_directory(root_ / "program" / "valgrind");
  std::ofstream(root_ / "tool" / "valgrind") << "no program\n";
  EXPECT_EQ(found_in(), "path");
  fs::remove(root_ / "tool" / "valgrind");
  fs::create_symlink(root_ / "gone", root_ / "tool" / "valgrind");
  EXPECT_EQ(found_in(), "path");
}

}  // namespace
}  // namespace plumbline
