// Rows as files of before had them, and as they are now: either way the program means the same by them.
#include "store/read_row.hpp"

#include "samples.hpp"
#include "store/result_store.hpp"

namespace plumbline {
namespace {

Status status_of(Status stored, const std::string& reason) {
  OutcomeRow row;
  row.status = stored;
  row.reason = reason;
  understand(row);
  return row.status;
}

CeilingRow failed_by(const std::string& method) {
  CeilingRow row;
  row.status = Status::failed;
  row.method = method;
  understand(row);
  return row;
}

CeilingRow on_gpu(const std::string& name) {
  CeilingRow row;
  row.name = name;
  row.scope = gpu_scope;
  understand(row);
  return row;
}

CeilingRow of_messages(CeilingKind kind, const std::string& name, const std::string& method) {
  CeilingRow row;
  row.name = name;
  row.level = kind;
  row.node = "n0";
  row.method = method;
  understand(row);
  return row;
}

TEST(read_row, a_failed_pass_is_a_wrong_result_where_its_reason_tells_of_one) {
  EXPECT_EQ(status_of(Status::failed, "wrong result: relative error 1"), Status::wrong_result);
  EXPECT_EQ(status_of(Status::failed, "no memory is left"), Status::failed);
  EXPECT_EQ(status_of(Status::skipped, "after a wrong result"), Status::skipped);
}

TEST(read_row, a_ceilings_wrong_result_leaves_the_end_of_its_method) {
  const CeilingRow row = failed_by("MPICH Version: 4.0.2: wrong result: a message did not arrive as it was sent");
  EXPECT_EQ(row.status, Status::wrong_result);
  EXPECT_EQ(row.method, "MPICH Version: 4.0.2");
  EXPECT_EQ(row.reason, "wrong result: a message did not arrive as it was sent");
  EXPECT_EQ(how_and_why(row), "MPICH Version: 4.0.2: wrong result: a message did not arrive as it was sent");
}

TEST(read_row, what_failed_otherwise_keeps_its_words_where_they_are) {
  const CeilingRow row = failed_by("gcc12-O3-v3: no memory is left");
  EXPECT_EQ(row.status, Status::failed);
  EXPECT_EQ(how_and_why(row), "gcc12-O3-v3: no memory is left");
}

TEST(read_row, which_gpu_and_which_other_node_is_in_words_of_older_files) {
  EXPECT_EQ(on_gpu("GPU2 FP64 FMA").device, 2);
  EXPECT_EQ(on_gpu("GPU FP64 FMA").device, 0);
  EXPECT_EQ(of_messages(CeilingKind::link, "MPI link latency to n1", "half a round trip").peer, "n1");
  EXPECT_EQ(of_messages(CeilingKind::mpi, "MPI latency between nodes", "n0 rank 0 (CPU 0) with n1 rank 4 (CPU 2), stream").peer, "n1");
  EXPECT_EQ(of_messages(CeilingKind::sweep, "load to n1", "copied with n2 rank 3").peer, "");
}

TEST(read_row, status_reason_gpu_and_peer_come_back_from_a_file_and_from_a_journal) {
  const Scratch scratch;
  Finished written = sample_ceilings();
  CeilingRow& row = written.ceilings.front();
  row.status = Status::wrong_result;
  row.value = absent;
  row.reason = "wrong result: relative error 1";
  row.scope = gpu_scope;
  row.device = 3;
  written.ceilings.back().level = CeilingKind::link;
  written.ceilings.back().peer = "n7";
  std::string why;
  const auto read = from_payload(to_payload(written), why);
  ASSERT_TRUE(read) << why;
  EXPECT_TRUE(same_bits(std::get<Finished>(*read).ceilings, written.ceilings));
  Results results;
  append(results, written);
  write_store(scratch / "x.h5", results);
  EXPECT_TRUE(same_bits(load_store(scratch / "x.h5").ceilings, written.ceilings));
}

TEST(read_row, the_word_in_files_stays_failed) {
  EXPECT_EQ(to_string(Status::wrong_result), "failed");
  EXPECT_EQ(status_from("failed"), Status::failed);
}

TEST(ceiling_level, kinds_and_levels_of_memory_have_one_word_each) {
  for (const CeilingKind kind :
       {CeilingKind::compute, CeilingKind::sweep, CeilingKind::vector, CeilingKind::choice, CeilingKind::gemm, CeilingKind::occupancy,
        CeilingKind::overhead, CeilingKind::host_dev, CeilingKind::mpi, CeilingKind::numa, CeilingKind::link}) {
    const CeilingLevel level(kind);
    EXPECT_FALSE(level.word().empty());
    EXPECT_EQ(CeilingLevel(level.word()).kind(), kind) << level.word();
  }
  EXPECT_EQ(CeilingLevel("L2").kind(), CeilingKind::memory);
  EXPECT_EQ(CeilingLevel("L2").word(), "L2");
}

}  // namespace
}  // namespace plumbline
