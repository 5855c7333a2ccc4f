#include "core/ceiling_level.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace plumbline {
namespace {

struct KindWord {
  CeilingKind kind;
  std::string_view word;
};
constexpr std::array kind_words{KindWord{CeilingKind::compute, "compute"},     KindWord{CeilingKind::sweep, "sweep"},
                                KindWord{CeilingKind::vector, "vector"},       KindWord{CeilingKind::choice, "choice"},
                                KindWord{CeilingKind::gemm, "gemm"},           KindWord{CeilingKind::occupancy, "occupancy"},
                                KindWord{CeilingKind::sustained, "sustained"}, KindWord{CeilingKind::overhead, "overhead"},
                                KindWord{CeilingKind::host_dev, "host-dev"},   KindWord{CeilingKind::mpi, "mpi"},
                                KindWord{CeilingKind::numa, "numa"},           KindWord{CeilingKind::link, "link"}};

}  // namespace

CeilingLevel::CeilingLevel(CeilingKind kind) : kind_(kind) {
  const auto* const found = std::ranges::find(kind_words, kind, &KindWord::kind);
  if (found != kind_words.end()) word_ = found->word;
}

CeilingLevel::CeilingLevel(std::string word) : word_(std::move(word)) {
  const auto* const found = std::ranges::find(kind_words, std::string_view(word_), &KindWord::word);
  if (found != kind_words.end()) kind_ = found->kind;
}

}  // namespace plumbline
