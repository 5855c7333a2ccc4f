// The ceilings under which a program is placed are measured once for this machine and kept, or come from a file that the user names.
#pragma once
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline::app {

struct Roofs {
  Results results;                 // ceilings and machines; empty where there are none
  std::vector<std::string> notes;  // file, age, conditions
  int interrupted = 0;             // the signal that ended the measuring; 0: none
};

/// `wanted`: auto (kept ones, else measured and kept), measure (always), no, or a result file. Throws Error (user) where a named file has
/// no ceilings; where measuring fails the notes say so, and there are no roofs.
Roofs find_roofs(const std::string& wanted);

}  // namespace plumbline::app
