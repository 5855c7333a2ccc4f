// A batch job must know its machine: what to ask Slurm for, and how its nodes are made, for estimates. jobs/slurm/README.md has every key.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct BatchMachine {
  std::string name, partition, gpu_partition, account;  // empty: Slurm's presets; the nodes with GPUs are in `partition`
  std::string cluster;                                  // what results say they were measured on; empty: as Slurm names it
  int nodes = 1, cores = 1, gpus = 0;                   // of the partition; of a node
  std::optional<int> ranks;                             // of a node; nullopt: one a core
  std::optional<int> gpu_nodes, gpu_cores, gpu_ranks;   // where GPUs are; nullopt: as above, but in a `gpu_partition` one rank a GPU
  std::optional<int> start_minutes;                     // of a job, before it measures; nullopt: by its ranks
  int sockets = 1, numa_domains = 1;
  double l3_mib = 32, memory_gib = 64;
  std::vector<std::string> isas;                                                     // empty: those of the CPU that writes the script
  std::string plumbline = "plumbline", launcher = "srun", mpi, mpiexec = "mpiexec";  // mpi empty: the site's
  std::string on_finding;  // of the nightly job: a shell line that hears of findings (plumbline check --on-finding); empty: none
  std::vector<std::string> setup, options;  // shell lines before the run; further words for #SBATCH lines
};

/// The same machine as a job on its nodes with GPUs sees it, which needs `least_ranks` of a node.
BatchMachine nodes_with_gpus(BatchMachine machine, int least_ranks);

/// Whether the text may stand unquoted in a line of a script and of #SBATCH: not empty, nothing that a shell or Slurm would split or read.
bool is_batch_word(std::string_view text);

/// Reads a machine's TOML file. Throws Error (user) with line and column.
BatchMachine read_batch_machine(const std::string& path);

}  // namespace plumbline
