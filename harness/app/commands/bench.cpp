// The command plumbline bench runs the same kernels as Google Benchmarks, in one process, so that its filters, reporters and compare.py
// work.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "app/commands/command.hpp"
#include "campaign/expand.hpp"
#include "core/case.hpp"
#include "core/kernel.hpp"
#include "machine/cpu.hpp"
#include "measure/prepared.hpp"
#include "measure/sweeping.hpp"

namespace plumbline::app {
namespace {

Case preset_case(const Kernel& kernel, const Flavor& flavor) {
  Case measured{.kernel = &kernel, .parameters = {}, .precision = std::string(flavor.precision), .flavor = flavor, .team = {}};
  for (const auto& spec : kernel.parameters) measured.parameters.set(spec.name, spec.preset);
  return measured;
}

void run_case(benchmark::State& state, const Case& measured) {
  const ThreadTeam one(1);
  Peers alone;
  Prepared prepared(measured, one.size());
  prepared.take_place(alone);
  prepared.initialise(0);
  sweep_once(prepared, one, alone);
  if (prepared.workload().error() > prepared.workload().tolerance()) return state.SkipWithError("wrong result");
  prepared.restore(0);
  const bool restores = prepared.workload().restores();
  for ([[maybe_unused]] auto iteration : state) {
    sweep_once(prepared, one, alone);
    benchmark::ClobberMemory();
    if (!restores) continue;
    state.PauseTiming();
    prepared.restore(0);
    state.ResumeTiming();
  }
  const Work work = measured.work();
  std::uint64_t bytes = 0;
  for (const auto& stream : work.streams) bytes += (stream.loads + stream.stores) * stream.element_bytes;
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.counters["FLOP/s"] =
      benchmark::Counter(static_cast<double>(total_flops(work.flops).lo), benchmark::Counter::kIsIterationInvariantRate);
}

Exit bench(const std::vector<std::string>& extra) {
  std::vector<std::string> words{"plumbline bench"};
  words.insert(words.end(), extra.begin(), extra.end());
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data()))
    throw user_error("bench takes Google Benchmark's options only, e.g. --benchmark_filter=triad.*gcc12-O3-v3");
  for (const Kernel& kernel : kernels()) {
    if (kernel.space != Space::cpu) continue;
    for (const Flavor& flavor : kernel.flavors()) {
      if (!(required_isa(flavor.name).empty() || runs_isa(required_isa(flavor.name)))) continue;
      const Case measured = preset_case(kernel, flavor);
      benchmark::RegisterBenchmark(measured.id().c_str(), [measured](benchmark::State& state) { run_case(state, measured); });
    }
  }
  const std::size_t matched = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (matched == 0) throw user_error("no benchmark matches; 'plumbline bench --benchmark_list_tests' names them");
  return Exit::ok;
}

}  // namespace

void add_bench(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("bench",
                                     "the kernels as Google Benchmarks in this one process; takes its options: --benchmark_filter=REGEX, "
                                     "--benchmark_list_tests, --benchmark_format=json, --benchmark_out=FILE, ...");
  command->allow_extras();
  command->callback([&chosen, command] { chosen = [extra = command->remaining()] { return bench(extra); }; });
}

}  // namespace plumbline::app
