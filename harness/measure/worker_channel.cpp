#include "measure/worker_channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "measure/clock.hpp"

namespace plumbline {

bool read_all(int descriptor, void* data, std::size_t bytes) {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = read(descriptor, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int descriptor, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t put = send(descriptor, at, bytes, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    bytes -= static_cast<std::size_t>(put);
  }
  return true;
}

/// Waits by glances: where this process and the other one were stopped meanwhile, that costs one glance's time and not all of it.
bool wait_readable(int descriptor, double seconds) {
  constexpr double longest_glance = 1;
  for (double left = std::max(0.0, seconds);;) {
    const double glance = std::min(left, longest_glance), began = now_seconds();
    pollfd wanted{.fd = descriptor, .events = POLLIN, .revents = 0};
    const int ready = poll(&wanted, 1, static_cast<int>(glance * 1e3) + 1);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    left -= std::min(now_seconds() - began, glance);
    if (left <= 0) return false;
  }
}

}  // namespace plumbline
