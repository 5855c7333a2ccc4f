// A matrix comes back from its file to the last bit, and a file that is wrong is refused in one line that says where.
#include "proxies/solvers/matrix_market.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "proxies/solvers/convection.hpp"

namespace plumbline {
namespace {

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

SparseMatrix read(const std::string& text) { return MatrixMarketText(text, "f.mtx").matrix(); }

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::user_error);
    const std::string said = error.what();
    EXPECT_EQ(said.find('\n'), said.npos) << said;
    return said;
  }
  return "accepted";
}

void expect_refusal(const std::string& text, const std::string& beginning) {
  EXPECT_EQ(refusal(text).substr(0, beginning.size()), beginning) << text.substr(0, 200);
}

TEST(MatrixMarket, entries_in_any_order_become_rows_in_ascending_columns) {
  const SparseMatrix matrix = read(general + "% a comment\n\n2 2 3\n2 1 -4\n1 2 +2.5e-1\n\n1 1 1\n");
  EXPECT_EQ(matrix.width, 2U);
  EXPECT_EQ(matrix.starts, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(matrix.columns, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(matrix.values, (std::vector<double>{1, 0.25, -4}));
}

TEST(MatrixMarket, words_of_the_banner_may_be_written_large_and_lines_end_as_in_windows) {
  EXPECT_EQ(read("%%MatrixMarket MATRIX Coordinate Integer General\r\n1 1 1\r\n1 1 7\r\n").values, std::vector<double>{7});
}

TEST(MatrixMarket, half_of_a_symmetric_matrix_stands_for_both) {
  const SparseMatrix symmetric = read("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 3\n1 1 5\n");
  EXPECT_EQ(symmetric.columns, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(symmetric.values, (std::vector<double>{5, 3, 3}));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n").values, (std::vector<double>{-3, 3}));
}

TEST(MatrixMarket, entries_of_a_pattern_are_ones) {
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1").values, (std::vector<double>{1, 1}));
}

TEST(MatrixMarket, a_matrix_that_was_written_is_read_to_the_last_bit) {
  const SparseMatrix matrix = convection_matrix({5, 3, 4});
  const std::string path = testing::TempDir() + "written.mtx";
  write_matrix_market(matrix, path);
  const SparseMatrix again = read_matrix_market(path);
  EXPECT_EQ(again.width, matrix.width);
  EXPECT_EQ(again.starts, matrix.starts);
  EXPECT_EQ(again.columns, matrix.columns);
  EXPECT_EQ(again.values, matrix.values);
}

TEST(MatrixMarket, a_banner_that_is_none_or_names_what_is_not_read_is_refused) {
  expect_refusal("", "f.mtx:1: the file is empty");
  expect_refusal("1 1 1\n1 1 1\n", "f.mtx:1: '1 1 1' is no banner");
  expect_refusal("%%MatrixMarket matrix coordinate real\n", "f.mtx:1: '%%MatrixMarket matrix coordinate real' is no banner");
  expect_refusal("%%MatrixMarket vector coordinate real general\n", "f.mtx:1: '%%MatrixMarket vector");
  expect_refusal(std::string("\x7f\x45LF\0", 5), "f.mtx:1: '?ELF?' is no banner");
  expect_refusal("%%MatrixMarket matrix array real general\n", "f.mtx:1: the format 'array' is not read");
  expect_refusal("%%MatrixMarket matrix coordinate complex general\n", "f.mtx:1: the field 'complex' is not read");
  expect_refusal("%%MatrixMarket matrix coordinate real hermitian\n", "f.mtx:1: the symmetry 'hermitian' is not read");
}

TEST(MatrixMarket, sizes_that_cannot_be_are_refused_before_memory_is_taken) {
  expect_refusal(general, "f.mtx:1: the file ends before its line of sizes");
  expect_refusal(general + "2 2\n", "f.mtx:2: 2 words in the place of the line of sizes");
  expect_refusal(general + "%\ntwo 2 2\n", "f.mtx:3: 'two' is no number of rows");
  expect_refusal(general + "2 -2 2\n", "f.mtx:2: '-2' is no number of columns");
  expect_refusal(general + "2 3 1\n1 1 1\n", "f.mtx:2: the matrix has 2 rows and 3 columns");
  expect_refusal(general + "0 0 0\n", "f.mtx:2: the matrix has no rows");
  expect_refusal(general + "4294967296 4294967296 1\n1 1 1\n", "f.mtx:2: 4294967296 rows are more than");
  expect_refusal(general + "1 1 18446744073709551615\n1 1 1\n", "f.mtx:2: 18446744073709551615 entries are announced, but the 6 bytes");
  expect_refusal(general + "1 1 99999999999999999999\n1 1 1\n", "f.mtx:2: '99999999999999999999' is no number of entries");
  expect_refusal(general + "2000000000 2000000000 1\n1 1 1\n",
                 "f.mtx:2: a number of entries of 1 leaves at least one of the 2000000000 rows empty");
}

TEST(MatrixMarket, an_entry_that_cannot_be_is_refused_with_its_line) {
  expect_refusal(general + "2 2 2\n1 1 1\n3 1 1\n", "f.mtx:4: row 3 is out of range: the matrix has them from 1 to 2");
  expect_refusal(general + "2 2 2\n1 0 1\n2 2 1\n", "f.mtx:3: column 0 is out of range");
  expect_refusal(general + "2 2 2\n1 x 1\n2 2 1\n", "f.mtx:3: 'x' is no column");
  expect_refusal(general + "2 2 2\n1 1\n2 2 1\n", "f.mtx:3: 2 words in the place of an entry, which has three");
  expect_refusal(general + "2 2 2\n1 1 1 0\n2 2 1\n", "f.mtx:3: 4 words in the place of an entry");
  expect_refusal("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n",
                 "f.mtx:3: 3 words in the place of an entry, which has two");
  for (const char* value : {"1.0.0", "one", "nan", "inf", "1e999", "+", "0x1"})
    expect_refusal(general + "1 1 1\n1 1 " + value + "\n", std::string("f.mtx:3: '") + value + "' is no finite number");
}

TEST(MatrixMarket, entries_too_few_too_many_or_twice_are_refused) {
  expect_refusal(general + "2 2 3\n1 1 1.0000\n2 2 1\n", "f.mtx:4: the file ends after 2 of the 3 entries");
  expect_refusal(general + "2 2 2\n1 1 1\n2 2 1\n\n1 2 1\n", "f.mtx:6: an entry more than the 2");
  expect_refusal(general + "2 2 3\n1 1 1\n2 2 1\n1 1 2\n", "f.mtx:5: row 1, column 1 has an entry already, in line 3");
  expect_refusal("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n",
                 "f.mtx:4: row 1, column 2 has an entry already, in line 3");
  expect_refusal("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 1\n1 1 1\n", "f.mtx:4: an entry on the diagonal");
}

TEST(MatrixMarket, a_file_that_is_not_there_is_refused) {
  try {
    read_matrix_market("/nowhere/a.mtx");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::user_error);
    EXPECT_TRUE(std::string(error.what()).starts_with("/nowhere/a.mtx: the matrix cannot be read: No such file or directory"));
  }
}

}  // namespace
}  // namespace plumbline
