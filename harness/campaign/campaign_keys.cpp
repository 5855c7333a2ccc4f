#include "campaign/campaign_keys.hpp"

namespace plumbline {

using namespace key_schema;

const WrittenKeys campaign_keys{
    "campaign",
    {{"schema", R"({"const":"plumbline-campaign/1"})", "what the file is", true},
     {"name", R"({"type":"string","pattern":"^[A-Za-z0-9_+][A-Za-z0-9._+-]*$"})",
      "names the result file; preset: the campaign file's name"},
     {"seed", from_0, "of the random order of cases"},
     {"order", R"({"enum":["random","written"]})", "order of the cases: random by the seed, or as the file has them"},
     {"passes",
      R"({"anyOf":[{"enum":["time","count"]},{"type":"array","items":{"enum":["time","count"]},"minItems":1,"uniqueItems":true}]})",
      "timing, counting or both"},
     {"counters", R"({"type":"string","minLength":1})", "auto, none, names separated by commas, or a chosen set (SET.toml)"},
     {"placement", R"({"enum":["every_node","distribute"]})", "each node measures all cases, or cases are spread over like nodes"},
     {"oversubscribe", flag, "teams larger than the node are allowed; their rows are flagged"},
     {"beyond_memory", R"({"enum":["refuse","skip"]})",
      "a case whose arrays do not fit into memory ends the run before it begins, or is skipped"},
     {"budget_seconds", positive, "about how long the run may take, in seconds"},
     {"timing", R"({"$ref":"#/$defs/timing"})", "when a time is known well enough"},
     {"counting", R"({"$ref":"#/$defs/counting"})", "how often cases are counted"},
     {"deadline", R"({"$ref":"#/$defs/deadline"})", "how long a case may take"},
     {"journal", R"({"$ref":"#/$defs/journal"})", "how often finished cases are made durable"},
     {"nodes", R"({"$ref":"#/$defs/nodes"})", "how nodes measure beside each other"},
     {"cases", R"({"type":"array","items":{"$ref":"#/$defs/cases"}})", "groups of cases"},
     {"ceilings", R"({"$ref":"#/$defs/ceilings"})", "which ceilings are measured"},
     {"emulated", R"({"$ref":"#/$defs/emulated"})", "the caches that emulated counters simulate"}}};

const WrittenKeys timing_keys{"timing",
                              {{"min_seconds", positive, "least duration of a sample, in seconds"},
                               {"ci_relative", positive, "half-width of the median's interval, as a part of it, at which repeating stops"},
                               {"max_repetitions", R"({"type":"integer","minimum":1,"maximum":1000000})", "repetitions at most"},
                               {"cold_l2", flag, "sweeps on GPUs begin with an L2 that holds nothing of their data"}}};

const WrittenKeys counting_keys{
    "counting",
    {{"repetitions", R"({"type":"integer","minimum":1,"maximum":1000})",
      "how often each group of events is counted where counts do not repeat exactly; preset: 5 on CPUs, 3 on GPUs"}}};

const WrittenKeys deadline_keys{"deadline",
                                {{"factor", R"({"type":"number","minimum":1})", "times its estimate that a case may take"},
                                 {"floor_seconds", positive, "time that each case has at least, in seconds"}}};

const WrittenKeys journal_keys{
    "journal", {{"sync_seconds", R"({"type":"number","minimum":0,"maximum":3600})", "seconds between two syncs; 0: after each case"}}};

const WrittenKeys nodes_keys{"nodes",
                             {{"turns", flag, "nodes wait for each other, so that like cases run at the same time"},
                              {"remeasure", flag, "what is suspicious of a node is measured again beside its peers"}}};

const WrittenKeys ceilings_keys{"ceilings",
                                {{"mode", R"({"enum":["quick","full","none"]})", "how many are measured"},
                                 {"only", words, "globs over the names of ceilings"},
                                 {"rounds", R"({"type":"integer","minimum":1,"maximum":1000})", "how often all are measured"},
                                 {"node_pairs", R"({"anyOf":[{"enum":["auto","none"]},{"type":"integer","minimum":1,"maximum":1048576}]})",
                                  "links between nodes: auto, none, or how many partners each node gets"},
                                 {"gpus", flag, "GPUs' ceilings are measured"}}};

const WrittenKeys emulated_keys{
    "emulated", {{"caches", R"({"type":"string","minLength":1})", "auto, topology, measured, none, a geometry's name or a FILE.toml"}}};

const WrittenKeys team_keys{
    "team",
    {{"ranks", R"({"anyOf":[{"const":"all"},{"type":"integer","minimum":1,"maximum":1048576}]})", "ranks of the team, or all"},
     {"threads", R"({"anyOf":[{"const":"all"},{"type":"integer","minimum":1,"maximum":1048576}]})",
      "threads of each rank, or all; beside gpus they do what a kernel leaves to the host"},
     {"gpus", R"({"anyOf":[{"const":"all"},{"type":"integer","minimum":1,"maximum":1048576}]})",
      "so many GPUs, each driven by a rank of its own, without ranks; or all"}}};

const WrittenKeys case_keys{
    "cases",
    {{"kernel", word, "a kernel's name (plumbline list kernels)", true},
     {"precision", words, "one or several of the kernel's precisions; preset: all"},
     {"flavor", words, "globs over flavors; preset: all"},
     {"team", R"({"anyOf":[{"$ref":"#/$defs/team"},{"type":"array","items":{"$ref":"#/$defs/team"},"minItems":1}]})",
      "teams that run the cases; preset: one rank of one thread"},
     {"params",
      R"({"type":"object","additionalProperties":{"anyOf":[{"$ref":"#/$defs/value"},{"type":"array","items":{"$ref":"#/$defs/value"}}]}})",
      "values of the kernel's parameters; all combinations are cases"},
     {"exclude", any_words, "globs over case ids that are left out"}}};

const WrittenKeys range_keys{
    "range",
    {{"from", R"({"type":"integer"})", "first value", true},
     {"to", R"({"type":"integer"})", "no value is greater", true},
     {"step", from_1, "each value is so much more than the one before"},
     {"factor", R"({"type":"number","minimum":1.01})", "each value is so many times the one before; not beside step"}}};

WrittenFile campaign_file() {
  return {"A campaign of plumbline run",
          {campaign_keys, timing_keys, counting_keys, deadline_keys, journal_keys, nodes_keys, ceilings_keys, emulated_keys, team_keys,
           case_keys, range_keys}};
}

// ------------------------------------------------------------------------------------------------------------------ machine

const WrittenKeys machine_keys{"machine",
                               {{"schema", R"({"const":"plumbline-machine/1"})", "what the file is", true},
                                {"name", word, "name of the machine"},
                                {"partition", word, "partition of the scheduler"},
                                {"gpu_partition", word, "partition of the nodes with GPUs"},
                                {"account", word, "account that is charged"},
                                {"nodes", from_1, "nodes"},
                                {"cores", from_1, "cores of a node"},
                                {"gpus", from_0, "GPUs of a node"},
                                {"ranks", from_1, "ranks of a node"},
                                {"gpu_nodes", from_1, "nodes with GPUs"},
                                {"gpu_cores", from_1, "cores of a node with GPUs"},
                                {"gpu_ranks", from_1, "ranks of a node with GPUs"},
                                {"sockets", from_1, "sockets of a node"},
                                {"l3_mib", positive, "size of a socket's last cache, in MiB"},
                                {"isas", any_words, "instruction sets of the nodes: v2, v3, v4, neon, sve256"},
                                {"numa_domains", from_1, "NUMA domains of a node"},
                                {"options", any_words, "more lines for the scheduler"},
                                {"start_minutes", from_1, "minutes that starting a job takes at most"},
                                {"setup", any_words, "lines of shell that stand before the program, such as module load"},
                                {"memory_gib", positive, "memory of a node, in GiB"},
                                {"plumbline", word, "the program on that machine"},
                                {"launcher", R"({"enum":["srun","mpiexec"]})", "what starts the ranks"},
                                {"mpi", word, "kind of MPI that srun is told"},
                                {"mpiexec", word, "MPI's own launcher"},
                                {"on_finding", word, "a command that is run where a night has a finding"},
                                {"cluster", word, "name of the cluster that nights are held against"}}};

WrittenFile machine_file() { return {"A machine, for the batch scripts of plumbline slurm", {machine_keys}}; }

// -------------------------------------------------------------------------------------------------------------- counter set

const WrittenKeys set_keys{
    "counter-set",
    {{"schema", R"({"const":"plumbline-counters/1"})", "what the file is", true},
     {"machine", word, "CPU that the counters were scored on", true},
     {"scored", word, "result file that they were scored by", true},
     {"counter", R"({"type":"array","items":{"$ref":"#/$defs/counter"},"minItems":1})", "the counters", true},
     {"group", R"({"type":"array","items":{"$ref":"#/$defs/group"}})", "counting passes"},
     {"uncovered", R"({"type":"array","items":{"$ref":"#/$defs/uncovered"}})", "what no counter is good enough for"}}};

const WrittenKeys set_counter_keys{
    "counter",
    {{"name", word, "name of the counter", true},
     {"backend", word, "what counts it", true},
     {"sees", words, "quantities whose sum it claims to see", true},
     {"terms", R"({"type":"array","items":{"$ref":"#/$defs/term"},"minItems":1})", "its events, weighted", true},
     {"grade", R"({"enum":["A","B","C"]})", "its grade", true},
     {"factor", positive, "its counts times this are the exact amount", true},
     {"offset", number, "what it counts of nothing, of which bytes or operations are left over"},
     {"offset_least", number, "lower end of the offset's interval"},
     {"offset_most", number, "upper end of the offset's interval"},
     {"offset_per", R"({"enum":["team","rank","thread"]})", "whose the offset is"},
     {"good_up_to", positive, "amount up to which it is good"},
     {"ratio_least", positive, "least ratio of its calibrated counts to the exact amount", true},
     {"ratio_most", positive, "greatest ratio of its calibrated counts to the exact amount", true},
     {"cases", from_1, "cases that it was scored by", true},
     {"evidence", word, "its evidence in words", true}}};

const WrittenKeys set_term_keys{"term",
                                {{"event", word, "name of the event", true},
                                 {"weight", number, "how much one count of it is", true},
                                 {"kind", R"({"enum":["add","mul","fma"]})", "kind of arithmetic that it counts"}}};

const WrittenKeys set_group_keys{
    "group", {{"backend", word, "what counts the events", true}, {"events", words, "events that are counted together", true}}};

const WrittenKeys set_uncovered_keys{
    "uncovered", {{"quantity", word, "what is not covered", true}, {"reason", word, "why no counter is good enough", true}}};

WrittenFile counter_set_file() {
  return {"Counters that plumbline score chose", {set_keys, set_counter_keys, set_term_keys, set_group_keys, set_uncovered_keys}};
}

}  // namespace plumbline
