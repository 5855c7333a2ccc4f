// Every row of the shipped event tables that says "checked: libpfm4" is encoded by the installed libpfm4 and compared.
#include <gtest/gtest.h>
#include <perfmon/pfmlib.h>

#include <cstdlib>
#include <sstream>

#include "counters/tables/event_table.hpp"

namespace plumbline {
namespace {

// Bits that say who is counted and that the counter runs; perf_event has fields of its own for them (user, kernel, interrupt, enable).
constexpr std::uint64_t of_the_kernel = 1U << 16U | 1U << 17U | 1U << 20U | 1U << 22U;

std::optional<std::uint64_t> encoded(const std::string& event, std::string& why) {
  pfm_pmu_encode_arg_t answer{};
  answer.size = sizeof answer;
  const int status = pfm_get_os_event_encoding(event.c_str(), PFM_PLM3, PFM_OS_NONE, &answer);
  if (status != PFM_SUCCESS || answer.count < 1) {
    why = pfm_strerror(status);
    return std::nullopt;
  }
  const std::uint64_t code = answer.codes[0];
  free(answer.codes);
  return code & ~of_the_kernel;
}

/// A code as the tables write it.
std::string hexadecimal(std::uint64_t code) {
  std::ostringstream text;
  text << std::hex << std::showbase << code;
  return text.str();
}

TEST(libpfm4, gives_the_codes_of_every_row_that_says_so) {
  setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);  // PMUs of other machines too
  ASSERT_EQ(pfm_initialize(), PFM_SUCCESS);
  int compared = 0;
  for (const auto& table : read_event_tables(PLUMBLINE_EVENTS_DIRECTORY, "").ours)
    for (const auto& row : table.counters) {
      if (!row.checked.starts_with("libpfm4 ")) continue;
      for (const auto& event : row.events) {
        ASSERT_FALSE(event.libpfm4.empty()) << table.family << " " << event.name << " says that it was checked, but not by which PMU";
        std::string why;
        const auto code = encoded(event.libpfm4 + "::" + event.name, why);
        ASSERT_TRUE(code.has_value()) << event.libpfm4 << "::" << event.name << ": " << why;
        EXPECT_EQ(hexadecimal(*code), hexadecimal(*event.raw)) << table.family << " " << event.name;
        ++compared;
      }
    }
  EXPECT_GT(compared, 80);
}

}  // namespace
}  // namespace plumbline
