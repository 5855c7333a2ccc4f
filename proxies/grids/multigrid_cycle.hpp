// The order in which multigrid goes through its levels: a V-cycle, or an F-cycle (full multigrid: each level begins with what the coarser
// one has found).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline {

/// The parts of multigrid at a level. The last three lie between it and the next coarser one, which the coarsest has not.
enum class MultigridPart : std::uint8_t { halo, ghosts, red, black, residual, restriction, interpolation };
inline constexpr std::size_t parts_of_level = 7, parts_of_coarsest = 4;
inline constexpr const char* part_names[] = {"halo", "ghosts", "red", "black", "residual", "restrict", "interpolate"};

/// One step: a part at a level (0 the finest). Of halo and ghosts `from_other` says that they are of what the red update has written; of
/// the restriction that it is the residual which goes down, not the right-hand side.
struct MultigridMove {
  MultigridPart part;
  std::size_t level;
  bool from_other = false;

  std::size_t phase() const { return level * parts_of_level + static_cast<std::size_t>(part); }
};

class MultigridCycle {
 public:
  MultigridCycle(std::size_t levels, std::uint64_t smooths, std::uint64_t bottom_smooths)
      : coarsest_(levels - 1), smooths_(smooths), bottom_(bottom_smooths) {}

  void go_down_and_up(std::size_t level = 0) {
    if (level == coarsest_) return smooth(level, bottom_);
    smooth(level, smooths_);
    fill_ghosts(level);
    moves_.push_back({MultigridPart::residual, level});
    moves_.push_back({MultigridPart::restriction, level, true});
    go_down_and_up(level + 1);
    interpolate_to(level);
    smooth(level, smooths_);
  }
  void go_up_from_the_coarsest() {
    for (std::size_t level = 0; level < coarsest_; ++level) moves_.push_back({MultigridPart::restriction, level});
    smooth(coarsest_, bottom_);
    for (std::size_t level = coarsest_; level-- > 0;) {
      interpolate_to(level);
      go_down_and_up(level);
    }
  }
  const std::vector<MultigridMove>& moves() const { return moves_; }
  std::vector<std::uint64_t> entries() const {
    std::vector<std::uint64_t> of_phases(coarsest_ * parts_of_level + parts_of_coarsest);
    for (const MultigridMove& move : moves_) ++of_phases[move.phase()];
    return of_phases;
  }

 private:
  void fill_ghosts(std::size_t level, bool of_other = false) {
    moves_.push_back({MultigridPart::halo, level, of_other});
    moves_.push_back({MultigridPart::ghosts, level, of_other});
  }
  void smooth(std::size_t level, std::uint64_t times) {
    for (std::uint64_t time = 0; time < times; ++time) {
      fill_ghosts(level);
      moves_.push_back({MultigridPart::red, level});
      fill_ghosts(level, true);
      moves_.push_back({MultigridPart::black, level});
    }
  }
  void interpolate_to(std::size_t level) {
    fill_ghosts(level + 1);
    moves_.push_back({MultigridPart::interpolation, level});
  }

  std::size_t coarsest_;
  std::uint64_t smooths_, bottom_;
  std::vector<MultigridMove> moves_;
};

}  // namespace plumbline
