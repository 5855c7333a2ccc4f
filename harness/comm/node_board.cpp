#include "comm/node_board.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <string>

namespace plumbline {

struct alignas(64) NodeBoard::Slot {  // a cache line each
  std::atomic<std::uint32_t> knocks{0};
  std::atomic<std::int32_t> process{0}, world_rank{0};
  std::atomic<Answer> answer{Answer::none};
};

struct alignas(64) NodeBoard::Shared {  // one slot a rank follows
  std::atomic<std::int32_t> called{0}, written{0};
};

NodeBoard::Slot& NodeBoard::slot(int rank) const { return reinterpret_cast<Slot*>(shared_ + 1)[rank]; }

namespace {

Error refused(const char* what, int error) {
  return io_error(std::string("no memory can be shared by the ranks of this node: ") + what + ": " + std::strerror(error) +
                  "; is /dev/shm mounted and not full?");
}

/// The leader's new and empty segment, opened by all; it has no name any more when this returns.
int open_segment(Group& local, std::size_t bytes) {
  std::string name;
  int descriptor = -1, error = 0;
  if (local.rank() == 0) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    name = "/plumbline." + std::to_string(getpid()) + "." + std::to_string(now.tv_nsec);
    descriptor = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0 || posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) != 0) error = errno == 0 ? ENOSPC : errno;
  }
  name = local.broadcast(name);
  if (local.rank() != 0) descriptor = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0 && error == 0) error = errno;
  const bool failed = local.any(error != 0);
  if (local.rank() == 0) shm_unlink(name.c_str());
  if (failed) throw refused("shm_open", error == 0 ? ENOENT : error);
  return descriptor;
}

}  // namespace

NodeBoard::NodeBoard(Group& local, int world_rank)
    : size_(local.size()), mine_(local.rank()), bytes_(sizeof(Shared) + sizeof(Slot) * static_cast<std::size_t>(local.size())) {
  const int descriptor = open_segment(local, bytes_);
  void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  const int error = errno;
  close(descriptor);
  if (local.any(memory == MAP_FAILED)) throw refused("mmap", error);
  shared_ = static_cast<Shared*>(memory);  // zeros are its first state
  slot(mine_).process = getpid();
  slot(mine_).world_rank = world_rank;
  local.wait_for_all();
}

NodeBoard::~NodeBoard() { munmap(shared_, bytes_); }

int NodeBoard::process(int rank) const { return slot(rank).process; }
int NodeBoard::world_rank(int rank) const { return slot(rank).world_rank; }
Answer NodeBoard::answer(int rank) const { return slot(rank).answer; }
void NodeBoard::give(Answer answer) { slot(mine_).answer = answer; }

bool NodeBoard::call() {
  std::int32_t nobody = 0;
  if (!shared_->called.compare_exchange_strong(nobody, 1)) return false;
  knock_everywhere();
  return true;
}

bool NodeBoard::called() const { return shared_->called != 0; }

void NodeBoard::tell_written() {
  shared_->written = 1;
  knock_everywhere();
}

bool NodeBoard::written() const { return shared_->written != 0; }

std::uint32_t NodeBoard::knocks() const { return slot(mine_).knocks; }

void NodeBoard::knock(int rank) {
  auto& word = slot(rank).knocks;
  ++word;
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void NodeBoard::knock_everywhere() {
  for (int rank = 0; rank < size_; ++rank) knock(rank);
}

void NodeBoard::sleep(std::uint32_t seen, double seconds) const {
  const double whole = std::floor(std::clamp(seconds, 0.0, 1e6));
  const timespec limit{.tv_sec = static_cast<time_t>(whole), .tv_nsec = static_cast<long>((std::clamp(seconds, 0.0, 1e6) - whole) * 1e9)};
  syscall(SYS_futex, &slot(mine_).knocks, FUTEX_WAIT, seen, &limit, nullptr, 0);  // by the monotonic clock
}

}  // namespace plumbline
