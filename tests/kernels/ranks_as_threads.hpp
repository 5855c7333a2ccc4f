// Several ranks of an application in one process: each is a thread, and they exchange as ranks do.
#pragma once
#include <barrier>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <thread>
#include <vector>

#include "core/application.hpp"
#include "core/kernel.hpp"

namespace plumbline {

/// The place where ranks see what the others send and add.
struct RanksTogether {
  std::barrier<> meeting;
  std::vector<std::span<const Peers::Message>> messages;
  std::vector<std::span<const double>> values;

  explicit RanksTogether(int ranks) : meeting(ranks), messages(static_cast<std::size_t>(ranks)), values(static_cast<std::size_t>(ranks)) {}
};

class RankAsThread final : public Peers {
 public:
  RankAsThread(RanksTogether& all, int rank) : all_(all), rank_(rank) {}

  int rank() const override { return rank_; }
  int ranks() const override { return static_cast<int>(all_.messages.size()); }
  void exchange(std::span<const Message> messages) override {
    all_.messages[static_cast<std::size_t>(rank_)] = messages;
    all_.meeting.arrive_and_wait();
    for (std::size_t k = 0; k < messages.size(); ++k)
      std::memcpy(messages[k].received, all_.messages[static_cast<std::size_t>(messages[k].from)][k].sent, messages[k].bytes);
    all_.meeting.arrive_and_wait();
  }
  void add_up(std::span<double> values) override {
    const std::vector<double> own(values.begin(), values.end());
    all_.values[static_cast<std::size_t>(rank_)] = own;
    all_.meeting.arrive_and_wait();
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = std::accumulate(all_.values.begin(), all_.values.end(), 0.0, [k](double sum, const auto& of) { return sum + of[k]; });
    all_.meeting.arrive_and_wait();
  }

 private:
  RanksTogether& all_;
  int rank_;
};

/// The data of so many ranks after a sweep, each initialised in two parts.
inline std::vector<std::unique_ptr<Workload>> swept_by_ranks(const Kernel& kernel, const Parameters& of_a_rank, const Flavor& flavor,
                                                             int ranks) {
  RanksTogether together(ranks);
  std::vector<std::unique_ptr<Workload>> data(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      auto& mine = data[static_cast<std::size_t>(rank)];
      mine = kernel.prepare(of_a_rank, flavor.precision, *std::pmr::new_delete_resource());
      auto& application = dynamic_cast<ApplicationData&>(*mine);
      RankAsThread peers(together, rank);
      application.take_place(rank, ranks);
      const std::size_t half = application.extent() / 2;
      application.initialise(0, half);  // as two threads do
      application.initialise(half, application.extent());
      sweep_alone(application, flavor.sweep, peers);
    });
  for (std::thread& thread : threads) thread.join();
  return data;
}

}  // namespace plumbline
