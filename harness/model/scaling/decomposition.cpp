#include "model/scaling/decomposition.hpp"

#include <algorithm>
#include <array>

namespace plumbline {
namespace {

double integer(const Parameters& p, std::string_view name) { return static_cast<double>(p.integer(name)); }

/// The planes of a side that is halved once a level, over the planes of the coarsest grid that a rank must have.
double halved(double planes, double levels, double least) {
  for (double level = 1; level < levels; ++level) planes /= 2;
  return planes / least;
}

struct Known {
  std::string_view kernel;
  Decomposition (*of)(const Parameters& p);
};

constexpr double ghosts = 2;  // planes of cells that neighbours need of a rank's boxes

constexpr std::array known{
    Known{"proxies/heat2d",
          [](const Parameters& p) {
            return Decomposition{"rows", integer(p, "n"), {}};
          }},
    Known{"proxies/gsrb",
          [](const Parameters& p) {
            return Decomposition{"pairs of planes", integer(p, "boxes") * integer(p, "n") / ghosts, {}};
          }},
    Known{"proxies/multigrid",
          [](const Parameters& p) {
            return Decomposition{
                "pairs of the coarsest level's planes", halved(integer(p, "boxes") * integer(p, "n"), integer(p, "levels"), ghosts), {}};
          }},
    Known{"proxies/cg",
          [](const Parameters& p) {
            const double planes = integer(p, integer(p, "planes") == 0 ? "n" : "planes");
            return Decomposition{"pairs of the coarsest level's planes", halved(planes, integer(p, "levels"), 2), {"planes"}};
          }},
    Known{"proxies/tfqmr",
          [](const Parameters& p) {
            return Decomposition{"blocks of planes", integer(p, "blocks"), {"planes", "blocks"}};
          }},
    Known{"proxies/lstm",
          [](const Parameters&) {
            return Decomposition{"batches", absent, {}};
          }},
};

}  // namespace

std::optional<Decomposition> decomposition_of(std::string_view kernel, const Parameters& p) {
  const auto found = std::ranges::find(known, kernel, &Known::kernel);
  if (found == known.end()) return std::nullopt;
  return found->of(p);
}

std::vector<std::string> known_decompositions() {
  std::vector<std::string> names;
  for (const Known& one : known) names.emplace_back(one.kernel);
  return names;
}

}  // namespace plumbline
