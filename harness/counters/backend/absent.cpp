#include "counters/backend/absent.hpp"

namespace plumbline {
namespace {

class AbsentBackend final : public Backend {
 public:
  AbsentBackend(std::string_view name, std::string reason) : name_(name), reason_(std::move(reason)) {}
  std::string_view name() const override { return name_; }
  Availability availability() const override { return {Status::unavailable, reason_}; }
  const std::vector<EventGroup>& groups() const override { return none_; }
  void prepare(std::size_t, int) override {}
  void enter(int) noexcept override {}
  void leave(int) noexcept override {}
  std::vector<Reading> readings(int) const override { return {}; }

 private:
  std::string_view name_;
  std::string reason_;
  std::vector<EventGroup> none_;
};

}  // namespace

std::unique_ptr<Backend> absent_backend(std::string_view name, std::string reason) {
  return std::make_unique<AbsentBackend>(name, std::move(reason));
}

}  // namespace plumbline
