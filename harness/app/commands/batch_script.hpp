// A campaign becomes a job for Slurm: this is the script's text. Pure.
#pragma once
#include <string>
#include <vector>

#include "campaign/batch_machine.hpp"

namespace plumbline::app {

/// The purpose of a job.
enum class BatchKind { node, partition, gpu, validation, nightly };

struct BatchKindName {
  BatchKind kind;
  std::string name, title;
};
const std::vector<BatchKindName>& batch_kinds();

struct BatchJob {
  BatchKind kind = BatchKind::node;
  std::string command;         // that wrote it
  std::string campaign, name;  // the campaign's file, and its name
  BatchMachine machine;
  bool wants_gpus = false;  // the campaign has cases for them
  int minutes = 30;         // asked for
  std::string minutes_why;  // where that comes from
  int signal_seconds = 120;
};

/// The nodes that a job of that kind asks for, and the fewest with which it starts: half of them. From a range from 1 node on Slurm (22.05)
/// gives no more nodes than a node has tasks, although others are free; from 2 on it gives all.
int nodes_of(BatchKind kind, const BatchMachine& machine);
int least_nodes_of(BatchKind kind, const BatchMachine& machine);

/// The script of a job, clean by shellcheck; nothing of the environment stands in it.
std::string batch_script(const BatchJob& job);

}  // namespace plumbline::app
