#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "machine/machine_json.hpp"
#include "machine/provenance.hpp"

namespace plumbline {
namespace {

using nlohmann::json;

TEST(machine_json, has_the_documented_keys) {
  const auto document = json::parse(machine_json("nodeA", this_topology(), this_cpu(), this_node_state()));
  EXPECT_EQ(document.at("node"), "nodeA");
  for (const char* key : {"vendor", "family", "model", "name", "isa"}) EXPECT_TRUE(document.at("cpu").contains(key)) << key;
  for (const auto& cache : document.at("caches"))
    for (const char* key : {"level", "bytes", "ways", "line_bytes", "shared_by_cpus"}) EXPECT_TRUE(cache.at(key).is_number()) << key;
  for (const char* key : {"cores", "pus", "packages", "numa_nodes", "memory_bytes", "memory_available_bytes"})
    EXPECT_GT(document.at(key).get<double>(), 0) << key;
}

TEST(machine_json, what_the_system_does_not_say_is_null_not_zero) {
  const auto document = json::parse(machine_json("nodeA", this_topology(), this_cpu(), NodeState{}));
  for (const char* key : {"thp", "governor", "smt", "valgrind", "perf_event_paranoid"}) EXPECT_TRUE(document.at(key).is_null()) << key;
}

TEST(provenance, names_program_build_machine_and_job) {
  setenv("SLURM_JOB_ID", "4711", 1);
  const auto document = json::parse(provenance_json("MPICH Version: 4.0.2"));
  EXPECT_EQ(document.at("mpi"), "MPICH Version: 4.0.2");
  EXPECT_EQ(document.at("slurm").at("SLURM_JOB_ID"), "4711");
  EXPECT_FALSE(document.at("build").at("flavors").empty());
  for (const auto& [flavor, command] : document.at("build").at("flavors").items())
    EXPECT_NE(command.get<std::string>().find("-O"), std::string::npos) << flavor;
  for (const char* key :
       {"plumbline", "git", "host", "kernel", "cpu", "microcode", "mitigations", "smt", "thp", "affinity", "command", "time_utc"})
    EXPECT_TRUE(document.contains(key)) << key;
  EXPECT_FALSE(document.at("command").empty());
  unsetenv("SLURM_JOB_ID");
}

TEST(provenance, holds_no_variable_that_is_not_named) {
  setenv("SLURM_JWT", "secret-4242", 1);
  setenv("MY_TOKEN", "secret-4242", 1);
  EXPECT_EQ(provenance_json("").find("secret-4242"), std::string::npos);
  unsetenv("SLURM_JWT");
  unsetenv("MY_TOKEN");
}

}  // namespace
}  // namespace plumbline
