#include "comm/mpich_ucx_finalize.hpp"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(mpich_ucx_finalize, versions_before_the_fix_are_known) {
  EXPECT_TRUE(finalize_may_deadlock("MPICH Version: 4.0.2"));
  EXPECT_TRUE(finalize_may_deadlock("MPICH Version:\t3.4.3"));
  EXPECT_TRUE(finalize_may_deadlock("MPICH Version: 4.1"));
  EXPECT_FALSE(finalize_may_deadlock("MPICH Version: 4.2.0"));
  EXPECT_FALSE(finalize_may_deadlock("MPICH Version: 5.0.0"));
  EXPECT_FALSE(finalize_may_deadlock("Open MPI v4.1.4"));
  EXPECT_FALSE(finalize_may_deadlock("MPICH Version:"));
  EXPECT_FALSE(finalize_may_deadlock(""));
}

}  // namespace
}  // namespace plumbline
