#include "app/results/machine_table.hpp"

#include <gtest/gtest.h>

namespace plumbline::app {
namespace {

constexpr const char* with_gpus = R"({"node":"n0","cores":4,"allowed_cpus":[0,1,2],"libraries":[],
  "gpus":[{"pci":"0000:17:00.0","name":"GH100","numa_node":0,"driver":{"ecc_mode":"enabled","nvlinks":null,"absent":{"nvlinks":"not supported"}}},
          {"pci":"0000:9a:00.0","name":"GH100","numa_node":null,"driver":null,"absent":{"numa_node":"nobody says","driver":"not shown"}}]})";

TEST(machine_text, of_each_gpu_one_line_for_the_bus_and_one_for_each_fact_of_its_driver) {
  EXPECT_EQ(machine_text(std::vector<MachineRow>{{"n0", with_gpus}}),
            "n0\n"
            "  cores: 4\n"
            "  allowed_cpus: 0 1 2\n"
            "  libraries: none\n"
            "  gpus 0: pci 0000:17:00.0, name GH100, numa_node 0\n"
            "  gpus 0 driver ecc_mode: enabled\n"
            "  gpus 1: pci 0000:9a:00.0, name GH100\n"
            "  not known:\n"
            "  gpus 0 driver nvlinks: not supported\n"
            "  gpus 1 numa_node: nobody says\n"
            "  gpus 1 driver: not shown\n");
}

TEST(machine_text, no_name_or_value_of_a_foreign_document_moves_the_cursor) {
  const auto text = machine_text(std::vector<MachineRow>{{"n0", R"({"a\u001b[1m":"b\nc","d":["\u001b"]})"}});
  EXPECT_EQ(text, "n0\n  a\\x1b[1m: b\\nc\n  d: \\x1b\n");
}

TEST(provenance_text, tells_program_and_job_but_not_the_node_again_and_why_what_is_not_there_is_missing) {
  const Json provenance = Json::parse(
      R"({"plumbline":"1","build":{"flags":"-O3"},"mitigations":{"mds":"x"},"events":[{"a":1}],"slurm":{},"absent":{"slurm":"not in a job"}})");
  EXPECT_EQ(provenance_text(provenance),
            "program and job, as rank 0 found them\n  plumbline: 1\n  build flags: -O3\n  not known:\n  slurm: not in a job\n");
}

TEST(provenance_text, what_cannot_be_read_is_told) {
  EXPECT_EQ(provenance_text(Json()), "provenance: the file has none that is readable\n");
}

}  // namespace
}  // namespace plumbline::app
