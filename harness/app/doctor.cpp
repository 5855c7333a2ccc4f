// plumbline doctor: what can be measured here, what not, why, and the next command. It starts no MPI and measures nothing.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "app/command.hpp"
#include "app/counting_outlook.hpp"
#include "app/event_rows.hpp"
#include "app/streams.hpp"
#include "app/table.hpp"
#include "comm/communicator.hpp"
#include "counters/registry.hpp"
#include "machine/capability.hpp"
#include "measure/worker.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

Capability mpi_row() {
  if (!Communicator::has_mpi())
    return {"MPI", Status::unavailable, "not compiled in: one process on one node", "build with -DPLUMBLINE_WITH_MPI=ON (libmpich-dev)"};
  const auto version = Communicator::library_version();
  const char* launcher = version.find("MPICH") == version.npos ? "mpiexec" : "mpiexec.mpich";
  return {"MPI", Status::ok, version, fmt::format("{} -n 2 plumbline run jobs/campaigns/quick.toml", launcher)};
}

Capability emulator_row() {
  const EmulatorInstallation found = find_emulator();
  if (found.availability.ok())
    return {"emulated counters", Status::ok,
            fmt::format("valgrind {} ({}) with the tool in {}, linked with valgrind {}, interface {}", found.valgrind_version,
                        found.valgrind.string(), found.tool_directory.string(), found.tool_version, found.tool_abi),
            "plumbline profile --count-only -- program args"};
  if (!found.tool_version.empty()) return {"emulated counters", found.availability.status, found.availability.reason, ""};
  return {"emulated counters", found.availability.status, found.availability.reason,
          "apt-get install valgrind; build with -DPLUMBLINE_WITH_EMULATOR=ON"};
}

// Of each backend beside the emulated one: how much of what it knows can be counted here.
void add_backend_rows(std::vector<Capability>& rows) {
  tell_perf_event(this_topology());
  std::vector<std::string> missing{"papi", "cupti"};
  for (const auto& backend : backends()) {
    std::erase(missing, backend.name);
    if (backend.name == "emulated") continue;
    const auto events = backend.events();
    const auto usable = std::count_if(events.begin(), events.end(), [](const EventDescription& event) { return event.availability.ok(); });
    const Availability own_choice = backend.make({})->availability();
    rows.push_back(
        {fmt::format("counters by {}", backend.name), own_choice.status,
         fmt::format("{} of {} events can be counted here{}{}", usable, events.size(), own_choice.ok() ? "" : "; ", own_choice.reason),
         usable == 0 ? "" : fmt::format("plumbline list counters; in a campaign: counters = \"{}:EVENT\"", backend.name)});
  }
  if (!missing.empty())
    rows.push_back({"other counter backends", Status::unavailable, fmt::format("not compiled in: {}", fmt::join(missing, ", ")), ""});
}

// By trying: permissions alone say nothing about read-only file systems, quotas, or root.
bool can_write_here() {
  std::string name = ".plumbline-doctor-XXXXXX";
  const int file = mkstemp(name.data());
  if (file < 0) return false;
  const bool written = write(file, "x", 1) == 1;
  close(file);
  unlink(name.c_str());
  return written;
}

Capability output_row() {
  const fs::path folder = fs::current_path();
  std::error_code failed;
  const auto space = fs::space(folder, failed);
  if (failed || !can_write_here())
    return {"result files", Status::permission, fmt::format("{} cannot be written", folder.string()),
            "change the folder, or name a file with -o"};
  return {"result files", Status::ok,
          fmt::format("HDF5; {} can be written, {} free", folder.string(), size_in_bytes(static_cast<double>(space.available))), ""};
}

std::vector<Capability> examine() {
  auto rows = machine_capabilities(this_topology(), this_cpu(), this_node_state());
  rows.push_back(emulator_row());
  add_backend_rows(rows);
  rows.push_back(mpi_row());
  rows.push_back(output_row());
  return rows;
}

Json rows_of(const std::vector<Capability>& capabilities) {
  Json rows = Json::array();
  for (const auto& one : capabilities)
    rows.push_back({{"what", one.what},
                    {"status", to_string(one.status)},
                    {one.status == Status::ok ? "found" : "reason", one.found},
                    {one.status == Status::ok ? "reason" : "found", nullptr},
                    {"next", text_or_null(one.next)}});
  return rows;
}

void print_for_people(const std::vector<Capability>& capabilities) {
  constexpr std::size_t width = 116;
  for (const auto& one : capabilities) {
    print(fmt::format("{:<24} {}\n", one.what, one.status == Status::ok ? "ok" : std::string(to_string(one.status))));
    print(wrapped(one.found, width, "    ") + "\n");
    if (!one.next.empty()) print(wrapped("-> " + one.next, width, "    ") + "\n");
  }
}

Exit doctor(Format format) {
  const auto capabilities = examine();
  const auto outlook = look_out(counting_facts_here());
  if (format == Format::json)
    print(document("doctor", "", rows_of(capabilities), outlook.notes, {{"counting", outlook_rows(outlook)}}) + "\n");
  else if (format == Format::csv)
    print(csv(rows_of(capabilities)));
  else {
    print_for_people(capabilities);
    print("\nWhat could count what here\n\n" + outlook_text(outlook));
  }
  return Exit::ok;
}

}  // namespace

void add_doctor(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("doctor", "says what can be measured here, what not, why, and the next command");
  auto format = std::make_shared<Format>(Format::text);
  add_format_options(*command, *format);
  command->callback([&chosen, format] { chosen = [format] { return doctor(*format); }; });
}

}  // namespace plumbline::app
