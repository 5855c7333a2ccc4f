// The test runs on 1, 2, 4 and 16 ranks. `comm_test --exit-codes` and `--one-rank-fails` show how runs end.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/exchange.hpp"
#include "comm/launch.hpp"
#include "comm/node_board.hpp"
#include "comm/told.hpp"

namespace plumbline {
namespace {

Communicator* session = nullptr;

TEST(communicator, world_is_as_large_as_launched) {
  const auto launch = find_launch(process_environment());
  EXPECT_EQ(session->size(), launch ? launch->size : 1);
}

TEST(communicator, reductions_reach_every_rank) {
  const double rank = session->rank(), size = session->size();
  EXPECT_EQ(session->world().max(rank), size - 1);
  EXPECT_EQ(session->world().min(rank), 0);
  EXPECT_EQ(session->world().sum(rank), size * (size - 1) / 2);
}

TEST(communicator, any_is_true_when_one_rank_says_so) {
  EXPECT_TRUE(session->world().any(session->rank() == session->size() - 1));
  EXPECT_FALSE(session->world().any(false));
}

TEST(group, shifts_bring_each_rank_its_neighbours_data) {
  Group& world = session->world();
  const int before = (world.rank() + world.size() - 1) % world.size(), after = (world.rank() + 1) % world.size();
  for (const std::size_t count : {1U, 100'000U}) {  // at once, and by the other side's leave
    const std::vector<int> up(count, world.rank()), down(count, -1 - world.rank());
    std::vector<int> from_after(count), from_before(count);
    const std::size_t bytes = count * sizeof(int);
    const Peers::Message both[] = {{.sent = up.data(), .to = before, .received = from_after.data(), .from = after, .bytes = bytes},
                                   {.sent = down.data(), .to = after, .received = from_before.data(), .from = before, .bytes = bytes}};
    world.shift(both);
    EXPECT_EQ(from_after, std::vector<int>(count, after));
    EXPECT_EQ(from_before, std::vector<int>(count, -1 - before));
  }
}

TEST(group, each_value_is_added_up_over_all_ranks) {
  const double rank = session->rank(), size = session->size();
  std::vector<double> values{1, rank};
  session->world().add_up(values);
  EXPECT_EQ(values, (std::vector<double>{size, size * (size - 1) / 2}));
}

TEST(told, every_rank_hears_the_values_of_all_in_rank_order) {
  using Value = std::pair<int, std::vector<std::string>>;
  const auto lines_of = [](std::size_t rank) { return std::vector<std::string>(rank % 3, "\"a\nb\""); };
  const auto all = all_gather(session->world(), Value{session->rank(), lines_of(static_cast<std::size_t>(session->rank()))});
  ASSERT_EQ(all.size(), static_cast<std::size_t>(session->size()));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    EXPECT_EQ(all[rank].first, static_cast<int>(rank));
    EXPECT_EQ(all[rank].second, lines_of(rank));
  }
}

TEST(told, every_rank_hears_what_rank_0_says) {
  const std::map<std::string, double> mine{{"rank", session->rank() + 0.25}};
  EXPECT_EQ(broadcast(session->world(), mine), (std::map<std::string, double>{{"rank", 0.25}}));
}

TEST(node_board, every_rank_sees_who_and_where_the_others_are) {
  Group& local = session->local();
  NodeBoard board(local, session->rank());
  EXPECT_EQ(board.size(), local.size());
  EXPECT_EQ(board.mine(), local.rank());
  EXPECT_EQ(board.process(board.mine()), getpid());
  EXPECT_EQ(board.world_rank(board.mine()), session->rank());
  for (int rank = 0; rank < board.size(); ++rank) EXPECT_EQ(kill(board.process(rank), 0), 0) << rank;
  local.wait_for_all();
}

TEST(node_board, one_rank_alone_is_the_first_to_call_and_all_are_woken) {
  Group& local = session->local();
  NodeBoard board(local, session->rank());
  EXPECT_FALSE(board.called());
  const auto before = board.knocks();
  local.wait_for_all();
  const bool first = board.call();
  EXPECT_EQ(local.sum(first ? 1 : 0), 1);  // after it, all have called
  EXPECT_TRUE(board.called());
  EXPECT_NE(board.knocks(), before);
  board.sleep(before, 3600);  // a knock that came before is not slept through
  EXPECT_FALSE(board.written());
  local.wait_for_all();
  if (local.rank() == 0) board.tell_written();
  local.wait_for_all();
  EXPECT_TRUE(board.written());
}

TEST(node_board, answers_are_seen_by_the_others) {
  Group& local = session->local();
  NodeBoard board(local, session->rank());
  EXPECT_EQ(board.answer(board.mine()), Answer::none);
  local.wait_for_all();
  board.give(board.mine() == 0 ? Answer::waits : Answer::works);
  local.wait_for_all();
  for (int rank = 0; rank < board.size(); ++rank) EXPECT_EQ(board.answer(rank), rank == 0 ? Answer::waits : Answer::works);
  local.wait_for_all();
}

TEST(node_board, a_sleep_without_a_knock_ends_by_itself) {
  NodeBoard board(session->local(), session->rank());
  board.sleep(board.knocks(), 0.01);
  EXPECT_FALSE(board.called());
  session->local().wait_for_all();
}

TEST(communicator, broadcast_gives_everybody_the_roots_text) {
  for (const int root : {0, session->size() - 1}) {
    const std::string text = "campaign of " + std::to_string(root);
    EXPECT_EQ(session->world().broadcast(session->rank() == root ? text : "other", root), text);
    EXPECT_EQ(session->world().broadcast(session->rank() == root ? "" : "other", root), "");
  }
}

TEST(communicator, gather_keeps_rank_order_and_uneven_sizes) {
  const auto mine = [](int rank) { return std::string(static_cast<std::size_t>(rank) * 100'003, static_cast<char>('a' + rank % 26)); };
  const auto all = session->world().gather(mine(session->rank()));
  ASSERT_EQ(all.size(), session->rank() == 0 ? static_cast<std::size_t>(session->size()) : 0);
  for (std::size_t rank = 0; rank < all.size(); ++rank) EXPECT_EQ(all[rank], mine(static_cast<int>(rank)));
}

TEST(communicator, local_ranks_share_a_host_and_leaders_count_nodes) {
  const auto hosts = session->local().gather(session->host());
  for (const auto& host : hosts) EXPECT_EQ(host, session->host());
  EXPECT_EQ(session->leaders().member(), session->local().rank() == 0);
  EXPECT_LT(session->node(), session->nodes());
  if (session->leaders().member()) {
    EXPECT_EQ(session->leaders().size(), session->nodes());
    EXPECT_EQ(session->leaders().rank(), session->node());
  }
}

TEST(communicator, a_node_is_a_host_whatever_memory_mpi_shares) {
  const auto hosts = session->world().gather(session->host());
  if (session->rank() == 0) {
    EXPECT_EQ(std::set(hosts.begin(), hosts.end()).size(), static_cast<std::size_t>(session->nodes()));
  }
}

TEST(communicator, a_team_is_the_first_ranks_of_the_node) {
  for (int ranks = 1; ranks <= session->local().size(); ranks *= 2) {
    Group& team = session->team(ranks);
    EXPECT_EQ(team.member(), session->local().rank() < ranks);
    EXPECT_EQ(&team, &session->team(ranks)) << "a team is made once";
    if (!team.member()) continue;
    EXPECT_EQ(team.size(), ranks);
    EXPECT_EQ(team.rank(), session->local().rank());
    team.barrier();
    EXPECT_EQ(team.sum(1), ranks);
  }
}

TEST(communicator, nobody_leaves_a_barrier_before_the_last_has_come) {
  using Clock = std::chrono::steady_clock;  // one clock for all ranks of a node
  const auto now = [] { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); };
  for (const bool eager : {true, false}) {
    if (session->local().rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    const double came = now();
    eager ? session->local().barrier() : session->local().wait_for_all();
    const double left = now();
    EXPECT_GE(left, session->local().max(came));
  }
}

// The time a waiting rank spends on a core, not how long anything takes.
TEST(communicator, a_waiting_rank_leaves_its_core) {
  const auto cpu = [] {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  if (session->size() == 1) GTEST_SKIP() << "SKIP: one rank waits for nobody";
  session->world().wait_for_all();
  const double before = cpu();
  if (session->rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(400));
  session->world().wait_for_all();
  EXPECT_LT(cpu() - before, 0.2);
}

/// The first and the last rank exchange messages, the others wait.
ExchangeTiming first_with_last(const Exchange& what) {
  const int last = session->size() - 1;
  ExchangeTiming timing{.seconds = 0, .intact = true};
  if (session->rank() == 0) timing = exchange(session->world(), last, End::timing, what, {});
  if (session->rank() == last) timing = exchange(session->world(), 0, End::answering, what, {});
  session->world().wait_for_all();
  return timing;
}

TEST(exchange, every_traffic_brings_all_messages_intact_and_takes_time) {
  if (session->size() == 1) GTEST_SKIP() << "SKIP: one rank talks to nobody";
  for (const ExchangeTraffic traffic : {ExchangeTraffic::ping_pong, ExchangeTraffic::one_way, ExchangeTraffic::both_ways})
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{4} << 20}) {
      const ExchangeTiming timing = first_with_last({traffic, bytes});
      EXPECT_TRUE(timing.intact) << to_string(traffic) << " of " << bytes << " B";
      if (session->rank() != 0) continue;
      EXPECT_GT(timing.seconds, 1e-9) << to_string(traffic) << " of " << bytes << " B";
      EXPECT_LT(timing.seconds, 5) << to_string(traffic) << " of " << bytes << " B";
    }
}

// A rank that waits for its core makes any message slow: the best of some tries tells what the messages need.
TEST(exchange, longer_messages_reach_higher_rates) {
  if (session->size() == 1) GTEST_SKIP() << "SKIP: one rank talks to nobody";
  constexpr std::size_t short_bytes = 8, long_bytes = 64 << 10;
  for (const ExchangeTraffic traffic : {ExchangeTraffic::ping_pong, ExchangeTraffic::one_way, ExchangeTraffic::both_ways}) {
    double short_rate = 0, long_rate = 0;
    const auto best = [&](double rate, std::size_t bytes) {
      const double seconds = first_with_last({traffic, bytes}).seconds;
      return session->rank() == 0 ? std::max(rate, static_cast<double>(bytes) / seconds) : 0;
    };
    for (int attempt = 0; attempt < 50 && !session->world().any(long_rate > 2 * short_rate); ++attempt) {
      short_rate = best(short_rate, short_bytes);
      long_rate = best(long_rate, long_bytes);
    }
    if (session->rank() == 0) {
      EXPECT_GT(long_rate, 2 * short_rate) << to_string(traffic);
    }
  }
}

TEST(communicator, all_ranks_end_with_the_worst_code_and_rank_0_hears_each_message_once) {
  const bool last = session->rank() == session->size() - 1;
  const auto ending = session->end(last ? Exit::wrong_result : Exit::ok, "the same everywhere");
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->code, Exit::wrong_result);
  if (session->rank() == 0)
    EXPECT_EQ(ending->messages, std::vector<std::string>{"the same everywhere"});
  else
    EXPECT_TRUE(ending->messages.empty());
}

// Rank 1 fails where rank 0 waits for it: its code must come out, and nobody may hang.
int one_rank_fails(Communicator& communicator) {
  if (communicator.rank() != 1) {
    communicator.world().wait_for_all();
    return 0;
  }
  if (communicator.end(Exit::wrong_result, "rank 1 failed", 0.5)) return 0;
  std::fprintf(stderr, "rank 1 failed alone\n");
  communicator.abort(Exit::wrong_result);
}

int run(int argc, char** argv) {
  Communicator communicator;
  session = &communicator;
  if (argc > 1 && std::strcmp(argv[1], "--one-rank-fails") == 0) return one_rank_fails(communicator);
  testing::InitGoogleTest(&argc, argv);
  if (communicator.rank() != 0) {  // one report; the others speak only where they disagree
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    struct Failures : testing::EmptyTestEventListener {
      void OnTestPartResult(const testing::TestPartResult& result) override {
        if (result.failed())
          std::printf("rank %d: %s:%d: %s\n", session->rank(), result.file_name(), result.line_number(), result.message());
      }
    };
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures);
  }
  const bool failed = RUN_ALL_TESTS() != 0;
  return communicator.world().any(failed) ? 1 : 0;
}

}  // namespace
}  // namespace plumbline

int main(int argc, char** argv) {
  try {
    return plumbline::run(argc, argv);
  } catch (const plumbline::Error& error) {
    if (*error.what() != 0) std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.code());
  }
}
