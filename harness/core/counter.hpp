// A counter is an expression over a backend's events, and the quantities it claims to see.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// A term is one event of a counter, and what one count of it stands for (bytes, operations).
struct Term {
  std::string event = {};
  double weight = 1;
  std::string kind = {};  // of arithmetic that it counts: add, mul or fma; empty: another one, or several
};

/// Whether `kind` is one of the kinds that the FMA mix is made of (model/placement/fma_mix.hpp).
bool is_fma_mix_kind(std::string_view kind);

/// The convention by which a claim is held against the model.
enum class Convention {
  flow,  // what crosses a boundary, or the arithmetic as implemented: this harness's own model
  paper  // what the study that the kernel comes from calls exact
};
std::string_view to_string(Convention convention);

/// The kind of thing that a counter counts.
enum class Kind { flops, bytes, time };

/// An expression over events, and the quantities it claims to see: data, not code.
struct Counter {
  std::string name = {};
  std::string backend = {};
  std::vector<Term> terms = {};
  std::string over = {};                     // an event by whose count the sum is divided: cycles over cycles a second; empty: none
  std::vector<std::string> quantities = {};  // their sum is what it claims
  Convention convention = Convention::flow;
  Kind kind = Kind::bytes;
  bool exact = false;    // this harness's own witness: any deviation is a failed exactness check
  bool of_code = false;  // static: it counts code and measures nothing

  /// The claimed quantities as one text: "bytes.L1-L2.demand_read + rfo".
  std::string claim() const;
};

/// The events of the counter's terms in their order, then the event that their sum is divided by, if any.
std::vector<std::string> events_of(const Counter& counter);

}  // namespace plumbline
