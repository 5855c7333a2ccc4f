// Counting on a GPU through the library that stands in for the driver and CUPTI: the order of calls, what readings are made of, and what is
// refused. What CUPTI itself counts takes a GPU.
#include "counters/cupti/cupti.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "counters/cupti/cupti_refusals.hpp"

namespace plumbline {
namespace {

using Names = std::vector<std::string>;

TableCounter row(const std::string& name, const Names& metrics) {
  TableCounter row;
  row.counter = {.name = name, .backend = "cupti"};
  for (const auto& metric : metrics) row.events.push_back({.name = metric});
  return row;
}

class cupti : public ::testing::Test {
 protected:
  cupti() { set<void()>("stand_in_reset")(); }
  ~cupti() override { EXPECT_EQ(set<int()>("stand_in_still_open")(), 0) << "profiler objects, subscribers and chips are given back"; }

  template <class Function>
  static Function* set(const char* name) {
    static void* const opened = dlopen(STAND_IN_CUPTI_FOLDER "/libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<Function*>(dlsym(opened, name));
  }
  static void launch(std::uint64_t work) { set<void(std::uint64_t)>("stand_in_launch")(work); }

  std::unique_ptr<Backend> backend(const Names& events = {}) {
    driver_ = std::make_unique<CudaDriver>(STAND_IN_CUPTI_FOLDER "/libcupti.so.13");
    return cupti_backend_at(place(), events, tables());
  }
  /// A backend beside the last one, in the same place.
  std::unique_ptr<Backend> another(const Names& events) { return cupti_backend_at(place(), events, tables()); }
  CuptiPlace place() const { return {host(), *driver_}; }
  static EventTables tables() {
    EventTable hopper{.family = "nvidia-hopper", .backend = "cupti", .chips = {"GH100"}};
    hopper.counters = {row("flops", {"sm__sass_add.sum", "sm__sass_fma.sum"}), row("time", {"gpu__time_duration.sum"}),
                       row("share", {"sm__warps_active.avg.pct_of_peak_sustained_active"}), row("bytes", {"dram__three_passes.sum"}),
                       row("link", {"pcie__read_bytes.sum"})};
    return {.ours = {hopper}};
  }
  static const CuptiHost& host() {
    static const CuptiHost host({STAND_IN_CUPTI_FOLDER});
    return host;
  }
  /// The readings of one repetition: `entries` entries of `work`, each as often as CUPTI wants for its passes.
  static std::vector<Reading> count(Backend& backend, std::size_t group, int entries, std::uint64_t work) {
    backend.prepare(group, 1);
    backend.open(0);
    launch(1000);  // of before: none of the region's
    for (int i = 0; i < entries; ++i) {
      do {
        backend.multi_pass()->begin_pass();
        launch(100);  // of between
        backend.enter(0);
        launch(work);
        backend.leave(0);
        launch(100);
        backend.multi_pass()->end_pass();
      } while (backend.multi_pass()->wants_another_pass());
    }
    backend.close(0);
    return backend.readings(0);
  }

  std::unique_ptr<CudaDriver> driver_;
};

TEST_F(cupti, the_chips_table_is_counted_in_groups_that_take_one_pass_each_and_the_launches_apart) {
  const auto counted = backend();
  ASSERT_TRUE(counted->availability().ok()) << counted->availability().reason;
  std::vector<Names> events;
  std::vector<int> passes;
  std::vector<bool> exact;
  for (const auto& group : counted->groups()) {
    events.push_back(group.events);
    passes.push_back(group.passes);
    exact.push_back(group.repeats_exactly);
  }
  EXPECT_EQ(events, (std::vector<Names>{{"sm__sass_add.sum", "sm__sass_fma.sum"},
                                        {"gpu__time_duration.sum", "sm__warps_active.avg.pct_of_peak_sustained_active"},
                                        {"dram__three_passes.sum"},
                                        {"pcie__read_bytes.sum"},
                                        {"launches", "graph_launches"}}));
  EXPECT_EQ(passes, (std::vector<int>{1, 1, 3, 1, 1}));
  EXPECT_EQ(exact, (std::vector<bool>{true, false, false, false, true}));
}

TEST_F(cupti, the_work_of_the_region_alone_is_counted_over_its_entries) {
  const auto counted = backend();
  const auto readings = count(*counted, 0, 4, 10);
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_EQ(readings[0].event, "sm__sass_add.sum");
  EXPECT_EQ(readings[0].status, Status::ok) << readings[0].reason;
  EXPECT_EQ(readings[0].raw, 4 * 10U) << "neither what ran before the region nor what ran between its entries";
  EXPECT_EQ(readings[1].raw, 2 * 4 * 10U);
  EXPECT_EQ(count(*counted, 0, 1, 0)[1].raw, 0U) << "each repetition begins at zero, and the empty region counts nothing";
}

TEST_F(cupti, a_share_is_the_regions_own_and_is_none_over_several_entries) {
  set<void(double)>("stand_in_clock")(1.5e9);
  const auto counted = backend();
  const auto one = count(*counted, 1, 1, 40).at(1), empty = count(*counted, 1, 1, 0).at(1), several = count(*counted, 1, 3, 40).at(1);
  EXPECT_EQ(one.rate, 62.5);
  EXPECT_EQ(one.raw, 63U) << "the nearest whole number";
  EXPECT_TRUE(empty.no_number) << "of nothing there is no share";
  EXPECT_EQ(several.status, Status::skipped) << "nobody can want it";
  EXPECT_NE(several.reason.find("does not add up over 3 entries"), std::string::npos) << several.reason;
  EXPECT_EQ(count(*counted, 1, 3, 40).at(0).rate, std::nullopt) << "time adds up";
}

TEST_F(cupti, a_metric_of_several_passes_counts_each_entry_once) {
  const auto counted = backend();
  EXPECT_EQ(count(*counted, 2, 5, 7).at(0).raw, 5 * 7U);
}

TEST_F(cupti, entries_of_a_pass_go_each_to_its_own_sum_however_many_passes_there_are) {
  const auto counted = backend();
  MultiPass& passes = *counted->multi_pass();
  for (const std::size_t group : {0U, 2U}) {  // of one pass, and of three
    counted->prepare(group, 3);
    passes.expect(24);
    counted->open(0);
    do {
      passes.begin_pass();
      for (int round = 0; round < 12; ++round)
        for (const int sum : {0, 2}) {
          counted->enter(sum);
          launch(sum == 0 ? 5 : 7 + round);
          counted->leave(sum);
          launch(100);  // of between
        }
      passes.end_pass();
    } while (passes.wants_another_pass());
    counted->close(0);
    EXPECT_EQ(counted->readings(0).at(0).raw, 12 * 5U) << counted->readings(0).at(0).reason;
    EXPECT_EQ(counted->readings(1).at(0).raw, 0U) << "nothing entered it";
    EXPECT_EQ(counted->readings(2).at(0).raw, 12 * 7U + 66);
  }
}

TEST_F(cupti, more_entries_than_expected_are_no_count) {
  const auto counted = backend();
  counted->prepare(0, 1);
  counted->open(0);
  counted->multi_pass()->begin_pass();
  for (int entry = 0; entry < 2; ++entry) counted->enter(0), counted->leave(0);
  counted->multi_pass()->end_pass();
  counted->close(0);
  EXPECT_EQ(counted->readings(0).at(0).status, Status::failed);
  EXPECT_EQ(counted->readings(0).at(0).reason, "a pass has more entries than were expected");
}

TEST_F(cupti, a_launch_is_counted_once_whichever_interface_made_it) {
  const auto counted = backend({"launches", "graph_launches"});
  counted->prepare(0, 1);
  counted->open(0);
  launch(1);  // of before
  counted->enter(0);
  launch(1);
  launch(1);
  set<void()>("stand_in_launch_by_driver")();
  set<void()>("stand_in_launch_graph")();
  counted->leave(0);
  launch(1);
  counted->close(0);
  EXPECT_EQ(counted->readings(0)[0].raw, 3U) << "two by the runtime, each of which calls the driver, and one by the driver itself";
  EXPECT_EQ(counted->readings(0)[1].raw, 1U);
}

TEST_F(cupti, the_events_of_a_group_asked_for_again_are_that_very_group) {
  const auto whole = backend();
  for (const auto& group : whole->groups()) {
    const auto again = backend(group.events);
    ASSERT_EQ(again->groups().size(), 1U) << group.events.front();
    EXPECT_EQ(again->groups().front().events, group.events);
    EXPECT_EQ(again->groups().front().passes, group.passes);
  }
}

TEST_F(cupti, an_unknown_metric_is_refused_by_name_and_the_rest_is_counted) {
  const auto counted = backend({"dram__unknown.sum", "sm__cycles_elapsed.max", "sm__warps_active.avg.pct_of_peak_sustained_active"});
  ASSERT_EQ(counted->groups().size(), 1U);
  EXPECT_EQ(counted->groups().front().events.size(), 2U) << "a count and a share in one pass";
  ASSERT_EQ(counted->refused().size(), 1U);
  EXPECT_EQ(counted->refused()[0].why.reason, "CUPTI knows no metric 'dram__unknown.sum' of GH100");
}

TEST_F(cupti, a_chip_without_a_table_says_so_and_counts_what_is_named) {
  set<void(const char*)>("stand_in_chip")("GB100");
  const auto counted = backend();
  EXPECT_EQ(counted->availability().status, Status::unavailable);
  EXPECT_NE(counted->availability().reason.find("no event table for the chip GB100"), std::string::npos) << counted->availability().reason;
  EXPECT_TRUE(counted->groups().empty());
  EXPECT_EQ(backend({"dram__bytes.sum"})->groups().size(), 1U);
}

TEST_F(cupti, without_driver_or_gpu_the_reason_is_the_backends) {
  const CudaDriver none("/nowhere/libcuda.so.1");
  const auto nothing = cupti_backend_at({host(), none}, {"launches"});
  EXPECT_EQ(nothing->availability().status, Status::unavailable);
  EXPECT_EQ(nothing->availability().reason.find("no NVIDIA driver here"), 0U) << nothing->availability().reason;
  ASSERT_EQ(nothing->refused().size(), 1U);
  set<void(int, int)>("stand_in_driver")(100, 0);
  EXPECT_NE(backend()->availability().reason.find("no NVIDIA GPU is visible"), std::string::npos);
  set<void(int, int)>("stand_in_driver")(803, 0);
  EXPECT_NE(backend()->availability().reason.find("made-up trouble (cuInit, CUDA error 803)"), std::string::npos);
}

TEST_F(cupti, what_cupti_refuses_is_the_status_of_the_readings_with_what_to_do) {
  const struct {
    int result;
    Status status;
    const char* words;
  } refusals[] = {{35, Status::permission, "NVreg_RestrictProfilingToAdminUsers=0"},
                  {26, Status::stolen, "dcgmi profile --pause"},
                  {33, Status::unavailable, "virtual GPU"},
                  {40, Status::permission, "virtual GPU"},
                  {43, Status::unavailable, "MIG"},
                  {999, Status::failed, "made-up result 999 (CUPTI error 999 of cuptiRangeProfilerEnable)"}};
  for (const auto& [result, status, words] : refusals) {
    set<void(int)>("stand_in_enable")(result);
    const auto counted = backend();
    for (const auto& reading : count(*counted, 0, 1, 1)) {
      EXPECT_EQ(reading.status, status) << result;
      EXPECT_EQ(reading.raw, 0U) << "absent is not zero, and has no number";
      EXPECT_NE(reading.reason.find(words), std::string::npos) << reading.reason;
    }
    const CuptiTrial trial = try_cupti(place());
    EXPECT_EQ(trial.chip, "GH100");
    EXPECT_EQ(trial.availability.status, status);
    EXPECT_NE(trial.availability.reason.find(words), std::string::npos) << trial.availability.reason;
  }
  set<void(int)>("stand_in_enable")(0);
  EXPECT_TRUE(try_cupti(place()).availability.ok()) << "the trial itself works where nothing stands in the way";
}

TEST_F(cupti, a_device_that_is_not_supported_says_which_of_its_traits_it_is) {
  set<void(int)>("stand_in_vgpu")(2);
  const auto reading = count(*backend(), 0, 1, 1).at(0);
  EXPECT_EQ(reading.status, Status::unavailable);
  EXPECT_NE(reading.reason.find("CUPTI error 33"), std::string::npos) << reading.reason;
}

TEST_F(cupti, a_gpu_that_needs_more_passes_than_its_chip_is_entered_until_it_has_them) {
  const auto counted = backend();
  set<void(int)>("stand_in_further_passes")(1);
  EXPECT_EQ(counted->groups()[0].passes, 1) << "planned for the chip";
  const auto readings = count(*counted, 0, 3, 10);
  EXPECT_EQ(readings[0].status, Status::ok) << readings[0].reason;
  EXPECT_EQ(readings[0].raw, 3 * 10U);
  EXPECT_EQ(count(*counted, 2, 2, 7).at(0).raw, 2 * 7U) << "four passes instead of three";
}

TEST_F(cupti, passes_that_were_never_all_had_are_no_count_of_nothing) {
  const auto counted = backend();
  set<void()>("stand_in_never_done")();
  for (const auto& reading : count(*counted, 0, 2, 10)) {
    EXPECT_EQ(reading.status, Status::failed);
    EXPECT_NE(reading.reason.find("all passes of the region"), std::string::npos) << reading.reason;
  }
}

TEST_F(cupti, a_value_that_is_no_number_is_a_failure_and_says_that_it_is_none) {
  const auto counted = backend();
  set<void()>("stand_in_nothing_is_no_number")();
  const auto reading = count(*counted, 0, 1, 0).at(0);
  EXPECT_EQ(reading.status, Status::failed);
  EXPECT_TRUE(reading.no_number);
  EXPECT_EQ(count(*counted, 0, 1, 3).at(0).raw, 3U) << "and the next repetition has its number";
}

TEST_F(cupti, what_the_configuration_is_refused_for_names_the_call) {
  const auto counted = backend();
  set<void(int)>("stand_in_configure")(999);
  EXPECT_EQ(count(*counted, 0, 1, 1).at(0).reason, "made-up result 999 (CUPTI error 999 of cuptiRangeProfilerSetConfig)");
  set<void(int)>("stand_in_configure")(1);
  EXPECT_NE(count(*counted, 0, 1, 1).at(0).reason.find("CUPTI error 1 of cuptiRangeProfilerSetConfig"), std::string::npos);
}

TEST_F(cupti, one_profiler_does_for_all_repetitions_of_a_group_and_is_given_back_after_them) {
  const auto counted = backend();
  for (int repetition = 1; repetition <= 4; ++repetition)
    EXPECT_EQ(count(*counted, 0, 2, 10).at(0).raw, 20U) << "repetition " << repetition;
  EXPECT_EQ(set<int()>("stand_in_sessions")(), 1);
  counted->multi_pass()->release();
  EXPECT_EQ(set<int()>("stand_in_still_open")(), 0);
  EXPECT_EQ(count(*counted, 2, 3, 5).at(0).raw, 15U);
  EXPECT_EQ(count(*counted, 1, 3, 5).at(0).raw, 15U);
  EXPECT_EQ(set<int()>("stand_in_sessions")(), 3) << "one for each group";
  EXPECT_LE(set<int()>("stand_in_availability_asked")(), 2) << "once in a process, in two calls";
}

TEST_F(cupti, groups_of_a_context_share_one_profiler_in_turn) {
  const auto bytes = backend({"dram__bytes.sum", "dram__more.sum"}), sectors = another({"lts__sectors.sum"});
  for (int repetition = 1; repetition <= 3; ++repetition) {
    EXPECT_EQ(count(*bytes, 0, 2, 10).at(1).raw, 2 * 20U) << "repetition " << repetition;
    EXPECT_EQ(count(*sectors, 0, 1, 7).at(0).raw, 7U) << "repetition " << repetition;
  }
  EXPECT_EQ(set<int()>("stand_in_sessions")(), 1);
  bytes->multi_pass()->release();
  EXPECT_EQ(count(*sectors, 0, 1, 7).at(0).raw, 7U) << "it is on as long as anyone counts by it";
  sectors->multi_pass()->release();
  EXPECT_EQ(set<int()>("stand_in_still_open")(), 0);
}

TEST_F(cupti, a_profiler_that_takes_no_second_configuration_is_enabled_anew) {
  set<void()>("stand_in_configures_once")();
  const auto bytes = backend({"dram__bytes.sum", "dram__more.sum"}), sectors = another({"lts__sectors.sum"});
  EXPECT_EQ(count(*bytes, 0, 1, 10).at(1).raw, 20U);
  EXPECT_EQ(count(*sectors, 0, 1, 7).at(0).raw, 7U);
  EXPECT_EQ(count(*bytes, 0, 1, 10).at(1).raw, 20U);
  EXPECT_EQ(set<int()>("stand_in_sessions")(), 3);
}

TEST_F(cupti, a_count_that_broke_off_disturbs_none_that_follow) {
  const auto bytes = backend({"dram__bytes.sum", "dram__more.sum"}), sectors = another({"lts__sectors.sum"});
  EXPECT_EQ(count(*sectors, 0, 1, 7).at(0).raw, 7U);
  set<void(int)>("stand_in_empty_range")(1);
  const auto refused = count(*bytes, 0, 1, 0).at(0);
  EXPECT_EQ(refused.status, Status::failed);
  EXPECT_NE(refused.reason.find("CUPTI error 1 of cuptiRangeProfilerPopRange"), std::string::npos) << refused.reason;
  EXPECT_EQ(count(*sectors, 0, 1, 7).at(0).raw, 7U);
  EXPECT_EQ(count(*bytes, 0, 1, 10).at(1).raw, 20U);
  EXPECT_EQ(set<int()>("stand_in_sessions")(), 2) << "one more, for the first was left amid a range";
}

TEST_F(cupti, a_context_that_is_lost_is_the_reason_and_another_one_is_counted_in) {
  const auto counted = backend();
  EXPECT_EQ(count(*counted, 0, 1, 5).at(0).raw, 5U);
  set<void(int)>("stand_in_synchronize")(700);
  for (const auto& reading : count(*counted, 0, 1, 5)) {
    EXPECT_EQ(reading.status, Status::failed);
    EXPECT_EQ(reading.reason, "the GPU's work failed: made-up trouble (cuCtxSynchronize, CUDA error 700)");
    EXPECT_EQ(reading.raw, 0U);
  }
  set<void(int)>("stand_in_synchronize")(0);
  EXPECT_EQ(count(*counted, 0, 1, 5).at(0).raw, 5U);
}

TEST_F(cupti, a_range_that_cupti_drops_is_no_count_of_nothing) {
  set<void()>("stand_in_drops_empty_ranges")();
  const auto counted = backend();
  EXPECT_EQ(count(*counted, 0, 1, 0).at(0).reason, "CUPTI counted 0 ranges where the region is one");
  EXPECT_EQ(count(*counted, 0, 1, 5).at(0).raw, 5U);
}

TEST_F(cupti, without_a_context_or_beside_another_subscriber_nothing_is_counted) {
  set<void(bool)>("stand_in_context")(false);
  EXPECT_NE(count(*backend(), 0, 1, 1).at(0).reason.find("no CUDA context"), std::string::npos);
  EXPECT_TRUE(try_cupti(place()).availability.ok()) << "a trial opens a context of its own";
  set<void(int)>("stand_in_subscribe")(39);
  const auto reading = count(*backend({"launches"}), 0, 1, 1).at(0);
  EXPECT_EQ(reading.status, Status::stolen);
  EXPECT_NE(reading.reason.find("CUPTI error 39 of cuptiSubscribe"), std::string::npos) << reading.reason;
}

}  // namespace
}  // namespace plumbline
