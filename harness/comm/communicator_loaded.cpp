// This communicator opens an MPI that is chosen when the program starts (mpi_choice.hpp); without a launcher it is a world of one rank.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "comm/communicator.hpp"
#include "comm/exchange.hpp"
#include "comm/launch.hpp"
#include "comm/mpi_module.hpp"
#include "comm/mpich_ucx_finalize.hpp"
#include "comm/waiting.hpp"
#include "core/host_name.hpp"

namespace plumbline {

/// The module's group, or null where this rank is alone and no MPI is opened.
struct Group::Handle {
  ModuleGroup* group = nullptr;
  std::unique_ptr<ModuleGroup> owned = {};  // of a team; the session owns the others

  explicit Handle(ModuleGroup* of_session) : group(of_session) {}
  explicit Handle(std::unique_ptr<ModuleGroup> of_team) : group(of_team.get()), owned(std::move(of_team)) {}
};

struct Communicator::Session {
  std::unique_ptr<ModuleSession> opened;  // null: alone

  Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();
};

namespace {

constexpr const char* no_mpi_yet = "opened when ranks are launched: libmpi.so.12, libmpich.so.12 or libmpi.so.40 of the launcher";

constexpr const char* no_mpi_needed = "none (one process, which no launcher started)";

// The library's description of itself for the session that is open.
std::string description = no_mpi_yet;

template <class Value>
Value given(Answered<Value> answered) {
  if (answered.error) throw *answered.error;
  return std::move(answered.value);
}

template <class Call>
auto through_module(Call call) {
  const Waiting waiting;  // the module's own flag is not this program's
  return given(call());
}

// The folder of the modules beside the program, as it is installed and built: ../lib.
std::filesystem::path module_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib"; }

[[noreturn]] void refuse(const std::optional<Launch>& launch, const OpenedMpi& opened) {
  if (launch && launch->rank != 0) throw user_error("");  // the user reads one line
  const auto advice =
      fmt::format("load the module of the MPI that launched them, or name its library: {}=/path/to/libmpi.so.12; one process needs none",
                  mpi_choice_variable);
  const auto who =
      launch ? fmt::format("{} says {} processes were launched", launch->by, launch->size) : fmt::format("{} is set", mpi_choice_variable);
  throw user_error(fmt::format("{}, but no MPI can be opened ({}): {}", who, opened.why_not, advice));
}

std::unique_ptr<ModuleSession> open_session(const OpenedMpi& opened) {
  Answered<std::unique_ptr<ModuleSession>> session;
  opened.entry(mpi_module_interface, PLUMBLINE_VERSION, session);
  if (session.error && *session.error->what() != '\0')
    throw Error(session.error->code(),
                fmt::format("{} ({} was opened; {}=mpich or openmpi chooses)", session.error->what(), opened.library, mpi_choice_variable));
  auto given_session = given(std::move(session));
  if (!given_session) throw user_error("the module for MPI was built for another version of plumbline; install the two together");
  return given_session;
}

}  // namespace

Communicator::Session::Session() {
  const auto libraries = mpi_libraries(process_environment());
  if (libraries.empty()) {
    description = no_mpi_needed;
    return;
  }
  const OpenedMpi mpi = open_mpi(libraries, module_folder());
  if (mpi.entry == nullptr) refuse(find_launch(process_environment()), mpi);
  opened = open_session(mpi);
  description = opened->library_description();
}

// MPICH's refers to the function that leave_out_ucx_disconnect() is about in the program, not in the module.
Communicator::Session::~Session() {
  if (opened && finalize_may_deadlock(description) && !opened->world().wait_for_all().error) leave_out_ucx_disconnect();
  opened.reset();
  description = no_mpi_yet;
}

Group::Group() = default;
Group::Group(std::unique_ptr<Handle> handle) : handle_(std::move(handle)), rank_(0), size_(1) {
  if (handle_->group == nullptr) return;
  rank_ = handle_->group->rank();
  size_ = handle_->group->size();
}
Group::Group(Group&&) noexcept = default;
Group& Group::operator=(Group&&) noexcept = default;
Group::~Group() = default;

void Group::barrier() {
  if (handle_->group != nullptr) through_module([&] { return handle_->group->barrier(); });
}

void Group::wait_for_all() {
  if (handle_->group != nullptr) through_module([&] { return handle_->group->wait_for_all(); });
}

double Group::max(double value) {
  return handle_->group == nullptr ? value : through_module([&] { return handle_->group->max(value); });
}

double Group::min(double value) {
  return handle_->group == nullptr ? value : through_module([&] { return handle_->group->min(value); });
}

double Group::sum(double value) {
  return handle_->group == nullptr ? value : through_module([&] { return handle_->group->sum(value); });
}

bool Group::any(bool value) { return max(value ? 1 : 0) > 0; }

std::string Group::broadcast(std::string text, int root) {
  if (handle_->group == nullptr) return text;
  return through_module([&] { return handle_->group->broadcast(text, root); });
}

std::vector<std::string> Group::gather(const std::string& text, int root) {
  if (handle_->group == nullptr) return {text};
  return through_module([&] { return handle_->group->gather(text, root); });
}

void Group::shift(std::span<const Peers::Message> messages) {
  if (handle_->group == nullptr) return Peers().exchange(messages);
  through_module([&] { return handle_->group->shift(messages); });
}

void Group::add_up(std::span<double> values) {
  if (handle_->group != nullptr) through_module([&] { return handle_->group->add_up(values); });
}

ExchangeTiming exchange(Group& group, int peer, End end, const Exchange& what, const ExchangeProtocol& protocol) {
  auto* const module = group.handle().group;
  if (module == nullptr) throw user_error("messages between ranks need ranks: start plumbline by the launcher of an MPI");
  return through_module([&] { return module->exchange(peer, end, what, protocol); });
}

Communicator::Communicator() : session_(std::make_unique<Session>()) {
  host_ = host_name();
  ModuleSession* const opened = session_->opened.get();
  const auto group = [](ModuleGroup* of_session) { return Group(std::make_unique<Group::Handle>(of_session)); };
  world_ = group(opened == nullptr ? nullptr : &opened->world());
  local_ = group(opened == nullptr ? nullptr : &opened->local());
  leaders_ = group(opened == nullptr ? nullptr : &opened->leaders());
  if (opened == nullptr) return;
  node_ = opened->node();
  nodes_ = opened->nodes();
}

Communicator::~Communicator() = default;

Group& Communicator::team(int ranks) {
  const auto found = teams_.find(ranks);
  if (found != teams_.end()) return found->second;
  if (session_->opened == nullptr && ranks == 1) return world_;
  if (session_->opened == nullptr) throw user_error(fmt::format("a team of {} ranks needs a launcher: mpiexec or srun", ranks));
  return teams_.emplace(ranks, Group(std::make_unique<Group::Handle>(given(session_->opened->team(ranks))))).first->second;
}

std::optional<Ending> Communicator::end(Exit mine, const std::string& message, double patience_seconds) {
  if (session_->opened != nullptr) return through_module([&] { return session_->opened->end(mine, message, patience_seconds); });
  if (message.empty()) return Ending{mine, {}};
  return Ending{mine, {message}};
}

void Communicator::abort(Exit code) {
  if (session_->opened != nullptr) session_->opened->abort(code);
  std::_Exit(static_cast<int>(code));
}

std::string Communicator::library_description() { return description; }
std::string Communicator::library_version() { return description.substr(0, description.find('\n')); }
bool Communicator::has_mpi() { return true; }

}  // namespace plumbline
