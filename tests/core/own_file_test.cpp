// Files made where others may write too.
#include "core/own_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

class OwnFile : public testing::Test {
 protected:
  OwnFile() {
    std::string name = (fs::temp_directory_path() / "plumbline-own-file-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~OwnFile() override { fs::remove_all(folder_); }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  static std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path folder_;
};

TEST_F(OwnFile, is_made_and_renamed) {
  ASSERT_TRUE(write_own_file(folder_ / "counts", "12"));
  EXPECT_EQ(text_of(folder_ / "counts"), "12");
  EXPECT_FALSE(fs::exists(folder_ / "counts.partial"));
}

TEST_F(OwnFile, takes_the_place_of_what_an_earlier_run_left) {
  write(folder_ / "counts.partial", "a longer text of before");
  ASSERT_TRUE(write_own_file(folder_ / "counts", "12"));
  EXPECT_EQ(text_of(folder_ / "counts"), "12");
}

TEST_F(OwnFile, never_writes_through_a_link) {
  write(folder_ / "precious", "mine");
  fs::create_symlink(folder_ / "precious", folder_ / "counts.partial");
  fs::create_hard_link(folder_ / "precious", folder_ / "more.partial");
  ASSERT_TRUE(write_own_file(folder_ / "counts", "12"));
  ASSERT_TRUE(write_own_file(folder_ / "more", "13"));
  EXPECT_EQ(text_of(folder_ / "precious"), "mine");
  EXPECT_EQ(text_of(folder_ / "more"), "13");
}

TEST_F(OwnFile, refuses_another_users_file) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIP: only root can make another user's file";
  write(folder_ / "counts.partial", "theirs");
  ASSERT_EQ(chown((folder_ / "counts.partial").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(write_own_file(folder_ / "counts", "12"));
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(text_of(folder_ / "counts.partial"), "theirs");
}

TEST_F(OwnFile, a_folder_in_the_way_is_told) {
  fs::create_directory(folder_ / "counts.partial");
  EXPECT_FALSE(write_own_file(folder_ / "counts", "12"));
  EXPECT_EQ(errno, EEXIST);
  EXPECT_FALSE(write_own_file(folder_ / "none" / "counts", "12"));
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace plumbline
