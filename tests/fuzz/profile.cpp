// The first byte says which of the two reports of a profiled process the rest is.
#include "core/error.hpp"
#include "injection/kernel_report.hpp"
#include "profile/tool_report.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/store/samples.hpp"

namespace plumbline::fuzz {
namespace {

constexpr char emulator = 'e', kernels = 'k', metrics = 'm';

}  // namespace

void read(std::string_view bytes) {
  if (bytes.empty()) return;
  const MemoryFile file(bytes.substr(1));
  if (bytes[0] == emulator) read_tool_report(file.path());
  if (bytes[0] == kernels) read_kernel_report(file.path());
  if (bytes[0] == metrics) read_metrics(file.path());
}

std::string mended(std::string_view bytes) { return std::string(bytes); }

std::vector<std::string> seeds() {
  const Scratch scratch;
  KernelReport report{.process = 7, .parent = 1, .command = {"./a.out", "-n"}, .cupti = "CUPTI 13.0", .ended = true};
  report.counts.gpus.push_back({0, "GH100", 90, {"dram__bytes.sum"}, 1, {Status::ok, ""}});
  report.counts.kernels.push_back({0, "saxpy(float*)", 3, 2, {1.5}});
  report.timed = true;
  report.times.kernels.push_back({.name = "saxpy(float*)", .phase = 1, .all = {3, 0.5, 96}, .of_graphs = 1});
  report.times.copies.push_back({0, "set memory", 2, 100, 0.125});
  report.times.gpus.push_back({0, 5, 7});
  report.phases = {.regions = {{"solve", 2, 1.5, true}}, .phases = {{}, {0}}};
  write_kernel_report(scratch / "kernels.json", report);
  write_metrics(scratch / "metrics.json", {{"GH100", {"dram__bytes.sum", "sm__cycles_elapsed.sum"}}});
  return {emulator + std::string(
                         R"({"schema":"plumbline-emulator/1","abi":2,"pid":1,"parent":0,"command":["a"],"total":{"loads":null,"stores":3},)"
                         R"("threads":[{"thread":1,"counts":{"loads":2}}],)"
                         R"("regions":[{"name":"r","thread":1,"entries":1,"open":false,"counts":{"loads":2}}],)"
                         R"("functions":[{"name":"f","object":"/a.so","begin":64,"counts":{"flops.fp64.fma":8}}]})"),
          kernels + slurp(scratch / "kernels.json"), metrics + slurp(scratch / "metrics.json")};
}

}  // namespace plumbline::fuzz
