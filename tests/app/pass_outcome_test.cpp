#include "app/stages/pass_outcome.hpp"

#include <gtest/gtest.h>

namespace plumbline::app {
namespace {

const GroupOutcome counted{"emulated", Status::ok, ""}, not_programmed{"papi", Status::unavailable, "no such event"},
    broken{"papi", Status::failed, "cannot prepare the case"},
    broken_elsewhere{"emulated", Status::failed, another_rank("failed"), FailedAt::another_rank};

OutcomeRow concluded(const std::vector<GroupOutcome>& groups) {
  OutcomeRow pass{};
  conclude(pass, groups);
  return pass;
}

FailedAt teller(const std::vector<GroupOutcome>& groups) { return where_failed(concluded(groups), groups); }

TEST(PassOutcome, is_failed_where_a_group_failed_and_else_ok_where_one_counted) {
  EXPECT_EQ(concluded({counted, broken}).status, Status::failed);
  EXPECT_EQ(concluded({not_programmed, counted}).status, Status::ok);
  EXPECT_EQ(concluded({not_programmed}).status, Status::unavailable);
}

TEST(PassOutcome, tells_each_reason_once_with_its_backend_where_there_are_several_groups) {
  EXPECT_EQ(concluded({not_programmed}).reason, "no such event");
  EXPECT_EQ(concluded({counted, not_programmed, not_programmed}).reason, "papi: no such event");
  EXPECT_EQ(concluded({broken_elsewhere, broken}).reason, "emulated: another rank of the team failed; papi: cannot prepare the case");
}

TEST(PassOutcome, tells_of_another_rank_only_where_no_group_failed_here) {
  EXPECT_EQ(teller({broken_elsewhere, broken_elsewhere}), FailedAt::another_rank);
  EXPECT_EQ(teller({broken_elsewhere, broken}), FailedAt::this_rank);
  EXPECT_EQ(teller({counted, broken_elsewhere}), FailedAt::another_rank) << "what was counted here is no failure";
  EXPECT_EQ(teller({not_programmed, broken_elsewhere}), FailedAt::another_rank)
      << "what was refused here is not why the pass failed";
  EXPECT_EQ(teller({not_programmed}), FailedAt::this_rank);
}

}  // namespace
}  // namespace plumbline::app
