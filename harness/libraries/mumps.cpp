#include "libraries/mumps.hpp"

#include <stdexcept>

#if __has_include(<dmumps_c.h>)
#include <dlfcn.h>
#include <dmumps_c.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "core/shared_library.hpp"
#include "libraries/openblas.hpp"

namespace plumbline {
namespace {

struct MumpsLibrary {
  decltype(&::dmumps_c) call = nullptr;
  Mumps seen;
};

/// Opens the version of which the header is, and says why there is none.
std::string open_mumps(MumpsLibrary& library) {
  openblas();  // which is told its kernels before MUMPS's BLAS, where it is that, chooses them
  const std::string_view version = MUMPS_VERSION;
  const std::string name = "libdmumps_seq-" + std::string(version.substr(0, version.rfind('.'))) + ".so";
  const auto [handle, why] = open_library(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return "MUMPS without MPI cannot be opened: " + why + " (Debian: apt-get install libmumps-seq-dev)";
  library.call = reinterpret_cast<decltype(library.call)>(dlsym(handle, "dmumps_c"));
  if (library.call == nullptr) return name + " has no dmumps_c";
  library.seen.version = version;
  return "";
}

const MumpsLibrary& opened_mumps() {
  static const MumpsLibrary opened = [] {
    MumpsLibrary made;
    made.seen.absent = open_mumps(made);
    return made;
  }();
  return opened;
}

/// The numbers of MUMPS's manual count from 1.
template <class Number>
Number& element(Number* array, int number) {
  return array[number - 1];
}

enum Job { begin_use = -1, end_use = -2, analyse = 1, eliminate = 2, substitute = 3 };
constexpr MUMPS_INT only_process = -987654;  // MUMPS's word for MPI_COMM_WORLD

}  // namespace

struct MumpsSystem::Parts {
  DMUMPS_STRUC_C of_mumps{};
  std::vector<MUMPS_INT> rows, columns, own_order;
  std::vector<double> values, workspace;
  bool has_factors = false;

  /// Gives MUMPS the memory for fronts and factors that it expects to need, and half as much again: so each factorization lies where the
  /// one before did.
  void give_workspace() {
    const double expected = element(of_mumps.info, 8);  // negative: in millions
    workspace.resize(static_cast<std::size_t>(1.5 * (expected < 0 ? -1e6 * expected : expected)));
    const std::size_t millions = workspace.size() / 1000000;
    of_mumps.wk_user = workspace.data();
    of_mumps.lwk_user = millions > 1000 ? -static_cast<MUMPS_INT>(millions) : static_cast<MUMPS_INT>(workspace.size());
  }
  /// Runs a job. Throws std::runtime_error where MUMPS says that it failed.
  void run(Job job) {
    of_mumps.job = job;
    opened_mumps().call(&of_mumps);
    const int found = element(of_mumps.infog, 1);
    if (found >= 0) return;
    const std::string who = "MUMPS " + mumps().version + ", a matrix of " + std::to_string(own_order.size()) +
                            " rows: INFOG(1) = " + std::to_string(found) + ", INFOG(2) = " + std::to_string(element(of_mumps.infog, 2));
    if (found == -6 || found == -10) throw std::runtime_error(who + ": the matrix is singular: no system of it can be solved");
    throw std::runtime_error(who + ": job " + std::to_string(job) + " failed; its manual says what that is");
  }
  ~Parts() {
    of_mumps.job = end_use;
    if (!own_order.empty()) opened_mumps().call(&of_mumps);
  }
};

MumpsSystem::MumpsSystem(std::span<const double> values, std::span<const std::int32_t> columns, std::span<const std::size_t> starts)
    : parts_(std::make_unique<Parts>()) {
  if (!mumps().absent.empty()) throw std::runtime_error(mumps().absent);
  Parts& p = *parts_;
  for (std::size_t row = 0; row + 1 < starts.size(); ++row)
    p.rows.insert(p.rows.end(), starts[row + 1] - starts[row], static_cast<MUMPS_INT>(row + 1));
  for (const std::int32_t column : columns) p.columns.push_back(static_cast<MUMPS_INT>(column + 1));
  p.values.assign(values.begin(), values.end());
  p.own_order.resize(starts.size() - 1);
  std::iota(p.own_order.begin(), p.own_order.end(), 1);
  p.of_mumps.par = 1, p.of_mumps.sym = 0, p.of_mumps.comm_fortran = only_process;
  p.run(begin_use);
  for (const int printed : {1, 2, 3, 4}) element(p.of_mumps.icntl, printed) = 0;
  element(p.of_mumps.icntl, 6) = 0;  // no permutation that makes the diagonal large
  element(p.of_mumps.icntl, 7) = 1;  // the order is ours
  element(p.of_mumps.icntl, 8) = 0;  // no scaling
  element(p.of_mumps.cntl, 1) = 0;   // no exchange for a larger pivot
  p.of_mumps.n = static_cast<MUMPS_INT>(p.own_order.size());
  p.of_mumps.nnz = static_cast<MUMPS_INT8>(p.values.size());
  p.of_mumps.irn = p.rows.data(), p.of_mumps.jcn = p.columns.data(), p.of_mumps.a = p.values.data();
  p.of_mumps.perm_in = p.own_order.data();
  p.run(analyse);
  p.give_workspace();
}

MumpsSystem::~MumpsSystem() = default;

void MumpsSystem::factor() {
  parts_->has_factors = false;
  parts_->run(eliminate);
  parts_->has_factors = true;
}

void MumpsSystem::solve(std::span<const double> right, std::span<double> solution) {
  if (!parts_->has_factors) throw std::runtime_error("MUMPS: a system is solved by its factors, of which there are none yet");
  std::copy(right.begin(), right.end(), solution.begin());
  parts_->of_mumps.rhs = solution.data();
  parts_->run(substitute);
}

double MumpsSystem::expected_flops() const { return element(parts_->of_mumps.rinfog, 1); }
double MumpsSystem::workspace_bytes() const { return static_cast<double>(parts_->workspace.size() * sizeof(double)); }
double MumpsSystem::factor_flops() const { return element(parts_->of_mumps.rinfog, 2) + element(parts_->of_mumps.rinfog, 3); }
double MumpsSystem::expected_entries() const {
  const double entries = element(parts_->of_mumps.infog, 20);
  return entries < 0 ? -1e6 * entries : entries;
}

const Mumps& mumps() { return opened_mumps().seen; }

}  // namespace plumbline

#else

namespace plumbline {

struct MumpsSystem::Parts {};
MumpsSystem::MumpsSystem(std::span<const double>, std::span<const std::int32_t>, std::span<const std::size_t>) {
  throw std::runtime_error(mumps().absent);
}
MumpsSystem::~MumpsSystem() = default;
void MumpsSystem::factor() { throw std::runtime_error(mumps().absent); }
void MumpsSystem::solve(std::span<const double>, std::span<double>) { throw std::runtime_error(mumps().absent); }
double MumpsSystem::expected_flops() const { return 0; }
double MumpsSystem::workspace_bytes() const { return 0; }
double MumpsSystem::factor_flops() const { return 0; }
double MumpsSystem::expected_entries() const { return 0; }

const Mumps& mumps() {
  static const Mumps none{.absent = "this program was built without MUMPS's header dmumps_c.h (Debian: apt-get install libmumps-seq-dev)",
                          .version = ""};
  return none;
}

}  // namespace plumbline

#endif
