#include "counters/sass/disassembled.hpp"

#include <algorithm>
#include <utility>

#include "counters/sass/launch_counts.hpp"

namespace plumbline {
namespace {

constexpr const char* tensor_types[] = {"fp16", "bf16", "tf32", "fp64", "fp8", "int8"};

std::vector<EventDescription> describe_events() {
  std::vector<EventDescription> all;
  for (const char* precision : {"fp64", "fp32", "fp16", "bf16"})
    for (const char* kind : {"add", "mul", "fma"})
      all.push_back({std::string("flops.") + precision + "." + kind, "operations",
                     std::string("static: ") + precision + " " + kind + (kind == std::string("fma") ? ", one each" : "")});
  for (const char* type : tensor_types)
    all.push_back({std::string("flops.tensor.") + type, "operations",
                   std::string("static: ") + type + " multiplications and additions of tensor cores, two an FMA"});
  const auto add = [&](const char* space, const char* event, const char* bytes, const std::string& what) {
    all.push_back({event, "instructions", "static: " + what + " of single threads, " + space});
    all.push_back({bytes, "bytes", "static: their bytes"});
  };
  add("global memory", "loads", "bytes.reg-L1.load", "loads");
  add("global memory", "stores", "bytes.reg-L1.store", "stores");
  add("shared memory", "shared_loads", "bytes.reg-shared.load", "loads");
  add("shared memory", "shared_stores", "bytes.reg-shared.store", "stores");
  return all;
}

const std::vector<EventDescription>& known_events() {
  static const std::vector<EventDescription> all = describe_events();
  return all;
}

bool is_known(const std::string& name) {
  return std::any_of(known_events().begin(), known_events().end(), [&](const EventDescription& one) { return one.name == name; });
}

class DisassembledBackend final : public Backend {
 public:
  DisassembledBackend(CodePlace place, EventNames wanted) : place_(std::move(place)) {
    if (wanted.empty())
      for (const auto& one : known_events()) wanted.push_back(one.name);
    for (const auto& event : wanted) {
      if (!is_known(event))
        refused_.push_back({event, {Status::unavailable, "no code is counted as '" + event + "'"}, true});
      else if (!place_.here.ok())
        refused_.push_back({event, place_.here});
    }
    if (refused_.empty()) groups_.push_back({.events = std::move(wanted), .repeats_exactly = true});
  }

  std::string_view name() const override { return "disassembled"; }
  Availability availability() const override { return place_.here; }
  const std::vector<EventGroup>& groups() const override { return groups_; }
  std::vector<Refusal> refused() const override { return refused_; }

  void prepare(std::size_t, int sums) override { launches_.assign(static_cast<std::size_t>(sums), {}); }
  void enter(int sum) noexcept override { place_.write_down(&launches_[static_cast<std::size_t>(sum)]); }
  void leave(int) noexcept override { place_.write_down(nullptr); }
  void close(int) noexcept override { place_.write_down(nullptr); }  // also of an entry that was never left
  std::vector<Reading> readings(int sum) const override {
    const std::vector<KernelLaunch>& launches = launches_.at(static_cast<std::size_t>(sum));
    const LaunchCounts counts = counts_of(launches, place_.folder);
    std::vector<Reading> all;
    for (const auto& event : groups_.front().events) all.push_back(reading_of(event, counts, launches.empty()));
    return all;
  }

 private:
  /// The reading of an event. Where no kernel was launched there is no number, which of an empty region is nothing.
  static Reading reading_of(const std::string& event, const LaunchCounts& counts, bool nothing_launched) {
    const bool flops = event.starts_with("flops.");
    const std::string& why = flops ? counts.flops_refusal : counts.accesses_refusal;
    if (!why.empty()) return {.event = event, .status = Status::unavailable, .reason = why, .no_number = nothing_launched};
    const auto& kinds = flops ? counts.flops : counts.accesses;
    const auto found = kinds.find(event);
    return {.event = event, .raw = found == kinds.end() ? 0 : found->second};
  }

  CodePlace place_;
  std::vector<EventGroup> groups_;
  std::vector<Refusal> refused_;
  std::vector<std::vector<KernelLaunch>> launches_;  // of each sum
};

}  // namespace

std::unique_ptr<Backend> disassembled_backend(const EventNames& events, CodePlace place) {
  return std::make_unique<DisassembledBackend>(std::move(place), events);
}

std::vector<EventDescription> disassembled_events(const CodePlace& place) {
  std::vector<EventDescription> all = known_events();
  for (auto& one : all) one.availability = place.here;
  return all;
}

std::string disassembled_code(const std::string& event) { return event + ": " + disassembled_method; }

std::vector<Counter> disassembled_counters() {
  std::vector<Counter> all;
  const auto add = [&](const std::string& quantity, std::vector<Term> terms, Kind kind) {
    all.push_back(
        {.name = "static " + quantity, .backend = "disassembled", .terms = std::move(terms), .quantities = {quantity}, .kind = kind});
    all.back().of_code = true;
  };
  for (const char* precision : {"fp64", "fp32", "fp16", "bf16"}) {
    const std::string flops = std::string("flops.") + precision;
    add(flops, {{flops + ".add", 1}, {flops + ".mul", 1}, {flops + ".fma", 2}}, Kind::flops);
    for (const char* kind : {".add", ".mul", ".fma"}) add(flops + kind, {{flops + kind, 1}}, Kind::flops);
  }
  for (const char* type : tensor_types) {
    const std::string flops = std::string("flops.tensor.") + type;
    add(flops, {{flops, 1}}, Kind::flops);
  }
  for (const char* boundary : {"reg-L1", "reg-shared"}) {
    const std::string bytes = std::string("bytes.") + boundary;
    add(bytes, {{bytes + ".load", 1}, {bytes + ".store", 1}}, Kind::bytes);
    for (const char* flow : {".load", ".store"}) add(bytes + flow, {{bytes + flow, 1}}, Kind::bytes);
  }
  return all;
}

}  // namespace plumbline
