// Tables that go from one process to another arrive as they were; whoever sends something else is not believed.
#include "store/table_stream.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include "faults.hpp"
#include "samples.hpp"
#include "store/file_bytes.hpp"
#include "store/result_store.hpp"

namespace plumbline {
namespace {

constexpr std::uint64_t plenty = 1U << 30;

std::string sent(const std::filesystem::path& file, StorePart part) {
  const FileDescriptor bytes(memfd_create("tables", MFD_CLOEXEC));
  TableSender sender(bytes.number());
  read_store(file, part, sender);
  sender.end();
  return slurp("/proc/self/fd/" + std::to_string(bytes.number()));
}

bool receive(std::string_view bytes, PackedTables& rows, std::uint64_t most = plenty) {
  const FileDescriptor file(memfd_create("tables", MFD_CLOEXEC));
  write_all(file.number(), bytes);
  lseek(file.number(), 0, SEEK_SET);
  return receive_tables(file.number(), rows, most);
}

std::string damage_of(std::string_view bytes, std::uint64_t most = plenty) {
  Unpacker rows;
  try {
    receive(bytes, rows, most);
  } catch (const Damage& damage) {
    return damage.what();
  }
  return "";
}

std::string frame_of(char what, std::string_view bytes) {
  std::string all(1, what);
  for (int i = 0; i < 8; ++i) all += static_cast<char>(bytes.size() >> (8 * i) & 0xFFU);
  return all + std::string(bytes);
}

TEST(table_stream, all_that_was_measured_arrives) {
  const Scratch scratch;
  write_store(scratch / "x.h5", sample_results(9000));  // more than a block of rows
  Unpacker rows;
  ASSERT_TRUE(receive(sent(scratch / "x.h5", StorePart::measured), rows));
  expect_same(rows.results, load_store(scratch / "x.h5"));
}

TEST(table_stream, the_derived_table_arrives_and_its_absence_too) {
  const Scratch scratch;
  Intensities derived{.derived_by = "plumbline 1", .reason = "", .rows = {{}}};
  derived.rows[0].case_id = "a";
  derived.rows[0].level = "L2";
  write_store(scratch / "with.h5", sample_results(2), &derived);
  write_store(scratch / "without.h5", sample_results(2));
  Unpacker with, without;
  ASSERT_TRUE(receive(sent(scratch / "with.h5", StorePart::derived), with) &&
              receive(sent(scratch / "without.h5", StorePart::derived), without));
  ASSERT_TRUE(with.derived && with.derived->rows.size() == 1);
  EXPECT_EQ(with.derived->derived_by + with.derived->rows[0].case_id + with.derived->rows[0].level, "plumbline 1aL2");
  EXPECT_FALSE(without.derived);
}

TEST(table_stream, damage_and_errors_arrive_as_what_they_were) {
  const FileDescriptor bytes(memfd_create("tables", MFD_CLOEXEC));
  TableSender(bytes.number()).end(Damage("by nobody"));
  EXPECT_EQ(damage_of(slurp("/proc/self/fd/" + std::to_string(bytes.number()))), "by nobody");
  for (const Exit code : {Exit::user_error, Exit::io_or_failed_case}) {
    Unpacker rows;
    const ThrownError error = refusal_of([&] { receive(frame_of('e', std::to_string(static_cast<int>(code)) + " in a line"), rows); });
    EXPECT_EQ(error.code, static_cast<int>(code));
    EXPECT_EQ(error.text, "in a line");
  }
}

TEST(table_stream, a_stream_that_ends_early_is_not_taken_for_whole) {
  const Scratch scratch;
  write_store(scratch / "x.h5", sample_results(3));
  const std::string all = sent(scratch / "x.h5", StorePart::measured);
  for (std::size_t length = 0; length < all.size(); length += 1 + all.size() / 97) {
    Unpacker rows;
    EXPECT_FALSE(receive(std::string_view(all).substr(0, length), rows)) << length;
  }
}

TEST(table_stream, what_no_reader_of_ours_would_send_is_refused) {
  const auto head = [](const std::string& columns) { return frame_of('h', R"({"table":"machine","columns":[)" + columns + "]}"); };
  const std::string node = R"({"name":"node","type":"S4"})", json = R"({"name":"json","type":"S4"})";
  EXPECT_EQ(damage_of(head(node + "," + json) + frame_of('r', std::string("n1\0\0{}\0\0", 8)) + frame_of('.', "")), "");
  EXPECT_NE(damage_of(head(node + "," + json) + frame_of('r', "n1")).find("ends within a row"), std::string::npos);
  EXPECT_NE(damage_of(head(node)).find("has no column 'json'"), std::string::npos);
  EXPECT_NE(damage_of(head(node + R"(,{"name":"json","type":"f8"})")).find("of type f8"), std::string::npos);
  EXPECT_NE(damage_of(head(node + R"(,{"name":"json","type":"S99999999999"})")).find("of type S9"), std::string::npos);
  EXPECT_NE(damage_of(head(node + R"(,{"name":"json","type":"S"})")).find("of type S"), std::string::npos);
  EXPECT_NE(damage_of(frame_of('h', R"({"table":"strange","columns":[]})")).find("no table '/strange'"), std::string::npos);
  EXPECT_NE(damage_of(frame_of('h', "[[[[")).find("what it is"), std::string::npos);
  EXPECT_NE(damage_of(frame_of('r', "xx")).find("rows of no table"), std::string::npos);
  EXPECT_NE(damage_of(frame_of('x', "")).find("no table"), std::string::npos);
  EXPECT_NE(damage_of(frame_of('e', "75 stop")).find("no error"), std::string::npos);
  EXPECT_NE(damage_of(std::string("r\xff\xff\xff\xff\xff\xff\xff\x7f", 9)).find("more rows than"), std::string::npos);
  EXPECT_NE(damage_of(frame_of('t', "provenance\n{}") + frame_of('.', ""), 20).find("more rows than"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
