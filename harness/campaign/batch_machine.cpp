#include "campaign/batch_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "campaign/campaign_keys.hpp"
#include "campaign/suggest.hpp"
#include "campaign/written.hpp"

namespace plumbline {
namespace {

constexpr std::string_view machine_schema = "plumbline-machine/1";
constexpr int most = 1'000'000;

/// Reads a word that is to stand in a line of a script: it must stay in that line, and #SBATCH lines know no quotes.
void take_word(const WrittenTable& top, std::string_view key, std::string& to) {
  const auto written = top.word(key);
  if (!written) return;
  if (!is_batch_word(written->value))
    top.fail(written->at, fmt::format("'{}' is {}: it must be a word without blanks, quotes and other characters of the shell", key,
                                      in_quotes(written->value)));
  to = written->value;
}

void take_number(const WrittenTable& top, std::string_view key, int min, int& to) {
  if (const auto written = top.integer(key, min, most)) to = static_cast<int>(written->value);
}

void take_lines(const WrittenTable& top, std::string_view key, std::vector<std::string>& to) {
  for (const auto& line : top.words(key, true)) {
    if (line.value.find_first_of("\n\r") != std::string::npos)
      top.fail(line.at, fmt::format("'{}' holds more than one line in one text", key));
    to.push_back(line.value);
  }
}

/// Whether the text is an ISA as flavors name them: an x86-64 level and what extends it, or Arm's.
bool is_isa(const std::string& text) {
  static const std::regex isa("v[2-4][a-z0-9]*|neon|sve(128|256|512|1024|2048)");
  return std::regex_match(text, isa);
}

}  // namespace

BatchMachine nodes_with_gpus(BatchMachine machine, int least_ranks) {
  machine.nodes = machine.gpu_nodes.value_or(machine.nodes);
  machine.cores = machine.gpu_cores.value_or(machine.cores);
  if (!machine.gpu_partition.empty()) {
    machine.partition = machine.gpu_partition;
    machine.ranks = std::min(std::max({1, machine.gpus, least_ranks}), machine.cores);
  }
  if (machine.gpu_ranks) machine.ranks = machine.gpu_ranks;
  return machine;
}

bool is_batch_word(std::string_view text) {
  constexpr std::string_view forbidden = " '\"$`\\;&|<>()*?[]{}#!";
  return !text.empty() && std::none_of(text.begin(), text.end(), [&](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f' || forbidden.find(c) != std::string_view::npos;
  });
}

BatchMachine read_batch_machine(const std::string& path) {
  const auto document = parse_toml(read_text(path, "machine file", "see jobs/slurm/machine.toml"), path);
  const WrittenTable top(document, path, "the machine file");
  const auto written = top.word("schema");
  if (!written || written->value != machine_schema)
    top.fail(written ? written->at : Location{1, 1},
             fmt::format("the first line of a machine file must be: schema = \"{}\"", machine_schema));
  top.allow_only(machine_keys.names());
  BatchMachine machine;
  take_word(top, "name", machine.name);
  take_word(top, "partition", machine.partition);
  take_word(top, "gpu_partition", machine.gpu_partition);
  take_word(top, "account", machine.account);
  take_word(top, "cluster", machine.cluster);
  take_word(top, "plumbline", machine.plumbline);
  take_word(top, "mpi", machine.mpi);
  take_word(top, "mpiexec", machine.mpiexec);
  if (const auto launcher = top.choice("launcher", {"srun", "mpiexec"})) machine.launcher = launcher->value;
  take_number(top, "nodes", 1, machine.nodes);
  take_number(top, "cores", 1, machine.cores);
  take_number(top, "gpus", 0, machine.gpus);
  for (const auto& [key, to] : {std::pair("ranks", &machine.ranks),
                                {"gpu_nodes", &machine.gpu_nodes},
                                {"gpu_cores", &machine.gpu_cores},
                                {"gpu_ranks", &machine.gpu_ranks},
                                {"start_minutes", &machine.start_minutes}})
    if (const auto number = top.integer(key, 1, most)) *to = static_cast<int>(number->value);
  if (machine.ranks && *machine.ranks > machine.cores)
    top.fail(top.at("ranks"), fmt::format("'ranks' is {}, but a node has {} cores", *machine.ranks, machine.cores));
  if (const int cores = machine.gpu_cores.value_or(machine.cores); machine.gpu_ranks.value_or(1) > cores)
    top.fail(top.at("gpu_ranks"), fmt::format("'gpu_ranks' is {}, but a node with GPUs has {} cores", *machine.gpu_ranks, cores));
  take_number(top, "sockets", 1, machine.sockets);
  machine.numa_domains = machine.sockets;
  take_number(top, "numa_domains", 1, machine.numa_domains);
  if (const auto number = top.positive("l3_mib")) machine.l3_mib = number->value;
  if (const auto number = top.positive("memory_gib")) machine.memory_gib = number->value;
  for (const auto& isa : top.words("isas", true)) {
    if (!is_isa(isa.value))
      top.fail(isa.at, fmt::format("'isas' names {}: it may hold v2, v3, v4 and what extends them (v4bf16), neon, sve128 to sve2048",
                                   in_quotes(isa.value)));
    machine.isas.push_back(isa.value);
  }
  if (const auto line = top.word("on_finding")) {
    if (line->value.find('\n') != std::string::npos) top.fail(line->at, "'on_finding' has more than one line: name a script that has them");
    machine.on_finding = line->value;
  }
  take_lines(top, "setup", machine.setup);
  take_lines(top, "options", machine.options);
  return machine;
}

}  // namespace plumbline
