// SPDX-License-Identifier: BSD-3-Clause
//
// placed_reuse REPORT SIZE,WAYS...: the emulator's reuse distances of each region, placed on caches: a JSON line for each region and cache.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "profile/tool_report.hpp"

int main(int argc, char** argv) {
  const plumbline::ToolReport report = plumbline::read_tool_report(argv[1]);
  for (int k = 2; k < argc; ++k) {
    unsigned long bytes = 0;
    unsigned ways = 0;
    if (std::sscanf(argv[k], "%lu,%u", &bytes, &ways) != 2) return 2;
    const plumbline::CacheLevel cache{.name = argv[k], .bytes = bytes, .ways = ways};
    for (const plumbline::RegionReport& region : report.regions) {
      if (!region.reuse) return 1;
      const plumbline::CacheTraffic traffic = traffic_below(*region.reuse, static_cast<double>(bytes));
      std::puts(nlohmann::json{{"region", region.name},
                               {"cache", argv[k]},
                               {"demand_read", traffic.demand_read_bytes},
                               {"rfo", traffic.rfo_bytes},
                               {"write_back", traffic.write_back_bytes},
                               {"may_conflict", may_conflict(*region.reuse, cache)}}
                    .dump()
                    .c_str());
    }
  }
}
