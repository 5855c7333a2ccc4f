// Nights and turns that were never measured, as real ones are: how often `check` and `nodes` name what did not change, and find what did.
#pragma once
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace plumbline::simulated {

/// A node's nights with as many rows as `quick` has. A night differs by what the whole node has (which wanders), by what a row has
/// (Student's t 0.5 to 1.5 %: normal, or Student's t of few degrees of freedom), and on a busy host by what others did beside single rows.
struct Host {
  std::size_t rows = 165;
  int freedom = 0;                                // of Student's t; 0: normal
  double disturbed_part = 0, disturbed_by = 0.2;  // of the rows each night, by so much: another set every night
  double seen = 0;                                // the part of the disturbances that the repetitions' CPU share tells
};

/// A host through its nights, one after the other.
class Machine {
 public:
  Machine(const Host& host, unsigned seed) : host_(host), random_(seed), heavy_(host.freedom > 0 ? host.freedom : 1) {}

  struct Row {
    double cost = 0;  // a logarithm
    bool seen_disturbed = false;
  };
  std::vector<Row> night();

 private:
  Host host_;
  std::mt19937 random_;
  std::student_t_distribution<double> heavy_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> even_;
  double drift_ = 0;
};

/// The things that became slower, in the last night and those after it.
enum class Slow { nothing, row, node };

struct Nights {
  int before = 7;         // baseline nights
  int slow_for = 1;       // nights since something became slower, each held against those before; found in any of them is found
  double slowdown = 0.1;  // a part
  Slow what = Slow::nothing;
};

struct Found {
  std::size_t trials = 0;
  std::size_t false_exits = 0;  // trials in which a row that did not change, or the node, is SLOWER in the last night
  std::size_t found = 0;        // trials in which what changed is SLOWER
  std::size_t suspect = 0;      // rows that are suspect and did not change, in the last night
  std::size_t disturbed = 0;    // rows that are held against nobody
};

Found nights(const Host& host, const Nights& nights, unsigned first_seed, unsigned trials);

/// Turns of one thing on a suspect and its peers: the ratios' noise is normal, and each turn's is `correlation` times the last one's beside
/// its own.
struct Turns {
  std::size_t turns = 15;
  double noise = 0.1, correlation = 0, slowdown = 0;
  double tail = 0.05 / 9, threshold = 0.05;
};

/// The part of the trials in which the node is named.
double named(const Turns& turns, unsigned first_seed, unsigned trials);

}  // namespace plumbline::simulated
