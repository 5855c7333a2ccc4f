// Files that a person wrote are read whole, pipes too; what never ends is not.
#include "core/text/text_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace plumbline {
namespace {

TEST(TextFile, is_read_whole_and_a_pipe_too) {
  std::string name = (std::filesystem::temp_directory_path() / "plumbline-text-XXXXXX").string();
  close(mkstemp(name.data()));
  const std::string text(200'000, 'x');
  std::ofstream(name) << text;
  EXPECT_EQ(read_text_file(name), text);
  std::filesystem::remove(name);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "a = 1", 5), 5);
  close(ends[1]);
  EXPECT_EQ(read_text_file("/dev/fd/" + std::to_string(ends[0])), "a = 1");
  close(ends[0]);
}

TEST(TextFile, what_cannot_be_read_or_never_ends_says_why) {
  EXPECT_FALSE(read_text_file("/dev/zero"));
  EXPECT_EQ(errno, EFBIG);
  EXPECT_FALSE(read_text_file("/nowhere/x.toml"));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(read_text_file("/"));
  EXPECT_EQ(errno, EISDIR);
}

}  // namespace
}  // namespace plumbline
