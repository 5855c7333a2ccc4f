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

bool wait_readable(int descriptor, double seconds) {
  const double deadline = now_seconds() + seconds;
  for (;;) {
    pollfd wanted{.fd = descriptor, .events = POLLIN, .revents = 0};
    const double left = std::max(0.0, deadline - now_seconds());
    const int ready = poll(&wanted, 1, static_cast<int>(std::min(left, 1e5) * 1e3) + 1);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

}  // namespace plumbline
