#include "app/terminal/interruption.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <initializer_list>

namespace plumbline::app {
namespace {

volatile std::sig_atomic_t received = 0;

void remember(int number) { received = number; }

}  // namespace

void watch_for_signals() {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGTERM, SIGUSR1, SIGINT, SIGALRM}) sigaction(number, &action, nullptr);
}

void stop_after(double seconds) { alarm(static_cast<unsigned>(std::clamp(seconds, 1.0, 86'400.0))); }

void time_is_no_limit_any_more() {
  alarm(0);
  if (received == SIGALRM) received = 0;
}

int signal_received() { return received; }

}  // namespace plumbline::app
