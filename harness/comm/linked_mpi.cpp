// A module holds Communicator and Group as they are, compiled against one MPI, behind the interface of mpi_module.hpp.
#include <string_view>

#include "comm/mpi_module.hpp"

namespace plumbline {
namespace {

template <class Call>
auto answer(Call call) {
  Answered<decltype(call())> answered;
  try {
    answered.value = call();
  } catch (const Error& error) {
    answered.error = error;
  } catch (const std::exception& error) {
    answered.error = io_error(error.what());
  }
  return answered;
}

class LinkedGroup final : public ModuleGroup {
 public:
  explicit LinkedGroup(Group& group) : group_(group) {}
  int rank() const override { return group_.rank(); }
  int size() const override { return group_.size(); }
  Answered<Nothing> barrier() override {
    return answer([&] { return group_.barrier(), Nothing{}; });
  }
  Answered<Nothing> wait_for_all() override {
    return answer([&] { return group_.wait_for_all(), Nothing{}; });
  }
  Answered<double> max(double value) override {
    return answer([&] { return group_.max(value); });
  }
  Answered<double> min(double value) override {
    return answer([&] { return group_.min(value); });
  }
  Answered<double> sum(double value) override {
    return answer([&] { return group_.sum(value); });
  }
  Answered<std::string> broadcast(const std::string& text, int root) override {
    return answer([&] { return group_.broadcast(text, root); });
  }
  Answered<std::vector<std::string>> gather(const std::string& text, int root) override {
    return answer([&] { return group_.gather(text, root); });
  }
  Answered<Nothing> shift(std::span<const Peers::Message> messages) override {
    return answer([&] { return group_.shift(messages), Nothing{}; });
  }
  Answered<Nothing> add_up(std::span<double> values) override {
    return answer([&] { return group_.add_up(values), Nothing{}; });
  }
  Answered<ExchangeTiming> exchange(int peer, End end, const Exchange& what, const ExchangeProtocol& protocol) override {
    return answer([&] { return plumbline::exchange(group_, peer, end, what, protocol); });
  }

 private:
  Group& group_;
};

class LinkedSession final : public ModuleSession {
 public:
  ModuleGroup& world() override { return world_; }
  ModuleGroup& local() override { return local_; }
  ModuleGroup& leaders() override { return leaders_; }
  Answered<std::unique_ptr<ModuleGroup>> team(int ranks) override {
    return answer([&]() -> std::unique_ptr<ModuleGroup> { return std::make_unique<LinkedGroup>(communicator_.team(ranks)); });
  }
  int node() const override { return communicator_.node(); }
  int nodes() const override { return communicator_.nodes(); }
  Answered<std::optional<Ending>> end(Exit mine, const std::string& message, double patience_seconds) override {
    return answer([&] { return communicator_.end(mine, message, patience_seconds); });
  }
  [[noreturn]] void abort(Exit code) override { communicator_.abort(code); }
  std::string library_description() const override { return Communicator::library_description(); }

 private:
  Communicator communicator_;
  LinkedGroup world_{communicator_.world()}, local_{communicator_.local()}, leaders_{communicator_.leaders()};
};

}  // namespace
}  // namespace plumbline

extern "C" void plumbline_mpi_module(int interface, const char* version,
                                     plumbline::Answered<std::unique_ptr<plumbline::ModuleSession>>& session) {
  using namespace plumbline;
  if (interface != mpi_module_interface || std::string_view(version) != PLUMBLINE_VERSION) return;
  session = answer([]() -> std::unique_ptr<ModuleSession> { return std::make_unique<LinkedSession>(); });
}
