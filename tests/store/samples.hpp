// Records with everything that is hard to keep: NaN, infinities, the largest integers, empty and non-ASCII text.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "core/records.hpp"
#include "store/record_json.hpp"
#include "store/schema.hpp"

namespace plumbline {

/// A folder of its own, removed at the end.
class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "plumbline_store_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder under " + parent.string());
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void spill(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline JournalHeader sample_header(const std::string& session = "s1", std::int64_t started = 10) {
  return {.campaign = "name=\"quick\"  # \xC2\xB5s\n",
          .provenance = R"({"compiler":"gcc 12"})",
          .session = session,
          .started_unix_ns = started,
          .machines = {{"n1", R"({"cpu":"x"})"}}};
}

inline std::string sample_case_id(int i) { return "validation/series/fp64/form=loop/n=" + std::to_string(i) + "/m=64/r1t2/gcc12-O3-v3"; }

/// A finished timing pass, of `i`-dependent content.
inline Finished sample_time(int i, const std::string& node = "n1", const std::string& session = "s1") {
  Finished f;
  f.case_row = {sample_case_id(i),
                "validation/series/fp64/form=loop/n=" + std::to_string(i) + "/m=64",
                "validation/series",
                "fp64",
                "gcc12-O3-v3",
                1,
                2,
                R"({"form":"loop","n":)" + std::to_string(i) + R"(,"m":64})"};
  f.outcome = {
      f.case_row.id, "time", Status::ok, "", node, R"({"ranks":[{"rank":0,"host":"n1","cpus":[0,1]}]})", 1'700'000'000'000'000'000 + i,
      session};
  for (std::int32_t r = 0; r < 5; ++r)
    f.times.push_back({f.case_row.id, node, session, r, -1, 1e-6 / (i + 1) * (1 + 0.1 * r), 2.4e9, 0.99, 0.01, 1000 * (r + 1)});
  f.model = {{f.case_row.id, "flops.fp64", 128.0 * i, 128.0 * i},
             {f.case_row.id, "bytes.L3-mem", 0.0, std::numeric_limits<double>::infinity()}};
  return f;
}

/// A finished counting pass of the same case, with an event that could not be counted.
inline Finished sample_count(int i, const std::string& node = "n1", const std::string& session = "s1") {
  Finished f = sample_time(i, node, session);
  f.outcome.pass = "count";
  f.times.clear();
  f.counts = {{f.case_row.id, node, session, "flops.fp64.fma", "emulated", 0, 0, -1, 0, std::numeric_limits<std::uint64_t>::max(), 64.0 * i,
               12, 12, Status::ok},
              {f.case_row.id, node, session, "PAPI_DP_OPS", "papi", 1, 0, 3, 0, 0, absent, 0, 0, Status::permission}};
  return f;
}

inline Finished sample_ceilings(const std::string& node = "n1", const std::string& session = "s1") {
  Finished f;
  f.case_row.id = "ceilings";
  f.outcome = {"ceilings", "time", Status::ok, "", node, "{}", 5, session};
  f.ceilings = {
      {"L1 load", "-", "L1", "load", 1, 2, node, session, 0, 123.5, "GB/s", Status::ok, "vector", 32768.0, 2.4e9},
      {"FP64 vector FMA", "fp64", "compute", "fma", 1, 2, node, session, 1, absent, "GFLOP/s", Status::masked, "", absent, absent}};
  return f;
}

/// A case measured again, as an outlier's peer.
inline Finished sample_again(int i, const std::string& node = "n1", const std::string& session = "s1") {
  Finished f = sample_time(i, node, session);
  f.outcome.pass = "again";
  f.times.clear();
  for (std::int32_t turn = 0; turn < 3; ++turn) f.remeasured.push_back({f.case_row.id, node, session, turn, 0, 1e-6 * (turn + 1), absent});
  return f;
}

/// A profiled program and one of its functions, which no sample met; of the rank that it is of alone counts are known.
inline std::vector<ProfileRow> sample_profile() {
  std::vector<ProfileRow> rows(3);
  rows[0].kind = "total", rows[0].name = "heat3d", rows[0].seconds = 1.5, rows[0].share = rows[0].share_lo = rows[0].share_hi = 1;
  rows[1].kind = "function", rows[1].name = "大きな_µ", rows[1].object = "/opt/libx.so", rows[1].share = 0, rows[1].share_hi = 0.01;
  rows[1].levels = R"({"L1":{"boundary":"reg-L1","bytes":16,"ai":0.5}})", rows[1].status = Status::unavailable;
  rows[1].reason = "no sample met it", rows[1].case_id = "program/heat3d/fp64/part=x/r1t1/native";
  rows[2].kind = "rank", rows[2].rank = 3, rows[2].counts = R"({"flops.fp64.add":18446744073709551615})";
  return rows;
}

inline Results sample_results(int cases) {
  Results results;
  results.provenance = R"({"git":"abc","note":"Grüße"})";
  results.campaign = "name=\"quick\"\n";
  for (int i = 0; i < cases; ++i) {
    append(results, sample_time(i));
    append(results, sample_count(i));
  }
  if (cases > 0) append(results, sample_again(0));
  append(results, sample_ceilings());
  results.outcomes.front().status = Status::failed;
  results.outcomes.front().reason = "µ-op limit: 測試 \"quoted\"\nsecond line";
  results.times.front().seconds = absent;
  results.times.back().clock_hz = -0.0;
  results.machines = {{"n1", R"({"cores":2})"}, {"n2", ""}};
  results.profile = sample_profile();
  return results;
}

/// Whether two rows are equal to the bit, so that a NaN equals itself and -0 does not equal 0.
template <class Row>
bool same_bits(const std::vector<Row>& left, const std::vector<Row>& right) {
  bool same = left.size() == right.size();
  for (std::size_t i = 0; same && i < left.size(); ++i)
    for (const auto& column : table_of<Row>().columns)
      std::visit(
          [&]<class T>(T Row::*member) {
            if constexpr (std::is_same_v<T, double>)
              same = same && std::bit_cast<std::uint64_t>(left[i].*member) == std::bit_cast<std::uint64_t>(right[i].*member);
            else
              same = same && left[i].*member == right[i].*member;
          },
          column.member);
  return same;
}

inline void expect_same(const Results& left, const Results& right) {
  EXPECT_EQ(left.provenance, right.provenance);
  EXPECT_EQ(left.campaign, right.campaign);
  EXPECT_TRUE(same_bits(left.cases, right.cases));
  EXPECT_TRUE(same_bits(left.outcomes, right.outcomes));
  EXPECT_TRUE(same_bits(left.times, right.times));
  EXPECT_TRUE(same_bits(left.counts, right.counts));
  EXPECT_TRUE(same_bits(left.model, right.model));
  EXPECT_TRUE(same_bits(left.ceilings, right.ceilings));
  EXPECT_TRUE(same_bits(left.machines, right.machines));
  EXPECT_TRUE(same_bits(left.remeasured, right.remeasured));
  EXPECT_TRUE(same_bits(left.profile, right.profile));
}

inline void expect_same(const Finished& left, const Finished& right) {
  EXPECT_EQ(left.case_row, right.case_row);
  EXPECT_EQ(left.outcome, right.outcome);
  EXPECT_TRUE(same_bits(left.times, right.times));
  EXPECT_TRUE(same_bits(left.counts, right.counts));
  EXPECT_TRUE(same_bits(left.model, right.model));
  EXPECT_TRUE(same_bits(left.ceilings, right.ceilings));
  EXPECT_TRUE(same_bits(left.remeasured, right.remeasured));
}

}  // namespace plumbline
