// The command plumbline doctor says what can be measured here, what not, why, and the next command. It starts no MPI and measures nothing.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/commands/schemas.hpp"
#include "app/here/counting_outlook.hpp"
#include "app/here/event_rows.hpp"
#include "app/here/gpus.hpp"
#include "app/results/machine_table.hpp"
#include "app/terminal/streams.hpp"
#include "comm/communicator.hpp"
#include "core/host_name.hpp"
#include "core/kernel.hpp"
#include "counters/cupti/cupti.hpp"
#include "counters/registry.hpp"
#include "counters/sass/disassembled.hpp"
#include "machine/capability.hpp"
#include "measure/emulator_installation.hpp"
#include "measure/worker.hpp"
#include "store/result_store.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

Capability mpi_row() {
  if (!Communicator::has_mpi())
    return {"MPI", Status::unavailable, "not compiled in: one process on one node", "build with -DPLUMBLINE_WITH_MPI=ON (libmpich-dev)"};
  const auto version = Communicator::library_version();
  const char* launcher = version.find("MPICH") == version.npos ? "mpiexec" : "mpiexec.mpich";
  return {"MPI", Status::ok, version, fmt::format("{} -n 2 plumbline run quick", launcher)};
}

Capability emulator_row() {
  const EmulatorInstallation found = find_emulator();
  if (found.availability.ok())
    return {"emulated counters", Status::ok,
            fmt::format("valgrind {} ({}) with the tool in {}, linked with valgrind {}, tool interface {}", found.valgrind_version,
                        found.valgrind.string(), found.tool_directory.string(), found.tool_version, found.tool_abi),
            "plumbline profile --count-only -- program args"};
  if (!found.tool_version.empty()) return {"emulated counters", found.availability.status, found.availability.reason, ""};
  return {"emulated counters", found.availability.status, found.availability.reason,
          "apt-get install valgrind, or bash jobs/valgrind.sh where it cannot be linked with; build with -DPLUMBLINE_WITH_EMULATOR=ON"};
}

// Adds for each backend beside the emulated one how much of what it knows can be counted here.
void add_backend_rows(std::vector<Capability>& rows) {
  const BackendFacts facts = backend_facts(this_topology());
  std::vector<std::string> missing{"papi", "cupti"};
  for (const auto& backend : backends()) {
    std::erase(missing, backend.name);
    if (backend.name == "emulated" || backend.of_gpu) continue;
    const auto events = backend.events(facts);
    const auto needs_emulator = backend.emulated == nullptr ? EventNames{} : backend.emulated();
    const bool emulator = find_emulator().availability.ok();
    const auto usable = std::count_if(events.begin(), events.end(), [&](const EventDescription& event) {
      const bool emulated = std::find(needs_emulator.begin(), needs_emulator.end(), event.name) != needs_emulator.end();
      return event.availability.ok() && (emulator || !emulated);
    });
    const Availability own_choice = backend.make({}, facts)->availability();
    rows.push_back({fmt::format("counters by {}", backend.name), own_choice.status,
                    own_choice.ok() ? fmt::format("{} of {} events can be counted here", usable, events.size())
                                    : fmt::format("no hardware events: {}; {} of {} events, all of software, can be counted here",
                                                  own_choice.reason, usable, events.size()),
                    usable == 0 ? "" : fmt::format("plumbline list counters; in a campaign: counters = \"{}:EVENT\"", backend.name)});
  }
  if (!missing.empty())
    rows.push_back({"other counter backends", Status::unavailable, fmt::format("not compiled in: {}", fmt::join(missing, ", ")), ""});
}

/// Tries the counters of GPUs: that needs a context on the GPU and the profiler, for a moment.
Capability gpu_counters_row() {
  const CuptiTrial trial = try_cupti();
  const std::string what = trial.chip.empty() ? "" : fmt::format("the GPU's chip is {}; ", trial.chip);
  if (!trial.availability.ok()) return {"counters by cupti", trial.availability.status, what + trial.availability.reason, ""};
  const auto known = counters_for_chip(all_event_tables(), trial.chip);
  if (known.counters.empty())
    return {"counters by cupti", Status::ok, what + "no event table knows it: metrics can be counted by name",
            "name a table of your own in PLUMBLINE_EVENTS_PATH; in a campaign: counters = \"cupti:METRIC\""};
  return {"counters by cupti", Status::ok, fmt::format("{}{} counters in event table {}", what, known.counters.size(), known.family),
          fmt::format("plumbline list counters --family {}; in a campaign: counters = \"cupti\"", known.family)};
}

/// The row of what stands in for the counters of GPUs where they are refused.
Capability gpu_code_row() {
  const CodePlace place = code_of_module();
  const char* what = "counts of a GPU's code";
  if (!place.here.ok()) return {what, place.here.status, place.here.reason, ""};
  return {
      what, Status::ok,
      fmt::format("called static, by backend disassembled: {}, where a GPU's counters are refused: nothing is measured; the code is in {}",
                  disassembled_method, place.folder.string()),
      "in a campaign: counters = \"disassembled\"; \"auto\" takes them where CUPTI refuses"};
}

Capability gpu_kernels_row() {
  const OpenedGpuModule& module = module_for_gpus();
  if (module.module == nullptr) return {"kernels for GPUs", Status::unavailable, module.why_not, ""};
  const NodeGpus& here = gpus_here();  // what the module was chosen for is known behind it
  const std::string built =
      fmt::format("{} kernels by {}, in {}; {}", module.module->kernels().size(), module.module->version(), module.file, module.chosen);
  if (here.gpus.empty()) {
    const std::string why = this_topology().gpus.empty() && module.cannot_run.empty() ? "no GPU to run them on" : here.why_none;
    return {"kernels for GPUs", Status::unavailable, fmt::format("{}; {}", why, built), ""};
  }
  std::vector<std::string> all;
  for (const GpuProperties& gpu : here.gpus)
    all.push_back(fmt::format("{} at {}: {} multiprocessors, {:.1f} GiB, runs {}", gpu.name, gpu.pci, gpu.multiprocessors,
                              static_cast<double>(gpu.memory_bytes) / 0x1p30, gpu.flavor.empty() ? "none of them" : gpu.flavor));
  const bool runs = std::any_of(here.gpus.begin(), here.gpus.end(), [](const GpuProperties& gpu) { return !gpu.flavor.empty(); });
  return {"kernels for GPUs", runs ? Status::ok : Status::unavailable, fmt::format("{}; {}", fmt::join(all, "; "), built),
          runs ? "plumbline run gpu_quick"
               : "build with -DPLUMBLINE_CUDA_ARCHITECTURES of this GPU; of Volta take libplumbline_cuda12.so (PLUMBLINE_CUDA_MODULE_PATH "
                 "names its file)"};
}

// Tries to write here: permissions alone say nothing about read-only file systems, quotas, or root.
bool can_write_here() {
  std::string name = ".plumbline-doctor-XXXXXX";
  const int file = mkstemp(name.data());
  if (file < 0) return false;
  const bool written = write(file, "x", 1) == 1;
  close(file);
  unlink(name.c_str());
  return written;
}

// The row of what a colleague asks first; all of it is in --json.
Capability system_row(const NodeState& state) {
  std::vector<std::string> told;
  std::size_t unknown = 0;
  for (const auto& fact : state.system) {
    constexpr std::array<std::string_view, 7> first{"os",          "kernel_release", "microcode",     "smt_control",
                                                    "clocksource", "cpu_limit",      "numa_balancing"};
    if (!fact.value) ++unknown;
    if (fact.value && std::find(first.begin(), first.end(), fact.name) != first.end())
      told.push_back(fmt::format("{} {}", fact.name, printable(*fact.value)));
  }
  return {"system", Status::ok, fmt::format("{}; of {} facts {} are not known here", fmt::join(told, ", "), state.system.size(), unknown),
          "plumbline doctor --json names all facts, and why some are not known"};
}

Capability output_row() {
  const fs::path folder = fs::current_path();
  std::error_code failed;
  const auto space = fs::space(folder, failed);
  if (failed || !can_write_here())
    return {"result files", Status::permission, fmt::format("{} cannot be written", folder.string()),
            "change the folder, or name a file with -o"};
  return {"result files", Status::ok,
          fmt::format("HDF5 {}; {} can be written, {} free", hdf5_version(), folder.string(),
                      size_in_bytes(static_cast<double>(space.available))),
          ""};
}

std::vector<Capability> examine() {
  const NodeState state = this_node_state();
  auto rows = machine_capabilities(this_topology(), this_cpu(), state);
  rows.push_back(gpu_kernels_row());
  rows.push_back(system_row(state));
  rows.push_back(emulator_row());
  add_backend_rows(rows);
  rows.push_back(gpu_counters_row());
  rows.push_back(gpu_code_row());
  rows.push_back(mpi_row());
  rows.push_back(output_row());
  return rows;
}

bool is_ok(const Capability& row) { return row.status == Status::ok; }

Columns<Capability> capability_columns() {
  using Row = Capability;
  return {{"what", "thing that the row is about", &Row::what},
          {"status", "ok, or in a word why it does not work", &Row::status},
          {"found", "what was found; null where it does not work",
           [](const Row& row) { return is_ok(row) ? std::optional(row.found) : std::nullopt; }},
          {"reason", "why it does not work", [](const Row& row) { return is_ok(row) ? std::nullopt : std::optional(row.found); }},
          {"next", "what to do, a command where there is one", [](const Row& row) { return OrNull{row.next}; }}};
}

Columns<CountingOutlook> doctor_members() {
  const auto machine = [](const CountingOutlook&) {
    return Json::parse(machine_json(host_name(), this_topology(), this_cpu(), this_node_state()));
  };
  return {counting_column(), {"machine", "what is known of this node, as result files keep it", machine_schema(), machine}};
}

void print_for_people(const std::vector<Capability>& capabilities) {
  constexpr std::size_t width = 116;
  for (const auto& one : capabilities) {
    print(fmt::format("{:<24} {}\n", one.what, to_string(one.status)));
    print(wrapped(one.found, width, "    ") + "\n");
    if (!one.next.empty()) print(wrapped("-> " + one.next, width, "    ") + "\n");
  }
}

Exit doctor(Format format) {
  const auto capabilities = examine();
  const auto outlook = look_out(counting_facts_here());
  const Json rows = rows_json(capability_columns(), capabilities);
  if (format == Format::json)
    print(document("doctor", "", rows, outlook.notes, row_json(doctor_members(), outlook)));
  else if (format == Format::csv)
    print(csv(rows));
  else if (format == Format::markdown)
    print(markdown(rows) + markdown_notes(outlook.notes));
  else {
    print_for_people(capabilities);
    print("\nWhat could count what here\n\n" + outlook_text(outlook));
  }
  return Exit::ok;
}

}  // namespace

Json doctor_schema() {
  return document_schema("doctor", "What can be measured on a node", row_schema(capability_columns()), row_schema(doctor_members()));
}

void add_doctor(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("doctor", "says what can be measured here, what not, why, and the next command");
  auto format = std::make_shared<Format>(Format::text);
  add_format_options(*command, *format);
  command->callback([&chosen, format] { chosen = [format] { return doctor(*format); }; });
}

}  // namespace plumbline::app
