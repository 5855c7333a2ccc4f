#include "measure/queued_time.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace plumbline {

CpuTime cpu_time(int process, const std::filesystem::path& root) {
  std::ifstream file(root / "proc" / std::to_string(process) / "schedstat");
  double run_ns = 0, queued_ns = 0;
  if (!(file >> run_ns >> queued_ns)) return {};
  return {.run_seconds = run_ns * 1e-9, .queued_seconds = queued_ns * 1e-9};
}

double share_since(const CpuTime& before, const CpuTime& now) {
  const double run = now.run_seconds - before.run_seconds, queued = now.queued_seconds - before.queued_seconds;
  return run + queued > 0 && queued >= 0 && run >= 0 ? run / (run + queued) : 1;
}

std::vector<int> own_children() {
  const std::string self = std::to_string(getpid());
  std::ifstream file("/proc/" + self + "/task/" + self + "/children");
  std::vector<int> children;
  for (int process = 0; file >> process;) children.push_back(process);
  return children;
}

}  // namespace plumbline
