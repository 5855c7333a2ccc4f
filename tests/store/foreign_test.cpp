// HDF5 files that others made are refused in one line, or read where they keep the contract. The test skips where h5py is missing.
#include <cstdlib>

#include "faults.hpp"
#include "samples.hpp"
#include "store/result_store.hpp"

namespace plumbline {
namespace {

class foreign : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system(PYTHON " -c 'import h5py' 2>/dev/null") != 0) GTEST_SKIP() << "SKIP: python3-h5py is not installed";
    write_store(scratch_ / "sample.h5", sample_results(2));
    const std::string make =
        PYTHON " " SOURCE_FOLDER "/foreign_hdf5.py " + (scratch_ / "sample.h5").string() + " " + scratch_.path().string();
    ASSERT_EQ(std::system(make.c_str()), 0);
  }
  void expect_refused(const std::string& name, const std::string& word) {
    testing::internal::CaptureStderr();
    const ThrownError refusal = refusal_of([&] { load_store(scratch_ / name); });
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(refusal.code, 2) << name;
    EXPECT_NE(refusal.text.find(word), std::string::npos) << name << ": " << refusal.text;
    EXPECT_NE(refusal.text.find(name), std::string::npos) << refusal.text;
  }
  const Scratch scratch_;
};

TEST_F(foreign, hdf5_without_our_schema_is_refused) {
  expect_refused("foreign.h5", "without our schema");
  expect_refused("other_schema.h5", "weather/1");
  expect_refused("number_schema.h5", "no text");
}

TEST_F(foreign, a_newer_schema_is_refused_by_name) { expect_refused("newer.h5", "use a newer plumbline"); }

TEST_F(foreign, tables_that_break_the_contract_are_named) {
  expect_refused("no_table.h5", "counts");
  expect_refused("no_column.h5", "no column 'seconds'");
  expect_refused("plain_array.h5", "'/times' is no table");
  expect_refused("grid.h5", "'/times' is no table");
  expect_refused("strange_status.h5", "unknown status 'great'");
  expect_refused("text_for_number.h5", "'lo' of '/model' is not a number");
}

TEST_F(foreign, tables_that_lie_in_other_files_are_refused) {
  expect_refused("external_link.h5", "'/times' is a link to somewhere else");
  expect_refused("soft_link.h5", "'/times' is a link to somewhere else");
  expect_refused("external_rows.h5", "the rows of '/times' lie in other files");
  expect_refused("virtual_rows.h5", "the rows of '/times' lie in other files");
}

TEST_F(foreign, rows_that_a_file_has_no_bytes_for_are_refused) {
  expect_refused("many_rows.h5", "says it has 2000000000 rows, in 0 bytes");
  expect_refused("lying_rows.h5", "says it has 2000000000 rows");
}

TEST_F(foreign, filters_of_other_libraries_are_refused) {
  expect_refused("strange_filter.h5", "went through a filter that is not read here");
}

TEST_F(foreign, files_that_keep_the_contract_are_read_whoever_wrote_them) {
  Results expected = sample_results(2);
  for (auto& row : expected.ceilings) row.working_set_bytes = row.clock_hz = absent;
  expect_same(load_store(scratch_ / "readable.h5"), expected);
}

}  // namespace
}  // namespace plumbline
