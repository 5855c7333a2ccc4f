// Every part of the program names this host as the kernel does.
#include "core/host_name.hpp"

#include <gtest/gtest.h>
#include <sys/utsname.h>

namespace plumbline {
namespace {

TEST(HostName, is_that_of_the_kernel) {
  utsname names{};
  ASSERT_EQ(uname(&names), 0);
  EXPECT_EQ(host_name(), names.nodename);
}

}  // namespace
}  // namespace plumbline
