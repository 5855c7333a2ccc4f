#include "profile/signals_noted.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace plumbline {
namespace {

volatile std::sig_atomic_t noted_signal = 0;

void note_signal(int signal) { noted_signal = signal; }

}  // namespace

SignalsNoted::SignalsNoted() {
  noted_signal = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    sigaction(numbers_[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(numbers_[i], &action, nullptr);
  }
}

SignalsNoted::~SignalsNoted() {
  for (std::size_t i = 0; i < numbers_.size(); ++i) sigaction(numbers_[i], &before_[i], nullptr);
}

void end_if_signalled() {
  constexpr int by_signal = 128;
  if (noted_signal != 0)
    throw Error(static_cast<Exit>(by_signal + noted_signal), fmt::format("signal {} ended it before the profile was whole", +noted_signal));
}

}  // namespace plumbline
