// This communicator knows no MPI: it is a world of one rank.
#include <cstdlib>

#include "comm/communicator.hpp"
#include "comm/exchange.hpp"
#include "comm/launch.hpp"
#include "core/host_name.hpp"

namespace plumbline {

struct Group::Handle {};
struct Communicator::Session {};

Group::Group() = default;
Group::Group(std::unique_ptr<Handle> handle) : handle_(std::move(handle)), rank_(0), size_(1) {}
Group::Group(Group&&) noexcept = default;
Group& Group::operator=(Group&&) noexcept = default;
Group::~Group() = default;

void Group::barrier() {}
void Group::wait_for_all() {}
double Group::max(double value) { return value; }
double Group::min(double value) { return value; }
double Group::sum(double value) { return value; }
bool Group::any(bool value) { return value; }
std::string Group::broadcast(std::string text, int) { return text; }
std::vector<std::string> Group::gather(const std::string& text, int) { return {text}; }
void Group::shift(std::span<const Peers::Message> messages) { Peers().exchange(messages); }
void Group::add_up(std::span<double>) {}

Communicator::Communicator()
    : world_(std::make_unique<Group::Handle>()), local_(std::make_unique<Group::Handle>()), leaders_(std::make_unique<Group::Handle>()) {
  if (const auto mismatch = launch_mismatch(find_launch(process_environment()), 1, "")) throw *mismatch;
  host_ = host_name();
}

Communicator::~Communicator() = default;

Group& Communicator::team(int ranks) {
  if (ranks != 1) throw user_error("a team of " + std::to_string(ranks) + " ranks needs MPI; this plumbline is built without it");
  return world_;
}

std::optional<Ending> Communicator::end(Exit mine, const std::string& message, double) {
  if (message.empty()) return Ending{mine, {}};
  return Ending{mine, {message}};
}

void Communicator::abort(Exit code) { std::_Exit(static_cast<int>(code)); }

ExchangeTiming exchange(Group&, int, End, const Exchange&, const ExchangeProtocol&) {
  throw user_error("messages between ranks need MPI; this plumbline is built without it");
}

std::string Communicator::library_description() { return "none (built without MPI)"; }
std::string Communicator::library_version() { return library_description(); }
bool Communicator::has_mpi() { return false; }

}  // namespace plumbline
