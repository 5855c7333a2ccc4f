// Sweeps of the module's kernels are written down instead of launched, and counted by the module's own code: what the models say, or a
// reason.
#include "counters/sass/launch_counts.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <tuple>

#include "core/flows.hpp"
#include "disassembly.hpp"
#include "gpu/gpu_caches.hpp"
#include "module_kernels.hpp"

namespace plumbline {
namespace {

/// Kernels and phases of whose code no operations are counted, and why. Every other one is held against its model.
const std::map<std::string, std::string> refused{{"proxies/cg: dot", "threads part ways: half of them pass their sums on"},
                                                 {"proxies/cg: norm", "threads part ways: half of them pass their sums on"},
                                                 {"proxies/cg: total", "threads part ways: half of them pass their sums on"},
                                                 {"validation/dot", "threads part ways: half of them pass their sums on"},
                                                 {"proxies/heat2d: energy", "threads part ways: half of them pass their sums on"},
                                                 {"proxies/heat2d: total", "threads part ways: half of them pass their sums on"},
                                                 {"validation/special", "its instructions are of kinds that are not counted"},
                                                 {"validation/predicated", "lanes part ways"}};
/// A phase of the smoother by itself or of multigrid ("red"), and the level that it is of, 1 the finest. Of other kernels none.
struct Smoothing {
  std::string phase;
  std::uint64_t level = 1;
};
Smoothing smoothing_of(const std::string& part) {
  for (const std::string of : {"proxies/gsrb: ", "proxies/multigrid: ", "proxies/multigrid_hybrid: "})
    if (part.starts_with(of)) {
      const std::size_t at = part.find('@');
      return {part.substr(of.size(), at - of.size()), at == part.npos ? 1 : std::stoul(part.substr(at + 1))};
    }
  return {};
}
/// Phases of whose code no accesses are counted; there is no arithmetic in it.
bool only_copies_some(const std::string& part) { return smoothing_of(part).phase == "ghosts"; }
/// Phases whose products and sums the compiler may fuse: what holds is the total, in which an FMA weighs 2.
bool is_left_to_compiler(const std::string& part) {
  const std::string phase = smoothing_of(part).phase;
  return phase == "red" || phase == "black" || phase == "residual";
}
/// Kernels that do no arithmetic of their own: a library's, and nothing at all.
bool is_apart(const Kernel& kernel) { return !kernel.only.empty() || kernel.name.starts_with("ert/launch"); }

/// A loop whose launches are written down instead of made.
std::vector<KernelLaunch> launches_of(const Flavor& flavor, const void* arguments, std::size_t extent) {
  std::vector<KernelLaunch> launches;
  opened_module().write_down_launches(&launches, true);
  flavor.sweep(arguments, 0, extent);
  opened_module().write_down_launches(nullptr);
  const std::string name(flavor.name);
  for (auto& one : launches) one.architecture = name.substr(std::min(name.find("sm_"), name.size()));
  return launches;
}

/// A part of a kernel's sweep that has a model of its own: an application's phases, or all of it.
struct Part {
  std::string name;
  Work work;  // of all its entries
  std::vector<KernelLaunch> launches = {};
};
std::vector<Part> parts_of(const Kernel& kernel, const Parameters& point, const Flavor& flavor) {
  HostInPlaceOfDevice memory;
  const auto data = kernel.prepare(point, flavor.precision, memory);
  std::vector<Part> parts;
  const auto* const application = dynamic_cast<const ApplicationData*>(data.get());
  if (application == nullptr) {
    parts.push_back(
        {kernel.name, kernel.model(point, flavor.precision, flavor.name), launches_of(flavor, data->arguments(), data->extent())});
    return parts;
  }
  for (const Phase& phase : kernel.application(point, flavor.precision, flavor.name).phases) {
    ApplicationWork alone{.phases = {phase}};
    parts.push_back({kernel.name + ": " + phase.name, whole_work(alone)});
  }
  for (const Step& step : application->steps())
    if (step.is_loop() && !step.on_host)
      std::ranges::move(launches_of(flavor, step.arguments, step.extent), std::back_inserter(parts[step.phase].launches));
  std::erase_if(parts, [](const Part& part) { return part.launches.empty(); });
  return parts;
}

class LaunchedKernel : public testing::TestWithParam<const Kernel*> {
 protected:
  void SetUp() override {
    if (!disassembled_module().why_not.empty()) GTEST_SKIP() << disassembled_module().why_not;
  }
};

LaunchCounts count(const Part& part) { return counts_of(part.launches, PLUMBLINE_DISASSEMBLY_FOLDER); }

class CountedLaunch : public LaunchedKernel {};
class RefusedLaunch : public LaunchedKernel {};

const Kernel* the(const std::string& name) {
  for (const Kernel* kernel : all_kernels())
    if (kernel->name == name) return kernel;
  throw std::runtime_error("the module has no kernel " + name);
}
std::vector<const Kernel*> counted_kernels() {
  auto all = all_kernels();
  std::erase_if(all, [](const Kernel* kernel) { return refused.contains(kernel->name) || is_apart(*kernel); });
  return all;
}
std::vector<const Kernel*> refused_kernels() {
  std::vector<const Kernel*> all;
  for (const auto& [name, why] : refused) {
    const Kernel* const kernel = the(name.substr(0, name.find(':')));
    if (std::ranges::find(all, kernel) == all.end()) all.push_back(kernel);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, CountedLaunch, testing::ValuesIn(counted_kernels()), word_of);
INSTANTIATE_TEST_SUITE_P(All, RefusedLaunch, testing::ValuesIn(refused_kernels()), word_of);

void expect_within(const std::map<std::string, std::uint64_t>& counts, const std::string& event, const Counts& model) {
  const auto found = counts.find(event);
  const std::uint64_t count = found == counts.end() ? 0 : found->second;
  const Amount amount = model.at(event);
  EXPECT_GE(count, amount.lo) << event;
  EXPECT_LE(count, amount.hi) << event;
}

/// Whether the results of a convolution are whole tiles of 64 x 64: outputs, those of each place between two patches, filters, or products
/// of Winograd's tiles.
bool has_whole_tiles(const Parameters& p) {
  const std::uint64_t width = p.integer("width"), kernel = p.integer("kernel"), stride = p.integer("stride"), images = p.integer("images"),
                      channels = p.integer("channels"), filters = p.integer("filters"), side = (width - kernel) / stride + 1;
  if (p.word("direction") == "backward_weights") return kernel * kernel * channels % 64 == 0 && filters % 64 == 0;
  if (p.word("direction") == "backward_data")
    return width % stride == 0 && images * (width / stride) * (width / stride) % 64 == 0 && channels % 64 == 0;
  if (p.word("variant") == "winograd") return (side + 1) / 2 * ((side + 1) / 2) % 64 == 0 && filters % 64 == 0;
  return (p.word("variant") == "im2col" ? 1 : images) * side * side % 64 == 0 && filters % 64 == 0;
}

/// Whether the results of that phase of an LSTM are whole tiles of 16 x 32.
bool has_whole_tiles(const std::string& phase, const Parameters& p) {
  const std::uint64_t batch = p.integer("batch"), rows = batch * p.integer("sequence"), features = p.integer("features"),
                      hidden = p.integer("hidden"), part = (p.word("variant") == "streams" ? 2 : 4) * hidden;
  const auto are = [](std::uint64_t down, std::uint64_t across) { return down % 16 == 0 && across % 32 == 0; };
  const bool is_forward = p.word("direction") == "forward";
  if (phase == "input") return is_forward ? are(rows, 2 * hidden) : are(rows, features);
  if (phase == "recurrent") return is_forward ? are(batch, part) : are(batch, hidden);
  return phase != "weights" || are(features + hidden, part);
}

/// Says why a launch of a counted kernel, or of a phase, is not counted at this point; empty where it is.
std::string why_not(const std::string& part, const Parameters& point) {
  const std::string kernel = part.substr(0, part.find(':'));
  if (kernel == "proxies/lstm" && point.word("variant") == "graph") return "a graph is launched";
  if (kernel == "proxies/lstm" && !has_whole_tiles(part.substr(part.find(' ') + 1), point))
    return "the last tiles of the result are not whole";
  if (kernel == "validation/dgemm" && point.integer("n") % 16 != 0) return "multiply_tiles";
  if (const auto [phase, level] = smoothing_of(part); phase == "red" || phase == "black") {
    if (point.word("variant") == "branch") return "those of the other color";
    if (point.word("variant") == "stride2" && (point.integer("n") >> (level - 1)) % 2 != 0) return "whose length is odd";
  }
  if (part == "proxies/conv2d: products" && !has_whole_tiles(point)) return "the last tiles of the result are not whole";
  if (part == "proxies/conv2d: output" && point.integer("width") % 2 != 0) return "those of the last tiles store less";
  if (kernel == "ert/stream" && point.integer("n") % 4096 != 0) return "the last chunk of 16 KiB is not whole";
  if (kernel == "ert/transfer" && !point.word("way").starts_with("kernel_")) return "no launch of a kernel was seen";
  return "";
}

/// The size of whole chunks of ert/stream.
std::int64_t whole(std::int64_t preset) { return preset > 4096 ? 65536 : preset; }

void expect_as_modelled(const Part& part, const LaunchCounts& counts) {
  ASSERT_EQ(counts.flops_refusal, "") << part.name << ": where its code cannot be counted by nature, say so in `refused` above";
  const Work& work = part.work;
  if (is_left_to_compiler(part.name)) {
    Counts executed;
    for (const auto& [quantity, count] : counts.flops) executed[quantity] = count;
    EXPECT_EQ(total_flops(executed).lo, total_flops(work.flops).lo) << part.name;
  } else {
    for (const auto& [quantity, amount] : work.flops) {
      const auto found = counts.flops.find(quantity);
      const std::uint64_t count = found == counts.flops.end() ? 0 : found->second;
      EXPECT_GE(count, amount.lo) << quantity;
      EXPECT_LE(count, amount.hi) << quantity;
    }
    for (const auto& [quantity, count] : counts.flops) EXPECT_TRUE(count == 0 || work.flops.contains(quantity)) << quantity;
  }
  if (part.name == "ert/wgmma") {
    EXPECT_NE(counts.accesses_refusal.find("GMMA"), std::string::npos) << "its operands lie in shared memory";
    return;
  }
  ASSERT_EQ(counts.accesses_refusal, "");
  GpuProperties gpu;
  gpu.major = 9;
  const Counts model = expected_counts(work, cache_levels(gpu), 1);
  for (const char* bytes : {"bytes.reg-L1.load", "bytes.reg-L1.store", "bytes.reg-shared.load", "bytes.reg-shared.store"})
    expect_within(counts.accesses, bytes, model);
}

// The test covers every architecture: whatever of its code is not told apart is a failure here.
TEST_P(CountedLaunch, executes_the_operations_and_moves_the_bytes_of_its_model) {
  std::size_t held = 0;
  for (const auto& size : {small, GetParam()->name == "ert/stream" ? whole : large})
    for (const Parameters& point : points_and_edges(*GetParam(), size))
      for (const Flavor& flavor : GetParam()->flavors()) {
        if (is_library(flavor.name) || !takes(*GetParam(), point, flavor.precision, flavor.name)) continue;
        SCOPED_TRACE(point.path() + " " + std::string(flavor.precision) + " " + std::string(flavor.name));
        for (const Part& part : parts_of(*GetParam(), point, flavor)) {
          if (refused.contains(part.name)) continue;
          const LaunchCounts counts = count(part);
          if (only_copies_some(part.name)) {
            EXPECT_EQ(counts.flops_refusal, "") << part.name;
            EXPECT_TRUE(counts.flops.empty()) << part.name;
            EXPECT_NE(counts.accesses_refusal.find("no ghosts"), std::string::npos) << counts.accesses_refusal;
            continue;
          }
          if (const std::string why = why_not(part.name, point); !why.empty()) {
            EXPECT_NE(counts.accesses_refusal.find(why), std::string::npos) << counts.accesses_refusal;
            EXPECT_TRUE(counts.flops_refusal == counts.accesses_refusal || total_flops(part.work.flops).hi == 0) << counts.flops_refusal;
            continue;
          }
          ++held;
          ASSERT_NO_FATAL_FAILURE(expect_as_modelled(part, counts));
        }
      }
  EXPECT_TRUE(held > 0 || GetParam()->flavors().empty());
}

TEST_P(RefusedLaunch, says_why_no_operations_are_counted) {
  for (const Parameters& point : points(*GetParam(), small))
    for (const Flavor& flavor : GetParam()->flavors())
      for (const Part& part : parts_of(*GetParam(), point, flavor)) {
        if (!refused.contains(part.name)) continue;
        EXPECT_NE(count(part).flops_refusal, "") << point.path() << ": counted now, although " << refused.at(part.name);
      }
}

// Loops that are unrolled have a rest, or are nothing but a rest.
TEST(launch_counts_of_rests, trips_that_are_no_multiple_of_what_is_unrolled_are_counted_whole) {
  if (!disassembled_module().why_not.empty()) GTEST_SKIP() << disassembled_module().why_not;
  const std::tuple<const char*, const char*, std::vector<std::int64_t>> odd[] = {{"ert/chase", "steps", {5, 16, 37}},
                                                                                 {"ert/l1", "pieces", {1, 4, 7}},
                                                                                 {"ert/shared", "repeat", {3, 4, 7}},
                                                                                 {"ert/vector", "k", {1, 2, 4, 16, 44}}};
  for (const auto& [name, parameter, values] : odd)
    for (const std::int64_t value : values) {
      const Kernel* kernel = the(name);
      Parameters point = points(*kernel, small).front();
      point.set(parameter, value);
      for (const Flavor& flavor : kernel->flavors()) {
        SCOPED_TRACE(std::string(name) + " " + point.path() + " " + std::string(flavor.precision) + " " + std::string(flavor.name));
        const Part whole = parts_of(*kernel, point, flavor).front();
        ASSERT_NO_FATAL_FAILURE(expect_as_modelled(whole, count(whole)));
      }
    }
}

/// A convolution whose products are cuBLAS's launches kernels of its own beside them.
TEST(launch_counts_of_libraries, are_refused_by_the_librarys_name_and_not_left_out) {
  const Kernel* kernel = the("proxies/conv2d");
  Parameters point = points(*kernel, small).front();
  point.set("variant", std::string("im2col"));
  std::size_t held = 0;
  for (const Flavor& flavor : kernel->flavors()) {
    if (!is_library(flavor.name) || !takes(*kernel, point, flavor.precision, flavor.name)) continue;
    const std::vector<Part> parts = parts_of(*kernel, point, flavor);
    ASSERT_EQ(parts.size(), 2U) << "columns and products: filters are taken as they are";
    EXPECT_EQ(parts.front().name, "proxies/conv2d: columns");
    EXPECT_EQ(count(parts.back()).flops_refusal, "cuBLAS launches kernels of its own, which are not told");
    EXPECT_EQ(count(parts.back()).accesses_refusal, "cuBLAS launches kernels of its own, which are not told");
    ++held;
  }
  if (held == 0) GTEST_SKIP() << kernel->absent_flavors().back().reason;
  EXPECT_EQ(held, 3U) << "fp32, fp16, bf16";
}

TEST(launch_counts_of_launches, none_that_is_timed_loads_or_stores_and_of_a_graph_nothing_is_told) {
  if (!disassembled_module().why_not.empty()) GTEST_SKIP() << disassembled_module().why_not;
  const Kernel* kernel = the("ert/launch");
  for (const Parameters& point : points(*kernel, small))
    for (const Flavor& flavor : kernel->flavors()) {
      const LaunchCounts counts = count(parts_of(*kernel, point, flavor).front());
      if (point.word("way") == "graph" && point.integer("launches") >= 1000) {
        EXPECT_NE(counts.accesses_refusal.find("a graph is launched"), std::string::npos);
        continue;
      }
      ASSERT_EQ(counts.accesses_refusal, "") << point.path() << flavor.name;
      EXPECT_TRUE(counts.accesses.empty()) << counts.accesses.begin()->first;
    }
}

}  // namespace
}  // namespace plumbline
