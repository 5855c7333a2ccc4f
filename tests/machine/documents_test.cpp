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
  for (const char* key : {"thp", "governor", "smt", "valgrind", "perf_event_paranoid"}) {
    EXPECT_TRUE(document.at(key).is_null()) << key;
    EXPECT_FALSE(document.at("absent").at(key).get<std::string>().empty()) << key;
  }
}

/// Every null of the object, and of those inside it, has its reason beside it; no text is empty.
void expect_reasons(const json& object, const std::string& where) {
  for (const auto& [name, value] : object.items()) {
    const std::string here = where + "/" + name;
    if (value.is_object()) expect_reasons(value, here);
    const bool says_nothing = value.is_string() && value.get<std::string>().empty();
    EXPECT_FALSE(says_nothing) << here;
    const bool without_reason = value.is_null() && !(object.contains("absent") && object["absent"].contains(name));
    EXPECT_FALSE(without_reason) << here;
  }
}

TEST(machine_json, whatever_is_null_says_why) {
  const auto document = json::parse(machine_json("nodeA", this_topology(), this_cpu(), this_node_state()));
  expect_reasons(document, "");
  EXPECT_TRUE(document.at("system").at("kernel_release").is_string());
  EXPECT_FALSE(document.at("libraries").empty());
}

TEST(provenance, whatever_is_null_says_why) { expect_reasons(json::parse(provenance_json("MPICH Version: 4.0.2")), ""); }

TEST(provenance, tells_what_mpich_talks_through) {
  const auto document = json::parse(provenance_json("MPICH Version:   4.0.2\nMPICH Device:    ch4:ucx\nMPICH configure: --secret"));
  EXPECT_EQ(document.at("mpi"), "MPICH Version:   4.0.2");
  EXPECT_EQ(document.at("mpi_device"), "ch4:ucx");
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

TEST(provenance, tells_which_gpus_the_process_may_use_and_who_drives_them) {
  setenv("CUDA_VISIBLE_DEVICES", "MIG-1234", 1);
  setenv("NVIDIA_VISIBLE_DEVICES", "all", 1);
  const auto document = json::parse(provenance_json(""));
  EXPECT_EQ(document.at("gpu_environment"), json({{"CUDA_VISIBLE_DEVICES", "MIG-1234"}, {"NVIDIA_VISIBLE_DEVICES", "all"}}));
  EXPECT_TRUE(document.at("gpu_driver").is_object() || !document.at("absent").at("gpu_driver").get<std::string>().empty());
  unsetenv("CUDA_VISIBLE_DEVICES");
  unsetenv("NVIDIA_VISIBLE_DEVICES");
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
