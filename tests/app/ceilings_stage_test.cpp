// A ceiling is measured, and contested, by a team of ranks of which one computes a wrong result. The test runs on 2 ranks of one node.
#include "app/stages/ceilings_stage.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "app/stages/form_contests_stage.hpp"
#include "core/array.hpp"
#include "core/kernel.hpp"

namespace plumbline::app {
namespace {

Communicator* session = nullptr;
bool wrong_here = false;

template <class Real>
struct Numbers {
  Real* values;
};

void add_one(const void* arguments, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) static_cast<const Numbers<double>*>(arguments)->values[i] += 1;
}

template <class Real>
class AddOne final : public Workload {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n");
    return {.flops = {{"flops.fp64.add", n}}};
  }
  AddOne(const Parameters& p, std::pmr::memory_resource& memory) : values_(p.integer("n"), memory), arguments_{values_.data()} {}

  std::size_t extent() const override { return values_.size(); }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin; i < end; ++i) values_[i] = Real(0.5);
  }
  const void* arguments() const override { return &arguments_; }
  void sweep_all() {
    for (std::size_t i = 0; i < extent(); ++i) values_[i] = values_[i] + Real(1);
  }
  double error() const override { return wrong_here ? 1 : 0; }
  double tolerance() const override { return 1e-9; }

 private:
  Array<Real> values_;
  Numbers<Real> arguments_;
};

constexpr Flavor flavors[] = {{"gcc12-O3-v2", "fp64", &add_one}, {"gcc12-O3-v3", "fp64", &add_one}};
const Register<AddOne, double> registered{"faulty/add_one",
                                          "Adds one, wrong where the test says",
                                          {{.name = "n", .preset = std::int64_t{4096}, .description = "numbers"}},
                                          flavors};

CeilingCase ceiling_of_both() {
  CeilingCase ceiling;
  ceiling.measured.kernel = find_kernel("faulty/add_one");
  ceiling.measured.precision = ceiling.precision = "fp64";
  ceiling.measured.flavor = flavors[0];
  ceiling.measured.team = {2, 1};
  ceiling.name = "FP64 add";
  ceiling.level = "compute";
  ceiling.pattern = "add";
  ceiling.unit = "GFLOP/s";
  ceiling.measured.parameters.set("n", std::int64_t{4096});
  ceiling.amount_per_sweep = 4096;
  return ceiling;
}

/// Places both ranks on a CPU that this process may use: nothing is said of times.
TeamCpus any_cpu(const Team& team) {
  const auto allowed = this_topology().allowed_cpus();
  TeamCpus placed;
  for (int rank = 0; rank < team.ranks; ++rank) placed.cpus.push_back({allowed[static_cast<std::size_t>(rank) % allowed.size()]});
  return placed;
}

/// The row of a round, on the first rank.
CeilingRow row_of(CeilingsStage& stage, int round) {
  const auto unit = stage.measure(round);
  return unit ? unit->ceilings.front() : CeilingRow{};
}

TEST(CeilingsStage, a_wrong_result_of_any_rank_is_told_and_the_next_round_is_checked_again) {
  if (session->local().size() < 2) GTEST_SKIP() << "SKIP: takes two ranks";
  session->team(2);
  const std::vector<CeilingCase> plan{ceiling_of_both()};
  CeilingsStage stage(plan, "s", *session, any_cpu);
  for (int round = 0; round < 3; ++round) {
    wrong_here = session->rank() == 1 && round < 2;
    const CeilingRow row = row_of(stage, round);
    if (session->rank() != 0) continue;
    EXPECT_EQ(row.status, round < 2 ? Status::wrong_result : Status::ok) << row.reason;
    EXPECT_EQ(row.reason, round < 2 ? "wrong result on another rank of the team" : "");
  }
}

/// The plan's own loop, another shape of it, and another ISA.
ContestPlan contest_of_three() {
  ContestPlan contest;
  for (const auto& [form, flavor] : {std::pair{"v2", 0}, {"deep v2", 0}, {"v3", 1}}) {
    CeilingCase one = ceiling_of_both();
    one.form = form;
    one.name += std::string(", ") + form;
    one.measured.flavor = flavors[flavor];
    contest.candidates.push_back(one);
  }
  return contest;
}

/// The rows of one contest, on the first rank, where the plan's own loop reaches that part of its limit.
std::vector<CeilingRow> contested(double part_of_limit) {
  const std::vector<ContestPlan> contests{contest_of_three()};
  const std::function<TeamCpus(const Team&)> place = any_cpu;
  FormContestsStage stage(contests, "s", *session, place, [&](const CeilingRow&) { return part_of_limit; });
  const auto unit = stage.measure();
  return unit ? unit->ceilings : std::vector<CeilingRow>();
}

TEST(FormContestsStage, what_is_at_its_limit_tries_no_other_shape_but_other_isas) {
  if (session->local().size() < 2) GTEST_SKIP() << "SKIP: takes two ranks";
  session->team(2);
  wrong_here = false;
  const auto rows = contested(0.995);
  if (session->rank() != 0) return;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_GT(rows[0].value, 0);
  EXPECT_EQ(rows[1].status, Status::skipped);
  EXPECT_TRUE(std::isnan(rows[1].value));
  EXPECT_EQ(rows[1].reason, "not tried, for the plan's own loop reached 0.995 of its limit");
  EXPECT_TRUE(rows[1].method.ends_with("deep v2")) << rows[1].method;
  EXPECT_GT(rows[2].value, 0);
  EXPECT_EQ(chosen_forms(rows).size(), 1U);
  EXPECT_TRUE(chosen_forms(rows)[0].complete);
}

/// Above its limit the clock beside it was wrong.
TEST(FormContestsStage, what_is_below_its_limit_or_has_none_or_is_above_tries_all) {
  if (session->local().size() < 2) GTEST_SKIP() << "SKIP: takes two ranks";
  session->team(2);
  wrong_here = false;
  for (const double part : {0.98, absent, 1.05}) {
    const auto rows = contested(part);
    for (const auto& row : rows) EXPECT_EQ(row.status, Status::ok) << row.reason;
    for (const auto& row : rows) EXPECT_GT(row.value, 0) << part;
  }
}

/// A wrong result that one rank computes is told on the row of the candidate, and it is no winner.
TEST(FormContestsStage, a_wrong_result_of_any_rank_takes_no_part) {
  if (session->local().size() < 2) GTEST_SKIP() << "SKIP: takes two ranks";
  session->team(2);
  wrong_here = session->rank() == 1;
  const auto rows = contested(0.5);
  wrong_here = false;
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::wrong_result);
    EXPECT_EQ(row.reason, "wrong result on another rank of the team");
  }
}

int run(int argc, char** argv) {
  Communicator communicator;
  session = &communicator;
  testing::InitGoogleTest(&argc, argv);
  const bool failed = RUN_ALL_TESTS() != 0;
  return communicator.world().any(failed) ? 1 : 0;
}

}  // namespace
}  // namespace plumbline::app

int main(int argc, char** argv) { return plumbline::app::run(argc, argv); }
