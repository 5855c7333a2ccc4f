#include "libraries/superlu.hpp"

#include <stdexcept>

#if __has_include(<slu_ddefs.h>)
#include <dlfcn.h>
#include <slu_ddefs.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "core/shared_library.hpp"
#include "libraries/openblas.hpp"

namespace plumbline {
namespace {

#define PLUMBLINE_SUPERLU(each)                                                                                    \
  each(set_default_options) each(StatInit) each(StatFree) each(dgstrf) each(dgstrs) each(Destroy_SuperNode_Matrix) \
      each(Destroy_CompCol_Matrix)

struct SuperLuLibrary {
#define PLUMBLINE_SUPERLU_DECLARE(name) decltype(&::name) name = nullptr;
  PLUMBLINE_SUPERLU(PLUMBLINE_SUPERLU_DECLARE)
#undef PLUMBLINE_SUPERLU_DECLARE
  SuperLu seen;
};

/// Opens the version of which the header is, and says why there is none.
std::string open_superlu(SuperLuLibrary& library) {
  openblas();  // which is told its kernels before SuperLU's BLAS, where it is that, chooses them
  const std::string name = "libsuperlu.so." + std::to_string(SUPERLU_MAJOR_VERSION);
  const auto [handle, why] = open_library(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return "SuperLU cannot be opened: " + why + " (Debian: apt-get install libsuperlu-dev)";
  std::string missing;
#define PLUMBLINE_SUPERLU_FIND(name)                                             \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, #name)); \
  if (library.name == nullptr) missing = #name;
  PLUMBLINE_SUPERLU(PLUMBLINE_SUPERLU_FIND)
#undef PLUMBLINE_SUPERLU_FIND
  if (!missing.empty()) return name + " has no " + missing;
  const auto text = [](int number) { return std::to_string(number); };
  library.seen.version = text(SUPERLU_MAJOR_VERSION) + "." + text(SUPERLU_MINOR_VERSION) + "." + text(SUPERLU_PATCH_VERSION);
  return "";
}

const SuperLuLibrary& opened_superlu() {
  static const SuperLuLibrary opened = [] {
    SuperLuLibrary made;
    made.seen.absent = open_superlu(made);
    return made;
  }();
  return opened;
}

/// A large piece that is given back teaches malloc to keep such pieces (mallopt(3), M_MMAP_THRESHOLD): so a factorization finds its memory
/// where the one before had it, and not the system's zeroed pages. Nothing of the piece is touched.
void let_malloc_keep_large_pieces() {
  constexpr std::size_t largest_kept = (std::size_t{32} << 20) - (std::size_t{1} << 16);
  void* volatile piece = std::malloc(largest_kept);
  std::free(piece);
}

/// The statistics are what SuperLU writes down of one call.
class Statistics {
 public:
  Statistics() { opened_superlu().StatInit(&kept_); }
  Statistics(const Statistics&) = delete;
  Statistics& operator=(const Statistics&) = delete;
  ~Statistics() { opened_superlu().StatFree(&kept_); }
  SuperLUStat_t* get() { return &kept_; }
  double flops(PhaseType phase) const { return static_cast<double>(kept_.ops[phase]); }

 private:
  SuperLUStat_t kept_{};
};

}  // namespace

struct SuperLuSystem::Parts {
  std::vector<double> values;
  std::vector<int_t> rows, begins, ends;  // SuperLU's form of a matrix whose columns it may have exchanged
  std::vector<int> parents, own_order, pivots;
  NCPformat columns{};
  SuperMatrix matrix{}, lower{}, upper{};
  GlobalLU_t workspace{};
  superlu_options_t options{};
  bool has_factors = false;
  double factor_flops = 0, solve_flops = 0;

  int size() const { return static_cast<int>(own_order.size()); }
  void drop_factors() {
    if (!std::exchange(has_factors, false)) return;
    opened_superlu().Destroy_SuperNode_Matrix(&lower);
    opened_superlu().Destroy_CompCol_Matrix(&upper);
  }
  ~Parts() { drop_factors(); }
};

SuperLuSystem::SuperLuSystem(std::span<const double> values, std::span<const std::int32_t> rows, std::span<const std::size_t> starts,
                             std::span<const std::int32_t> parents)
    : parts_(std::make_unique<Parts>()) {
  if (!superlu().absent.empty()) throw std::runtime_error(superlu().absent);
  let_malloc_keep_large_pieces();
  Parts& p = *parts_;
  const std::size_t n = parents.size();
  p.values.assign(values.begin(), values.end());
  p.rows.assign(rows.begin(), rows.end());
  for (const std::size_t start : starts) p.begins.push_back(static_cast<int_t>(start));
  p.ends.assign(p.begins.begin() + 1, p.begins.end());
  for (const std::int32_t parent : parents) p.parents.push_back(parent == -1 ? static_cast<int>(n) : parent);
  p.own_order.resize(n), p.pivots.resize(n);
  std::iota(p.own_order.begin(), p.own_order.end(), 0);
  p.columns = {.nnz = static_cast<int_t>(values.size()),
               .nzval = p.values.data(),
               .rowind = p.rows.data(),
               .colbeg = p.begins.data(),
               .colend = p.ends.data()};
  p.matrix = {.Stype = SLU_NCP, .Dtype = SLU_D, .Mtype = SLU_GE, .nrow = p.size(), .ncol = p.size(), .Store = &p.columns};
  opened_superlu().set_default_options(&p.options);
  p.options.SymmetricMode = YES;  // pivots are of the diagonal, and the tree is that of the pattern with its transpose added
  p.options.DiagPivotThresh = 0;
}

SuperLuSystem::~SuperLuSystem() = default;

void SuperLuSystem::factor() {
  Parts& p = *parts_;
  Statistics statistics;
  int_t refused = 0;
  p.options.Fact = p.has_factors ? SamePattern_SameRowPerm : DOFACT;  // later ones are laid where the first are
  opened_superlu().dgstrf(&p.options, &p.matrix, SuperLuChoices::relaxed, SuperLuChoices::panel, p.parents.data(), nullptr, 0,
                          p.own_order.data(), p.pivots.data(), &p.lower, &p.upper, &p.workspace, statistics.get(), &refused);
  p.has_factors = p.has_factors || (refused >= 0 && refused <= p.size());
  p.factor_flops = statistics.flops(FACT);
  if (refused == 0) return;
  p.drop_factors();
  const std::string who = "SuperLU " + superlu().version + ", factors of a matrix of " + std::to_string(p.size()) + " rows: ";
  if (refused > p.size()) throw std::runtime_error(who + "no memory for them: choose a smaller matrix");
  throw std::runtime_error(who + "the pivot in column " + std::to_string(refused) +
                           " of the elimination is zero, so the matrix is singular: no system of it can be solved");
}

void SuperLuSystem::solve(std::span<const double> right, std::span<double> solution) {
  Parts& p = *parts_;
  if (!p.has_factors) throw std::runtime_error("SuperLU: a system is solved by its factors, of which there are none yet");
  std::copy(right.begin(), right.end(), solution.begin());
  DNformat dense{.lda = p.size(), .nzval = solution.data()};
  SuperMatrix sides{.Stype = SLU_DN, .Dtype = SLU_D, .Mtype = SLU_GE, .nrow = p.size(), .ncol = 1, .Store = &dense};
  Statistics statistics;
  int refused = 0;
  opened_superlu().dgstrs(NOTRANS, &p.lower, &p.upper, p.own_order.data(), p.pivots.data(), &sides, statistics.get(), &refused);
  p.solve_flops = statistics.flops(SOLVE);
  if (refused != 0)
    throw std::runtime_error("SuperLU " + superlu().version + ": it refused argument " + std::to_string(-refused) + " of dgstrs");
}

double SuperLuSystem::factor_flops() const { return parts_->factor_flops; }
double SuperLuSystem::solve_flops() const { return parts_->solve_flops; }

const SuperLu& superlu() { return opened_superlu().seen; }

}  // namespace plumbline

#else

namespace plumbline {

struct SuperLuSystem::Parts {};
SuperLuSystem::SuperLuSystem(std::span<const double>, std::span<const std::int32_t>, std::span<const std::size_t>,
                             std::span<const std::int32_t>) {
  throw std::runtime_error(superlu().absent);
}
SuperLuSystem::~SuperLuSystem() = default;
void SuperLuSystem::factor() { throw std::runtime_error(superlu().absent); }
void SuperLuSystem::solve(std::span<const double>, std::span<double>) { throw std::runtime_error(superlu().absent); }
double SuperLuSystem::factor_flops() const { return 0; }
double SuperLuSystem::solve_flops() const { return 0; }

const SuperLu& superlu() {
  static const SuperLu none{
      .absent = "this program was built without SuperLU's header slu_ddefs.h (Debian: apt-get install libsuperlu-dev)", .version = ""};
  return none;
}

}  // namespace plumbline

#endif
