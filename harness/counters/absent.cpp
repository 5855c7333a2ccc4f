// Stands in for every backend that was not compiled in: it answers so, as a value.
#include "counters/backend.hpp"

namespace plumbline {
namespace {

class AbsentBackend final : public Backend {
 public:
  explicit AbsentBackend(std::string_view name, std::string reason) : name_(name), reason_(std::move(reason)) {}
  std::string_view name() const override { return name_; }
  Availability availability() const override { return {Status::unavailable, reason_}; }
  std::vector<std::vector<std::string_view>> groups() const override { return {}; }
  void prepare(std::size_t, int) override {}
  void enter(int) noexcept override {}
  void leave(int) noexcept override {}
  std::vector<Reading> readings(int) const override { return {}; }

 private:
  std::string_view name_;
  std::string reason_;
};

}  // namespace

std::unique_ptr<Backend> emulated_backend() {
  return std::make_unique<AbsentBackend>("emulated", "not compiled in: install valgrind and its headers, then build again");
}

std::vector<EventDescription> emulated_events() { return {}; }

unsigned emulator_abi() { return 0; }

}  // namespace plumbline
