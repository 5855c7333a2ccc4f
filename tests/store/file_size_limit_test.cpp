#include "full_disk.hpp"

namespace plumbline {
namespace {

TEST(file_size_limit, keeps_the_earlier_records_and_appends_go_on_after_it) {
  const Scratch scratch;
  {
    const FileSizeLimit limit(20000);
    expect_full_disk_keeps_earlier_records(scratch / "x.journal", "File too large");
  }
  const std::size_t before = read_journal(scratch / "x.journal/n1").records.size();
  Journal(scratch / "x.journal", "n1", sample_header()).append(sample_time(1));
  EXPECT_EQ(read_journal(scratch / "x.journal/n1").records.size(), before + 1);
}

TEST(file_size_limit, keeps_the_old_result_file) {
  const Scratch scratch;
  write_store(scratch / "x.h5", sample_results(2));
  const FileSizeLimit limit(60000);
  expect_full_disk_keeps_the_old_file(scratch.path(), "File too large");
}

}  // namespace
}  // namespace plumbline
