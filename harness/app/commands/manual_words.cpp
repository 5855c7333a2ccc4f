#include "app/commands/manual_words.hpp"

namespace plumbline::app {

std::vector<ManualEntry> exit_codes() {
  return {
      {"0", "ok"},
      {"1", "an I/O error (a full disk, unwritable output), or a case failed"},
      {"2", "something the user wrote is wrong: flags, a campaign, a missing, foreign or truncated file, sizes beyond memory, zero ranks"},
      {"3", "a regression (check), or a node worse than like ones (run, nodes, health)"},
      {"4", "a result check or an exactness check failed"},
      {"75", "stopped early; resumable"},
  };
}

std::vector<ManualEntry> environment() {
  return {
      {"PLUMBLINE_EVENTS_PATH", "event tables of your own: files and folders, separated by colons"},
      {"PLUMBLINE_CUPTI_PATH",
       "the folder of NVIDIA's libcupti, if not beside the program, in a CUDA toolkit (the one that it was built with, CUDA_HOME, "
       "/usr/local/cuda), "
       "among Python's packages or on the loader's path"},
      {"PLUMBLINE_CUDA_CODE_PATH", "the folder of the disassembled module for GPUs, if not beside the module"},
      {"PLUMBLINE_EMULATOR_DIR", "the folder of the emulator, if not ../lib/plumbline/valgrind beside the program's folder"},
      {"PLUMBLINE_SHARE", "a folder that is searched before ../share/plumbline for campaigns, tables and the Python package"},
      {"PLUMBLINE_PYTHON",
       "the Python 3 that draws for report, if not python3 beside the program (where pip has installed both) or /usr/bin/python3"},
      {"PLUMBLINE_MPI",
       "where the program opens its MPI when it is launched (the bundle): mpich, openmpi, or the absolute path of the library; without a "
       "word the "
       "launcher decides"},
      {"PLUMBLINE_CLUSTER", "the cluster's name in results, if Slurm (SLURM_CLUSTER_NAME) does not say it"},
  };
}

std::vector<ManualEntry> files() {
  return {
      {"../share/plumbline/jobs/campaigns", "campaigns that come along"},
      {"../share/plumbline/jobs/expectations", "what papers say, for plumbline expect"},
      {"../share/plumbline/harness/counters/events", "event tables"},
  };
}

}  // namespace plumbline::app
