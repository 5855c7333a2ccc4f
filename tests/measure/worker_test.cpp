// The emulated worker is tried for real: this program, started by itself under the Valgrind tool.
#include "measure/worker.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>

#include "core/kernel.hpp"
#include "counters/emulated/emulated.hpp"
#include "measure/worker_channel.hpp"

namespace plumbline {
namespace {

const std::vector<CacheLevel> small_caches{{"L1", 32768, 8, 64, false}, {"L2", 262144, 8, 64, false}, {"L3", 1048576, 16, 64, true}};

Case triad(std::int64_t n, std::string_view flavor_part, int threads = 1) {
  Case measured{
      .kernel = find_kernel("validation/triad"), .parameters = {{"n", n}}, .precision = "fp64", .flavor = {}, .team = {1, threads}};
  for (const Flavor& flavor : measured.kernel->flavors())
    if (flavor.precision == "fp64" && flavor.name.find(flavor_part) != std::string_view::npos) measured.flavor = flavor;
  return measured;
}

class Worker : public testing::Test {
 protected:
  void SetUp() override {
    installation_ = find_emulator();
    if (!installation_.availability.ok()) GTEST_SKIP() << "SKIP: " << installation_.availability.reason;
    worker_ = std::make_unique<EmulatedWorker>(installation_, small_caches);
  }

  CountedCase count(const Case& measured, std::string_view backend = "emulated", int ranks_per_l3 = 1) {
    return worker_->count(measured, {backend, events_, 1, ranks_per_l3}, 60);
  }

  std::map<std::string, double> net(const Case& measured, int ranks_per_l3 = 1) {
    const CountedCase answer = count(measured, "emulated", ranks_per_l3);
    EXPECT_EQ(answer.status, Status::ok) << answer.reason;
    std::map<std::string, double> sum;
    if (answer.repetitions.size() != 1) return sum;
    const RegionCounts& counts = answer.repetitions.front();
    for (std::size_t t = 0; t < counts.kernel.size(); ++t)
      for (std::size_t e = 0; e < counts.kernel[t].size(); ++e)
        sum[std::string(counts.kernel[t][e].event)] +=
            static_cast<double>(counts.kernel[t][e].raw) - static_cast<double>(counts.empty[t][e].raw);
    return sum;
  }

  const std::vector<std::string> events_ = emulated_backend()->groups().at(0).events;
  EmulatorInstallation installation_;
  std::unique_ptr<EmulatedWorker> worker_;
};

double flops(const std::map<std::string, double>& net) {
  return net.at("flops.fp64.add") + net.at("flops.fp64.mul") + 2 * net.at("flops.fp64.fma");
}

TEST_F(Worker, counts_where_standard_input_is_closed) {
  constexpr int out_of_the_way = 100;
  worker_.reset();  // whose descriptor would be the one that the new worker's end gets
  const int input = fcntl(STDIN_FILENO, F_DUPFD, out_of_the_way);
  close(STDIN_FILENO);
  worker_ = std::make_unique<EmulatedWorker>(installation_, small_caches);
  EXPECT_EQ(flops(net(triad(1000, "O3-v3"))), 2000);
  worker_.reset();
  if (input < 0) return;
  dup2(input, STDIN_FILENO);
  close(input);
}

TEST_F(Worker, of_a_rank_that_counts_nothing_does_not_run_and_counts_once_it_is_asked) {
  const auto running = [] { return waitpid(-1, nullptr, WNOHANG) == 0; };  // -1: this process has no child
  EXPECT_TRUE(running());
  worker_.reset();
  EXPECT_FALSE(running());
  worker_ = std::make_unique<EmulatedWorker>(installation_, small_caches, EmulatedWorker::Start::when_asked);
  EXPECT_FALSE(running());
  EXPECT_EQ(flops(net(triad(1000, "O3-v3"))), 2000);
  EXPECT_TRUE(running());
}

int forks = 0;  // of this process, as libraries that pin memory for an interconnect are told of them

TEST_F(Worker, is_started_and_started_again_without_a_copy_of_this_process) {
  ASSERT_EQ(pthread_atfork([] { ++forks; }, nullptr, nullptr), 0);
  for (int start = 0; start < 2; ++start) {
    worker_ = std::make_unique<EmulatedWorker>(installation_, small_caches);
    EXPECT_EQ(flops(net(triad(1000, "O3-v3"))), 2000);
  }
  EXPECT_EQ(forks, 0);
}

TEST_F(Worker, counts_the_flops_of_triad_exactly_in_every_flavor_it_can_run) {
  for (const char* flavor : {"O0-v2", "O3-v2", "O0-v3", "O3-v3"}) EXPECT_EQ(flops(net(triad(1000, flavor))), 2000) << flavor;
}

TEST_F(Worker, counts_the_lines_of_triad_beyond_the_caches) {
  const auto counts = net(triad(1 << 17, "O3-v3"));  // 3 MiB against 1 MiB of L3
  const double array = 8 << 17;
  for (const char* boundary : {"L1-L2", "L2-L3", "L3-mem"}) {
    EXPECT_NEAR(counts.at("bytes." + std::string(boundary) + ".demand_read"), 2 * array, 1024) << boundary;
    EXPECT_NEAR(counts.at("bytes." + std::string(boundary) + ".rfo"), array, 1024) << boundary;
    EXPECT_NEAR(counts.at("bytes." + std::string(boundary) + ".write_back"), array, 1024) << boundary;
  }
}

TEST_F(Worker, finds_no_traffic_of_arrays_that_fit) {
  EXPECT_LE(net(triad(500, "O3-v3")).at("bytes.L1-L2.demand_read"), 16 * 64);  // 12 KB in 32 KB
}

TEST_F(Worker, without_simulated_caches_counts_the_same_and_says_nothing_of_bytes_below_L1) {
  const Case measured = triad(5000, "O3-v3");
  const auto with_caches = net(measured);
  worker_ = std::make_unique<EmulatedWorker>(installation_, std::span<const CacheLevel>{});
  const CountedCase answer = count(measured);
  ASSERT_EQ(answer.status, Status::ok) << answer.reason;
  const RegionCounts& counts = answer.repetitions.at(0);
  for (std::size_t e = 0; e < counts.kernel[0].size(); ++e) {
    const Reading &kernel = counts.kernel[0][e], &empty = counts.empty[0][e];
    const std::string name(kernel.event);
    const bool below = name.starts_with("bytes.L") || name == "core_cycles";  // nor is a core simulated
    EXPECT_EQ(kernel.status, below ? Status::skipped : Status::ok) << name;
    const double counted = static_cast<double>(kernel.raw) - static_cast<double>(empty.raw);
    EXPECT_EQ(counted, below ? 0 : with_caches.at(name)) << name;
  }
}

TEST_F(Worker, counts_the_cycles_of_a_core_where_one_is_simulated_and_else_says_why_not) {
  const Case measured = triad(5000, "O3-v3");
  const auto cycles = [&] {
    const CountedCase answer = count(measured);
    EXPECT_EQ(answer.status, Status::ok) << answer.reason;
    const auto& counts = answer.repetitions.at(0).kernel.at(0);
    return *std::ranges::find(counts, "core_cycles", &Reading::event);
  };
  const Reading without = cycles();
  EXPECT_EQ(without.status, Status::skipped);
  EXPECT_NE(without.reason.find("no core is simulated"), std::string::npos);
  const CorePipes core{6, 320, 176, 2, 2, 4, 2, 1, 3, 3, 4, 64};
  worker_ = std::make_unique<EmulatedWorker>(installation_, small_caches, EmulatedWorker::Start::now, core);
  const Reading with = cycles();
  EXPECT_EQ(with.status, Status::ok) << with.reason;
  EXPECT_NEAR(static_cast<double>(with.raw), 5000.0 / 4, 200) << "a store a cycle, four numbers each";
}

TEST_F(Worker, has_a_part_of_l3_where_other_ranks_share_it) {
  const Case in_three_quarters = triad(1 << 15, "O3-v3");  // 768 KiB against 1 MiB of L3, or half of it
  const double array = 8 << 15;
  EXPECT_LE(net(in_three_quarters).at("bytes.L3-mem.demand_read"), 16 * 64);
  EXPECT_NEAR(net(in_three_quarters, 2).at("bytes.L3-mem.demand_read"), 2 * array, 1024);
  EXPECT_LE(net(in_three_quarters).at("bytes.L3-mem.demand_read"), 16 * 64) << "the next case has all of it again";
}

TEST_F(Worker, simulates_the_l3_that_a_request_names) {
  const Case in_three_quarters = triad(1 << 15, "O3-v3");  // 768 KiB
  const double array = 8 << 15;
  const auto memory_reads = [&](std::uint64_t l3_bytes, int ranks_per_l3 = 1) {
    const CountedCase answer = worker_->count(in_three_quarters, {"emulated", events_, 1, ranks_per_l3, l3_bytes}, 60);
    EXPECT_EQ(answer.status, Status::ok) << answer.reason;
    if (answer.status != Status::ok) return -1.0;
    const auto at = std::find(events_.begin(), events_.end(), "bytes.L3-mem.demand_read") - events_.begin();
    return static_cast<double>(answer.repetitions[0].kernel[0][static_cast<std::size_t>(at)].raw);
  };
  EXPECT_LE(memory_reads(0), 16 * 64);
  EXPECT_NEAR(memory_reads(1 << 19), 2 * array, 1024);
  EXPECT_LE(memory_reads(1 << 21, 2), 16 * 64) << "half of twice as much";
  EXPECT_LE(memory_reads(0), 16 * 64) << "the next case has the one that the worker was started with";
  EXPECT_EQ(worker_->count(in_three_quarters, {"emulated", events_, 1, 1, 1000}, 60).status, Status::failed);
}

TEST_F(Worker, refuses_more_ranks_than_l3_has_sets) {
  const CountedCase answer = count(triad(1000, "O3-v3"), "emulated", 5000);
  EXPECT_EQ(answer.status, Status::failed);
  EXPECT_NE(answer.reason.find("fewer of them than the 5000 ranks"), std::string::npos) << answer.reason;
}

TEST_F(Worker, gives_the_same_numbers_again_after_other_cases) {
  const auto first = net(triad(40000, "O0-v3"));
  net(triad(77, "O3-v2"));
  EXPECT_EQ(first, net(triad(40000, "O0-v3")));
}

TEST_F(Worker, sums_the_threads_of_a_team_exactly) {
  EXPECT_EQ(flops(net(triad(5000, "O3-v3", 2))), 10000);
  EXPECT_EQ(net(triad(5000, "O0-v3", 2)).at("instructions"), net(triad(5000, "O0-v3", 2)).at("instructions"));
}

TEST_F(Worker, refuses_a_flavor_beyond_v3_with_the_remedy_and_goes_on) {
  const CountedCase answer = count(triad(1000, "O3-v4"));
  EXPECT_EQ(answer.status, Status::unavailable);
  EXPECT_NE(answer.reason.find("v3"), std::string::npos) << answer.reason;
  EXPECT_EQ(flops(net(triad(1000, "O3-v3"))), 2000);
}

TEST_F(Worker, counts_a_group_of_chosen_events_in_their_order_and_repeats_it) {
  const std::vector<std::string> chosen{"stores", "flops.fp64.fma", "flops.fp64.add"};
  const CountedCase answer = worker_->count(triad(1000, "O3-v2"), {"emulated", chosen, 3}, 60);
  ASSERT_EQ(answer.repetitions.size(), 3U) << answer.reason;
  for (const auto& repetition : answer.repetitions) {
    const auto& readings = repetition.kernel.front();
    ASSERT_EQ(readings.size(), 3U);
    for (std::size_t e = 0; e < chosen.size(); ++e) EXPECT_EQ(readings[e].event, chosen[e]);
    EXPECT_EQ(readings[2].raw - repetition.empty.front()[2].raw, 1000U);
  }
}

TEST_F(Worker, refuses_events_and_backends_that_it_does_not_know) {
  const std::vector<std::string> wrong{"flops.fp63.add"};
  const CountedCase no_event = worker_->count(triad(1000, "O3-v2"), {"emulated", wrong}, 60);
  EXPECT_EQ(no_event.status, Status::unavailable);
  EXPECT_NE(no_event.reason.find("flops.fp63.add"), std::string::npos) << no_event.reason;
  EXPECT_EQ(count(triad(1000, "O3-v2"), "nonesuch").status, Status::unavailable);
}

TEST_F(Worker, reports_memory_it_cannot_have) {
  const CountedCase answer = count(triad(std::int64_t{1} << 55, "O3-v3"));
  EXPECT_EQ(answer.status, Status::failed);
}

TEST(patience_with_a_worker, does_not_run_out_while_the_rank_itself_is_stopped) {
  constexpr double patience = 2;
  constexpr useconds_t begun = 200'000, stopped = 4'000'000, answered = 200'000;
  int answer[2];
  ASSERT_EQ(pipe(answer), 0);
  const int rank = fork();
  if (rank == 0) _exit(wait_readable(answer[0], patience) ? 0 : 1);
  usleep(begun);
  kill(rank, SIGSTOP);
  usleep(stopped);
  kill(rank, SIGCONT);
  usleep(answered);
  ASSERT_EQ(write(answer[1], "a", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(rank, &status, 0), rank);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  close(answer[0]);
  close(answer[1]);
}

}  // namespace
}  // namespace plumbline

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "worker") return plumbline::serve_counts(3);
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  return failed || testing::UnitTest::GetInstance()->skipped_test_count() == 0 ? failed : 77;
}
