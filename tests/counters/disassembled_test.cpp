// Launches are counted by the code of their kernels, from made-up code: what is said, and what is refused rather than said to be nothing.
#include "counters/sass/disassembled.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "counters/sass/launch_counts.hpp"

namespace plumbline {
namespace {

constexpr const char* three_functions = R"(
	.section	.text.fma,"ax",@progbits
.text.fma:
 /*0000*/ @P0 EXIT ;
 /*0010*/ LDG.E.64 R2, desc[UR4][R2.64] ;
.L_1:
 /*0020*/ DFMA R2, R4, R2, UR8 ;
 /*0030*/ @!P0 BRA `(.L_1) ;
 /*0040*/ STG.E.64 desc[UR4][R2.64], R3 ;
 /*0050*/ EXIT ;
	.section	.text.reciprocal,"ax",@progbits
.text.reciprocal:
 /*0000*/ MUFU.RCP R1, R2 ;
 /*0010*/ STG.E desc[UR4][R2.64], R1 ;
 /*0020*/ EXIT ;
	.section	.text.sum,"ax",@progbits
.text.sum:
 /*0000*/ FADD R1, R2, R3 ;
 /*0010*/ ATOMG.E.ADD PT, R4, desc[UR4][R2.64], R3 ;
 /*0020*/ EXIT ;
	.section	.text.parted,"ax",@progbits
.text.parted:
 /*0000*/ @P1 FADD R1, R2, R3 ;
 /*0010*/ EXIT ;
)";

class disassembled : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("plumbline_disassembled_test" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / code_file("sm_90a")) << three_functions;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  CodePlace place() {
    return {here_, [this](auto* where) { where_ = where; }, folder_};
  }
  static KernelLaunch launch(const std::string& function, LaunchFacts facts) { return {function, "sm_90a", {1, 1, 1}, {32, 1, 1}, facts}; }

  /// The readings of one entry that makes these launches.
  std::vector<Reading> count(const std::vector<KernelLaunch>& launches, const EventNames& events) {
    backend_ = disassembled_backend(events, place());
    backend_->prepare(0, 1);
    backend_->enter(0);
    EXPECT_NE(where_, nullptr);
    where_->insert(where_->end(), launches.begin(), launches.end());
    backend_->leave(0);
    EXPECT_EQ(where_, nullptr) << "what is launched outside the region is not counted";
    return backend_->readings(0);
  }

  Availability here_;
  std::vector<KernelLaunch>* where_ = nullptr;
  std::filesystem::path folder_;
  std::unique_ptr<Backend> backend_;
};

const EventNames fmas_and_bytes{"flops.fp64.fma", "flops.fp64.add", "loads", "bytes.reg-L1.store"};

TEST_F(disassembled, threads_that_have_work_times_what_each_executes_summed_over_the_launches) {
  const auto readings = count({launch("fma", {100, {7}}), launch("fma", {10, {1}})}, fmas_and_bytes);
  ASSERT_EQ(readings.size(), 4U);
  for (const auto& one : readings) EXPECT_EQ(one.status, Status::ok) << one.reason;
  EXPECT_EQ(readings[0].raw, 710U);
  EXPECT_EQ(readings[1].raw, 0U);
  EXPECT_EQ(readings[2].raw, 110U);
  EXPECT_EQ(readings[3].raw, 880U);
}

TEST_F(disassembled, without_a_launch_there_is_no_number) {
  for (const auto& one : count({}, fmas_and_bytes)) {
    EXPECT_TRUE(one.no_number);
    EXPECT_EQ(one.reason, "no launch of a kernel was seen; those of a library and copies are not");
  }
}

TEST_F(disassembled, what_the_code_or_the_launch_leaves_open_is_unavailable_with_its_reason_and_never_nothing) {
  const struct {
    KernelLaunch launch;
    const char* why;
  } refused[] = {
      {{"fma", "sm_90a", {}, {}, {}}, "fma: its launch does not tell"},
      {launch("fma", {100, {}}), "fma: the code has 1 loops"},
      {launch("parted", {100, {}}), "parted: under a predicate"},
      {launch("unknown", {100, {}}), "unknown: not in libplumbline_cuda.sm_90a.sass, which is of another build"},
      {{"", "sm_90a", {}, {}, {}}, "a graph"},
      {{"", "sm_90a", {}, {}, {}, "cuBLAS launches kernels of its own"}, "cuBLAS launches kernels of its own"},
      {{"fma", "sm_75", {}, {}, LaunchFacts{1, {1}}}, "cannot be read"},
  };
  for (const auto& [launched, why] : refused)
    for (const auto& one : count({launch("fma", {100, {7}}), launched}, fmas_and_bytes)) {
      EXPECT_EQ(one.status, Status::unavailable);
      EXPECT_EQ(one.raw, 0U);
      EXPECT_NE(one.reason.find(why), std::string::npos) << one.reason;
      EXPECT_FALSE(one.no_number);
    }
}

TEST_F(disassembled, arithmetic_of_other_kinds_takes_the_operations_away_and_accesses_of_other_kinds_the_bytes) {
  const auto reciprocal = count({launch("reciprocal", {8, {}})}, {"flops.fp32.mul", "bytes.reg-L1.store"});
  EXPECT_NE(reciprocal[0].reason.find("reciprocal executes MUFU.RCP"), std::string::npos) << reciprocal[0].reason;
  EXPECT_EQ(reciprocal[1].raw, 32U);
  const auto sum = count({launch("sum", {8, {}})}, {"flops.fp32.add", "stores"});
  EXPECT_EQ(sum[0].raw, 8U);
  EXPECT_NE(sum[1].reason.find("sum executes ATOMG.E.ADD"), std::string::npos) << sum[1].reason;
}

TEST_F(disassembled, all_events_are_one_group_and_each_is_in_a_counter_or_an_instruction_count) {
  const auto backend = disassembled_backend({}, place());
  ASSERT_EQ(backend->groups().size(), 1U);
  EXPECT_TRUE(backend->groups().front().repeats_exactly);
  EXPECT_EQ(backend->groups().front().events.size(), disassembled_events(place()).size());
  for (const auto& counter : disassembled_counters()) {
    EXPECT_TRUE(counter.of_code && !counter.exact);
    EXPECT_TRUE(counter.name.starts_with("static ")) << counter.name;
    for (const auto& term : counter.terms) EXPECT_TRUE(disassembled_backend({term.event}, place())->refused().empty()) << term.event;
  }
}

TEST_F(disassembled, an_unknown_event_and_a_place_without_code_are_refused) {
  const auto unknown = disassembled_backend({"flops.fp64.dot"}, place());
  ASSERT_EQ(unknown->refused().size(), 1U);
  EXPECT_TRUE(unknown->refused().front().unknown);
  here_ = {Status::unavailable, "no code"};
  const auto none = disassembled_backend({}, place());
  EXPECT_TRUE(none->groups().empty());
  EXPECT_EQ(none->availability().reason, "no code");
}

}  // namespace
}  // namespace plumbline
