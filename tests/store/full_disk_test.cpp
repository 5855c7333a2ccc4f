// The test runs on a real small file system; a visible skip where none can be mounted. (file_size_limit_test runs everywhere.)
#include "full_disk.hpp"

namespace plumbline {
namespace {

TEST(full_disk, keeps_the_earlier_records_of_a_journal) {
  const Scratch scratch;
  const TinyFileSystem disk(scratch / "disk", "64k");
  if (!disk.mounted()) GTEST_SKIP() << "SKIP: no permission to mount a tmpfs (needs root)";
  expect_full_disk_keeps_earlier_records(scratch / "disk/x.journal", "No space left on device");
}

TEST(full_disk, keeps_the_old_result_file) {
  const Scratch scratch;
  const TinyFileSystem disk(scratch / "disk", "96k");
  if (!disk.mounted()) GTEST_SKIP() << "SKIP: no permission to mount a tmpfs (needs root)";
  write_store(scratch / "disk/x.h5", sample_results(2));
  expect_full_disk_keeps_the_old_file(scratch / "disk", "No space left on device");
}

}  // namespace
}  // namespace plumbline
