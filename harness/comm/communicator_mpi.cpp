// This communicator is linked with MPI. It uses nonblocking collectives and MPI_Test throughout: MPICH polls busily inside blocking calls.
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "comm/communicator.hpp"
#include "comm/launch.hpp"
#include "comm/mpi_call.hpp"
#include "comm/mpich_ucx_finalize.hpp"
#include "comm/waiting.hpp"
#include "core/fnv.hpp"
#include "core/host_name.hpp"
#include "core/passing_variable.hpp"

namespace plumbline {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

bool done(std::vector<MPI_Request>& requests) {
  int flag = 0;
  PLUMBLINE_MPI(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &flag, MPI_STATUSES_IGNORE));
  return flag != 0;
}

// Waits with growing sleeps; false when `patience_seconds` (negative: none) ran out first. The first polls do not sleep: what is near comes
// within microseconds.
bool wait_patiently(std::vector<MPI_Request> requests, double patience_seconds = -1) {
  using namespace std::chrono_literals;
  const Waiting waiting;
  const auto start = Clock::now();
  std::chrono::nanoseconds nap = 5us;
  for (int polls = 0; !done(requests); ++polls) {
    if (polls < 50) {
      sched_yield();
      continue;
    }
    if (patience_seconds >= 0 && Seconds(Clock::now() - start).count() > patience_seconds) return false;
    std::this_thread::sleep_for(nap);
    nap = std::min<std::chrono::nanoseconds>(nap * 5 / 4, 1ms);
  }
  return true;
}

void wait_eagerly(std::vector<MPI_Request> requests) {
  const Waiting waiting;
  while (!done(requests)) sched_yield();
}

// Long texts are sent in pieces, for one message may not exceed an int.
constexpr std::size_t piece_bytes = std::size_t{1} << 30;

template <class Each>
void in_pieces(std::size_t size, Each each) {
  for (std::size_t at = 0; at < size; at += piece_bytes) each(at, static_cast<int>(std::min(piece_bytes, size - at)));
}

double reduce(double value, MPI_Op operation, MPI_Comm comm) {
  double result = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  PLUMBLINE_MPI(MPI_Iallreduce(&value, &result, 1, MPI_DOUBLE, operation, comm, &request));
  wait_patiently({request});
  return result;
}

}  // namespace

Group::Group() = default;
Group::Group(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {
  if (handle_->comm == MPI_COMM_NULL) return;
  PLUMBLINE_MPI(MPI_Comm_set_errhandler(handle_->comm, MPI_ERRORS_RETURN));
  PLUMBLINE_MPI(MPI_Comm_rank(handle_->comm, &rank_));
  PLUMBLINE_MPI(MPI_Comm_size(handle_->comm, &size_));
}
Group::Group(Group&&) noexcept = default;
Group& Group::operator=(Group&&) noexcept = default;
Group::~Group() = default;

void Group::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  PLUMBLINE_MPI(MPI_Ibarrier(handle_->comm, &request));
  wait_eagerly({request});
}

void Group::wait_for_all() {
  MPI_Request request = MPI_REQUEST_NULL;
  PLUMBLINE_MPI(MPI_Ibarrier(handle_->comm, &request));
  wait_patiently({request});
}

double Group::max(double value) { return reduce(value, MPI_MAX, handle_->comm); }
double Group::min(double value) { return reduce(value, MPI_MIN, handle_->comm); }
double Group::sum(double value) { return reduce(value, MPI_SUM, handle_->comm); }
bool Group::any(bool value) { return max(value ? 1 : 0) > 0; }

std::string Group::broadcast(std::string text, int root) {
  std::uint64_t size = text.size();
  MPI_Request request = MPI_REQUEST_NULL;
  PLUMBLINE_MPI(MPI_Ibcast(&size, 1, MPI_UINT64_T, root, handle_->comm, &request));
  wait_patiently({request});
  text.resize(size);
  in_pieces(text.size(), [&](std::size_t at, int bytes) {
    PLUMBLINE_MPI(MPI_Ibcast(text.data() + at, bytes, MPI_CHAR, root, handle_->comm, &request));
    wait_patiently({request});
  });
  return text;
}

std::vector<std::string> Group::gather(const std::string& text, int root) {
  const MPI_Comm comm = handle_->comm;
  const std::uint64_t size = text.size();
  std::vector<std::uint64_t> sizes(rank_ == root ? static_cast<std::size_t>(size_) : 0);
  std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
  PLUMBLINE_MPI(MPI_Igather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, root, comm, requests.data()));
  wait_patiently(requests);
  requests.clear();
  constexpr int tag = 1;
  std::vector<std::string> all(sizes.size());
  for (std::size_t from = 0; from < all.size(); ++from) {
    if (static_cast<int>(from) == root) {
      all[from] = text;
      continue;
    }
    all[from].resize(sizes[from]);
    in_pieces(all[from].size(), [&](std::size_t at, int bytes) {
      PLUMBLINE_MPI(
          MPI_Irecv(all[from].data() + at, bytes, MPI_CHAR, static_cast<int>(from), tag, comm, &requests.emplace_back(MPI_REQUEST_NULL)));
    });
  }
  if (rank_ != root)
    in_pieces(text.size(), [&](std::size_t at, int bytes) {
      PLUMBLINE_MPI(MPI_Isend(text.data() + at, bytes, MPI_CHAR, root, tag, comm, &requests.emplace_back(MPI_REQUEST_NULL)));
    });
  wait_patiently(requests);
  return all;
}

void Group::shift(std::span<const Peers::Message> messages) {
  constexpr int first_tag = 100;
  std::vector<MPI_Request> requests;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Peers::Message& m = messages[i];
    const int tag = first_tag + static_cast<int>(i);
    in_pieces(m.bytes, [&](std::size_t at, int bytes) {
      PLUMBLINE_MPI(MPI_Irecv(static_cast<std::byte*>(m.received) + at, bytes, MPI_BYTE, m.from, tag, handle_->comm,
                              &requests.emplace_back(MPI_REQUEST_NULL)));
      PLUMBLINE_MPI(MPI_Isend(static_cast<const std::byte*>(m.sent) + at, bytes, MPI_BYTE, m.to, tag, handle_->comm,
                              &requests.emplace_back(MPI_REQUEST_NULL)));
    });
  }
  wait_eagerly(requests);
}

void Group::add_up(std::span<double> values) {
  const std::vector<double> mine(values.begin(), values.end());
  MPI_Request request = MPI_REQUEST_NULL;
  PLUMBLINE_MPI(MPI_Iallreduce(mine.data(), values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, handle_->comm, &request));
  wait_eagerly({request});
}

struct Communicator::Session {
  Session() {
    const WithoutHwlocPlugins fewer;  // MPICH asks hwloc where its cores are
    int provided = 0;
    PLUMBLINE_MPI(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    if (provided < MPI_THREAD_FUNNELED) throw io_error("this MPI does not offer MPI_THREAD_FUNNELED, which teams of threads need");
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Finalize();
  }
};

namespace {

Group duplicate(MPI_Comm comm) {
  MPI_Comm own = MPI_COMM_NULL;
  PLUMBLINE_MPI(MPI_Comm_dup(comm, &own));
  return Group(std::make_unique<Group::Handle>(own));
}

Group split_by_color(MPI_Comm comm, int color, int key) {
  MPI_Comm own = MPI_COMM_NULL;
  PLUMBLINE_MPI(MPI_Comm_split(comm, color, key, &own));
  return Group(std::make_unique<Group::Handle>(own));
}

Group split(MPI_Comm comm, bool take_part, int key) { return split_by_color(comm, take_part ? 0 : MPI_UNDEFINED, key); }

/// The kernel's id of this machine since it was started; empty where the kernel does not tell.
std::string boot_id() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return id;
}

/// Ranks that MPI can give shared memory, and all others of the same host: an MPI without shared memory of its own (MPICH 5 over UCX alone,
/// as Debian builds it) says of each rank that it has none with anybody.
Group split_by_node(MPI_Comm comm, const std::string& host, int key) {
  MPI_Comm own = MPI_COMM_NULL;
  PLUMBLINE_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, &own));
  Group sharing(std::make_unique<Group::Handle>(own));
  const std::string machine = boot_id();  // where it is not told, hosts of one name may be many
  const std::uint64_t name = fnv1a(sharing.broadcast(host + ' ' + (machine.empty() ? "of rank " + std::to_string(key) : machine)));
  constexpr std::uint64_t color_bits = 31;  // an int that is not negative; so both halves of the name are asked for
  const auto color_at = [name](std::uint64_t bit) { return static_cast<int>((name >> bit) & ((std::uint64_t{1} << color_bits) - 1)); };
  const Group alike = split_by_color(comm, color_at(0), key);
  return split_by_color(alike.handle().comm, color_at(color_bits), key);
}

}  // namespace

Communicator::Communicator() : session_(std::make_unique<Session>()), host_(host_name()) {
  world_ = duplicate(MPI_COMM_WORLD);
  if (const auto mismatch = launch_mismatch(find_launch(process_environment()), world_.size(), library_version())) throw *mismatch;
  last_words_ = duplicate(MPI_COMM_WORLD);
  local_ = split_by_node(world_.handle().comm, host_, world_.rank());
  leaders_ = split(world_.handle().comm, local_.rank() == 0, world_.rank());
  nodes_ = static_cast<int>(world_.sum(local_.rank() == 0 ? 1 : 0));
  node_ = std::stoi(local_.broadcast(std::to_string(leaders_.rank())));
}

Communicator::~Communicator() {
  if (!finalize_may_deadlock(library_version()) || !world_.member()) return;
  try {
    world_.wait_for_all();  // the last message of everybody has arrived: what the leaving out asks for
    leave_out_ucx_disconnect();
  } catch (const Error&) {  // MPI is broken already: finalizing it as it is cannot be worse
  }
}

Group& Communicator::team(int ranks) {
  const auto found = teams_.find(ranks);
  if (found != teams_.end()) return found->second;
  local_.wait_for_all();  // MPI_Comm_split polls busily: let it begin when all are there
  return teams_.emplace(ranks, split(local_.handle().comm, local_.rank() < ranks, local_.rank())).first->second;
}

std::optional<Ending> Communicator::end(Exit mine, const std::string& message, double patience_seconds) {
  const int code = severity(mine);
  int worst = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  PLUMBLINE_MPI(MPI_Iallreduce(&code, &worst, 1, MPI_INT, MPI_MAX, last_words_.handle().comm, &request));
  if (!wait_patiently({request}, patience_seconds)) return std::nullopt;
  Ending ending{exit_of_severity(worst), {}};
  for (auto& said : last_words_.gather(message))
    if (!said.empty() && std::find(ending.messages.begin(), ending.messages.end(), said) == ending.messages.end())
      ending.messages.push_back(std::move(said));
  return ending;
}

void Communicator::abort(Exit code) {
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

std::string Communicator::library_description() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PLUMBLINE_MPI(MPI_Get_library_version(text.data(), &length));
  std::string lines(text.data());  // Open MPI counts the end of the text to its length
  std::replace(lines.begin(), lines.end(), '\t', ' ');
  return lines;
}

std::string Communicator::library_version() {
  const std::string lines = library_description();
  return lines.substr(0, lines.find('\n'));
}

bool Communicator::has_mpi() { return true; }

}  // namespace plumbline
