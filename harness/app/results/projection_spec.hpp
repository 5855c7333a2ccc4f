// The two files a projection can be told by hand: a node's ceilings (spec.toml) and a program's groups (app.toml).
//
//   schema = "plumbline-spec/1"                       schema = "plumbline-app/1"
//   name = "XE (dual Interlagos)"                     name = "SETSM"
//   measured_seconds = 1603.0  # a target's truth     covered_fraction = 0.846   # preset: from the seconds
//   [[ceilings]]                                      rest_seconds = 464.1       # not covered by the groups
//   name = "mem"                                      [[groups]]
//   value = 59.6                                      name = "U/VLL"
//   unit = "GB/s"                                     seconds = 997.6
//   scope = "node"       # node | numa | core | gpu   kind = "threaded"          # held to the node; serial: to a NUMA domain; gpu: to a
//   GPU method = "STREAM"                                 bound = "mem"              # preset
//
// A spec may carry the keys and [[groups]] of an app too.
#pragma once
#include <string>

#include "core/text/written_keys.hpp"
#include "model/placement/projection.hpp"

namespace plumbline::app {

struct ProjectionSpec {
  NodeSpec node;
  Application application;  // without groups where the file has none
};

/// Reads a spec. Throws Error (user) with line and column.
ProjectionSpec read_spec(const std::string& path);
Application read_application(const std::string& path);

/// The keys of both.
WrittenFile spec_file();
WrittenFile app_file();

}  // namespace plumbline::app
