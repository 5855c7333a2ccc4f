// A module libplumbline_ABI.so gives the ranks, as an MPI of that ABI knows them, to a program that links no MPI. The program starts where
// there is no MPI at all, and under the launcher of either.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/exchange.hpp"
#include "comm/mpi_choice.hpp"
#include "core/error.hpp"

namespace plumbline {

/// The value that a call gave, or the error in its place: program and module may have a C++ runtime each, and neither throws into the
/// other.
template <class Value>
struct Answered {
  Value value{};
  std::optional<Error> error = {};
};
struct Nothing {};

/// The module's Group, function for function.
class ModuleGroup {
 public:
  virtual ~ModuleGroup() = default;
  virtual int rank() const = 0;  // -1: this rank is none of them
  virtual int size() const = 0;
  virtual Answered<Nothing> barrier() = 0;
  virtual Answered<Nothing> wait_for_all() = 0;
  virtual Answered<double> max(double value) = 0;
  virtual Answered<double> min(double value) = 0;
  virtual Answered<double> sum(double value) = 0;
  virtual Answered<std::string> broadcast(const std::string& text, int root) = 0;
  virtual Answered<std::vector<std::string>> gather(const std::string& text, int root) = 0;
  virtual Answered<Nothing> shift(std::span<const Peers::Message> messages) = 0;
  virtual Answered<Nothing> add_up(std::span<double> values) = 0;
  virtual Answered<ExchangeTiming> exchange(int peer, End end, const Exchange& what, const ExchangeProtocol& protocol) = 0;
};

/// The module's Communicator; its groups live as long as it does.
class ModuleSession {
 public:
  virtual ~ModuleSession() = default;
  virtual ModuleGroup& world() = 0;
  virtual ModuleGroup& local() = 0;
  virtual ModuleGroup& leaders() = 0;
  virtual Answered<std::unique_ptr<ModuleGroup>> team(int ranks) = 0;
  virtual int node() const = 0;
  virtual int nodes() const = 0;
  virtual Answered<std::optional<Ending>> end(Exit mine, const std::string& message, double patience_seconds) = 0;
  [[noreturn]] virtual void abort(Exit code) = 0;
  virtual std::string library_description() const = 0;
};

/// The interface's number, which changes with every change of what stands in this header and in what it includes.
inline constexpr int mpi_module_interface = 2;
/// The module's one function: opens the session. Null without an error where the module was built to another interface.
using MpiModuleEntry = void (*)(int interface, const char* version, Answered<std::unique_ptr<ModuleSession>>& session);
inline constexpr const char* mpi_module_entry = "plumbline_mpi_module";

struct OpenedMpi {
  MpiModuleEntry entry = nullptr;  // null: no library could be opened
  std::string library;             // that was opened: its soname or path
  std::string why_not;             // of every library that was tried, in words
};

/// Opens the first of these libraries that is here, for all to see, then the module of its ABI out of `folder`, which takes its calls from
/// it. Neither is ever closed.
OpenedMpi open_mpi(const std::vector<MpiLibrary>& libraries, const std::filesystem::path& folder);

}  // namespace plumbline
