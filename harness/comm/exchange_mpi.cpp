#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "comm/exchange.hpp"
#include "comm/exchange_samples.hpp"
#include "comm/mpi_call.hpp"
#include "comm/waiting.hpp"

namespace plumbline {
namespace {

enum Tag { control_tag = 71, message_tag, answer_tag, verdict_tag };

/// Blocking calls spin and never yield. This spins too, so that a message on its way is met at once; but what has not come in some 50 us
/// may be waiting for this very core.
void wait(std::span<MPI_Request> requests) {
  constexpr int polls_before_yield = 1000;
  const Waiting waiting;
  for (int polls = 0, flag = 0;; ++polls) {
    PLUMBLINE_MPI(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &flag, MPI_STATUSES_IGNORE));
    if (flag != 0) return;
    if (polls >= polls_before_yield) {
      sched_yield();
      polls = 0;
    }
  }
}

/// An end of an exchange holds a window of messages to send and another to receive into.
class Side {
 public:
  Side(Group& group, int peer, const Exchange& what)
      : comm_(group.handle().comm),
        peer_(peer),
        what_(what),
        window_(what.traffic == ExchangeTraffic::ping_pong ? 1 : window_of(what.message_bytes)),
        words_(what.message_bytes / sizeof(std::uint64_t)),
        out_(window_ * words_),
        in_(window_ * words_, 0),
        requests_(2 * window_, MPI_REQUEST_NULL) {
    fill_messages(out_, group.rank());
  }

  ExchangeTiming time(const ExchangeProtocol& protocol) {
    receive(answer_tag);  // the other end has come: waiting for it is no part of any sample
    ExchangeSamples samples(protocol);
    while (const std::uint64_t turns = samples.next_turns()) {
      send(turns, control_tag);
      samples.take(timed(turns));
    }
    send(0, control_tag);
    const bool theirs = receive(verdict_tag) != 0, mine = what_.traffic == ExchangeTraffic::one_way || are_messages_of(in_, peer_);
    return {samples.best_turn() / messages_of_turn(), theirs && mine};
  }

  ExchangeTiming answer() {
    send(1, answer_tag);
    for (std::uint64_t turns = receive(control_tag); turns > 0; turns = receive(control_tag)) {
      for (std::uint64_t turn = 0; turn < turns; ++turn) answer_turn();
      if (what_.traffic == ExchangeTraffic::both_ways) send(1, answer_tag);
    }
    const bool mine = are_messages_of(in_, peer_);
    send(mine ? 1 : 0, verdict_tag);
    return {0, mine};
  }

 private:
  double messages_of_turn() const {
    const auto messages = static_cast<double>(window_);
    return what_.traffic == ExchangeTraffic::one_way ? messages : 2 * messages;
  }

  double timed(std::uint64_t turns) {
    const double start = MPI_Wtime();
    for (std::uint64_t turn = 0; turn < turns; ++turn) turn_of_timing_end();
    if (what_.traffic == ExchangeTraffic::both_ways) receive(answer_tag);  // the last window has arrived there too
    return MPI_Wtime() - start;
  }

  void turn_of_timing_end() {
    switch (what_.traffic) {
      case ExchangeTraffic::ping_pong:
        send_window();
        receive_window();
        return;
      case ExchangeTraffic::one_way:
        send_window();
        receive(answer_tag);
        return;
      case ExchangeTraffic::both_ways:
        cross_windows();
        return;
    }
  }

  void answer_turn() {
    switch (what_.traffic) {
      case ExchangeTraffic::ping_pong:
        receive_window();
        send_window();
        return;
      case ExchangeTraffic::one_way:
        receive_window();
        send(1, answer_tag);
        return;
      case ExchangeTraffic::both_ways:
        cross_windows();
        return;
    }
  }

  void begin_sends(std::size_t at) {
    for (std::size_t i = 0; i < window_; ++i)
      PLUMBLINE_MPI(MPI_Isend(out_.data() + i * words_, bytes(), MPI_BYTE, peer_, message_tag, comm_, &requests_[at + i]));
  }
  void begin_receives(std::size_t at) {
    for (std::size_t i = 0; i < window_; ++i)
      PLUMBLINE_MPI(MPI_Irecv(in_.data() + i * words_, bytes(), MPI_BYTE, peer_, message_tag, comm_, &requests_[at + i]));
  }
  void send_window() {
    begin_sends(0);
    wait({requests_.data(), window_});
  }
  void receive_window() {
    begin_receives(0);
    wait({requests_.data(), window_});
  }
  void cross_windows() {
    begin_receives(0);
    begin_sends(window_);
    wait(requests_);
  }

  void send(std::uint64_t word, Tag tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    PLUMBLINE_MPI(MPI_Isend(&word, 1, MPI_UINT64_T, peer_, tag, comm_, &request));
    wait({&request, 1});
  }
  std::uint64_t receive(Tag tag) {
    std::uint64_t word = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    PLUMBLINE_MPI(MPI_Irecv(&word, 1, MPI_UINT64_T, peer_, tag, comm_, &request));
    wait({&request, 1});
    return word;
  }

  int bytes() const { return static_cast<int>(what_.message_bytes); }

  MPI_Comm comm_;
  int peer_;
  Exchange what_;
  std::size_t window_, words_;
  std::vector<std::uint64_t> out_, in_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

ExchangeTiming exchange(Group& group, int peer, End end, const Exchange& what, const ExchangeProtocol& protocol) {
  Side side(group, peer, what);
  return end == End::timing ? side.time(protocol) : side.answer();
}

}  // namespace plumbline
