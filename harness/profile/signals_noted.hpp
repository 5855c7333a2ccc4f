// Signals that would end this process are noted, so that it removes first what it leaves nowhere else.
#pragma once
#include <array>
#include <csignal>

namespace plumbline {

/// SIGINT, SIGTERM and SIGHUP are noted while it lives, but for those that were ignored before (nohup). There is one at a time.
class SignalsNoted {
 public:
  SignalsNoted();
  SignalsNoted(const SignalsNoted&) = delete;
  SignalsNoted& operator=(const SignalsNoted&) = delete;
  ~SignalsNoted();

 private:
  static constexpr std::array numbers_{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, numbers_.size()> before_{};
};

/// Throws Error, whose code is 128 and the signal's number, where one was noted.
void end_if_signalled();

}  // namespace plumbline
