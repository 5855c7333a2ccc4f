// A machine as a batch job must know it: what to ask Slurm for, and how its nodes are made, for estimates. jobs/slurm/README.md has every
// key.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct BatchMachine {
  std::string name, partition, gpu_partition, account;  // empty: Slurm's presets
  int nodes = 1, cores = 1, gpus = 0;                   // of the partition; of a node
  std::optional<int> ranks;                             // of a node; nullopt: one a core
  int sockets = 1, numa_domains = 1;
  double l3_mib = 32, memory_gib = 64;
  std::vector<std::string> isas;  // empty: those of the CPU that writes the script
  std::string plumbline = "plumbline", launcher = "srun", mpi = "pmi2", mpiexec = "mpiexec";
  std::vector<std::string> setup, options;  // shell lines before the run; further words for #SBATCH lines
};

/// What may stand unquoted in a line of a script and of #SBATCH: not empty, nothing that a shell or Slurm would split or read.
bool is_batch_word(std::string_view text);

/// Throws Error (user) with line and column.
BatchMachine read_batch_machine(const std::string& path);

}  // namespace plumbline
