#include "comm/device_addresses.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "environment.hpp"

namespace plumbline {
namespace {

int answer = 0, result = 0;
int of_gpus(int kind, int* supported) {
  *supported = kind == 0 ? answer : -1;
  return result;
}
int of_cuda() { return answer; }

/// The functions of a library that has these two, or one of them, or none.
LoadedFunction having(bool first, bool second = false) {
  return [=](const char* name) -> void* {
    if (first && std::string_view(name) == "MPIX_GPU_query_support") return reinterpret_cast<void*>(&of_gpus);
    if (second && std::string_view(name) == "MPIX_Query_cuda_support") return reinterpret_cast<void*>(&of_cuda);
    return nullptr;
  };
}

TEST(device_addresses, are_taken_where_the_librarys_own_query_says_so) {
  for (const bool first : {true, false})
    for (const int said : {0, 1}) {
      answer = said, result = 0;
      const DeviceAddresses found = device_addresses("MPICH Version: 4.0.2", with({}), having(first, !first));
      EXPECT_EQ(found.are_taken, said == 1);
      EXPECT_EQ(found.why,
                std::string(first ? "MPIX_GPU_query_support" : "MPIX_Query_cuda_support") + (said == 1 ? " says yes" : " says no"));
    }
}

TEST(device_addresses, the_second_query_is_asked_where_the_first_one_fails) {
  answer = 1, result = 5;
  EXPECT_EQ(device_addresses("MPICH Version: 4.0.2", with({}), having(true, true)).why, "MPIX_Query_cuda_support says yes");
}

TEST(device_addresses, of_a_library_without_a_query_are_as_its_users_set_it) {
  constexpr const char* cray = "MPI VERSION    : CRAY MPICH version 8.1.28.15 (ANL base 3.4a2)";
  EXPECT_TRUE(device_addresses(cray, with({{"MPICH_GPU_SUPPORT_ENABLED", "1"}}), having(false)).are_taken);
  EXPECT_FALSE(device_addresses(cray, with({{"MPICH_GPU_SUPPORT_ENABLED", "0"}}), having(false)).are_taken);
  EXPECT_EQ(device_addresses(cray, with({}), having(false)).why, "MPICH_GPU_SUPPORT_ENABLED is not set");
  EXPECT_EQ(device_addresses("MVAPICH2 Version: 2.3.7", with({{"MV2_USE_CUDA", "1"}}), having(false)).why, "MV2_USE_CUDA=1");
  EXPECT_FALSE(device_addresses("LAM 7", with({{"MV2_USE_CUDA", "1"}}), having(false)).are_taken);
}

TEST(device_addresses, are_left_alone_where_the_user_has_messages_staged) {
  answer = 1, result = 0;
  const DeviceAddresses found = device_addresses("MPICH", with({{"PLUMBLINE_GPU_MESSAGES", "staged"}}), having(true, true));
  EXPECT_FALSE(found.are_taken);
  EXPECT_EQ(found.why, "PLUMBLINE_GPU_MESSAGES=staged");
}

}  // namespace
}  // namespace plumbline
