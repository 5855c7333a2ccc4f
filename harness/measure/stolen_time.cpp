#include "measure/stolen_time.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace plumbline {

StolenTime stolen_time(std::span<const int> cpus, const std::filesystem::path& root) {
  const std::filesystem::path path = root / "proc/stat";
  std::ifstream file(path);
  if (!file) return {.why_not = path.string() + " cannot be read"};
  double ticks = 0;
  std::size_t found = 0;
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream fields(line);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    fields >> name;
    const auto is_this = [&](int cpu) { return name == "cpu" + std::to_string(cpu); };
    if (std::none_of(cpus.begin(), cpus.end(), is_this)) continue;
    if (!(fields >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal))
      return {.why_not = path.string() + " has no stolen time for " + name};
    ticks += steal;
    ++found;
  }
  if (found != cpus.size()) return {.why_not = path.string() + " lacks some of the CPUs"};
  return {.seconds = ticks / static_cast<double>(sysconf(_SC_CLK_TCK))};
}

}  // namespace plumbline
