// GPP is the self-energy of BerkeleyGW's general plasmon pole model: each band meets each pole at nw energies, and the number of energies
// sets the arithmetic intensity (Yang, Kurth, Williams 2019, III.A). The same result comes by four steps of optimization.
#include "proxies/gpp.hpp"

#include "gpp.flavors.hpp"
#include "proxies/gpp_loop.hpp"

namespace plumbline {
namespace {

constexpr std::uint64_t line_bytes = 64;

/// Bytes of visited elements: `moved` are those of their lines, and `occupied` those of the lines between as well where the elements are an
/// even number of lines apart. Such elements use only every second or fourth set of a cache, and crowd it as if they filled the others too.
struct Visited {
  std::uint64_t apart;  // bytes from one to the next

  std::uint64_t moved(std::uint64_t elements) const { return elements * std::min(apart, line_bytes); }
  bool crowds() const { return apart % (2 * line_bytes) == 0; }
  std::uint64_t occupied(std::uint64_t elements) const { return crowds() ? elements * apart : moved(elements); }
};

/// The sums of a row: one for each pole's row, band and block of waves.
std::uint64_t row_sums(const GppShape& s) { return s.ngpown * s.nbands * s.wave_blocks(); }

/// The streams of a case, and what passes between an element's uses: the rows of one band and pole (in a block), all bands of a block, or
/// one block and the next.
template <class Real>
class GppStreams {
 public:
  /// `frame_bytes`: the variables of a row's sums, on the stack.
  GppStreams(const GppShape& s, std::uint64_t frame_bytes)
      : s_(s),
        visited_{s.stride * sizeof(Real)},
        frame_(frame_bytes),
        row_(row_of(s.waves)),
        block_(block_of(s.waves)),
        between_(visited_.occupied(4 * (s.ngpown + s.bands) * s.waves) + own()) {}

  void add_to(Work& work) const {
    for (const char* array : {"wtilde.re", "wtilde.im", "eps.re", "eps.im"}) work.streams.push_back(poles(array));
    for (const char* array : {"aqsn.re", "aqsn.im"}) work.streams.push_back(bands(array));
    for (const char* array : {"wx.re", "wx.im"}) work.streams.push_back(energies(array));
    for (const char* array : {"ach.re", "ach.im"}) add_sums(work, array);
    work.add_outer_loop(s_.ngpown * blocks(), block_);
    work.add_outer_loop(row_sums(s_) * s_.passes() * (frame_ / (4 * line_bytes)), row_);
  }

 private:
  std::uint64_t blocks() const { return s_.wave_blocks() * s_.band_blocks(); }
  std::uint64_t own() const { return frame_ + 4 * line_bytes; }
  std::uint64_t row_of(std::uint64_t waves) const { return visited_.occupied(6 * waves) + own(); }
  std::uint64_t block_of(std::uint64_t waves) const {
    return visited_.occupied((2 * s_.bands + 8) * waves) + 2 * s_.bands * s_.nw * sizeof(Real) + own();
  }
  /// Rows that are swept `times` as often as they are new, where what passes in between, by the number of waves in a block, is lost. The
  /// last block may be so short that it stays.
  template <class Passing>
  void add_layers(Stream& stream, std::uint64_t count, std::uint64_t times, Passing passing) const {
    const std::uint64_t all = visited_.moved(count * s_.ncouls), last = s_.ncouls % s_.waves, rest = visited_.moved(count * last);
    if (last != 0) stream.layers.push_back({.reuse_bytes = passing(last), .fetched_bytes = times * all});
    stream.layers.push_back({.reuse_bytes = passing(s_.waves), .fetched_bytes = times * (all - rest) + rest});
  }
  Stream rows(const char* array, std::uint64_t count) const {
    const std::uint64_t elements = count * s_.ncouls;
    return {.array = array,
            .footprint_bytes = visited_.occupied(elements),
            .read = true,
            .loads = s_.passes() * s_.meetings(),
            .element_bytes = sizeof(Real),
            .touched_bytes = visited_.crowds() ? visited_.moved(elements) : 0};
  }
  /// A row of wtilde and eps is swept again by every band, a block of it by the bands of a block.
  Stream poles(const char* array) const {
    Stream stream = rows(array, s_.ngpown);
    add_layers(stream, s_.ngpown, s_.passes() * s_.nbands, [this](std::uint64_t waves) { return row_of(waves); });
    if (s_.band_blocks() > 1)  // a team divides what passes between one block of bands and the next
      stream.layers.push_back(
          {.reuse_bytes = between_, .fetched_bytes = s_.band_blocks() * visited_.moved(s_.ngpown * s_.ncouls), .upper_bound = true});
    return stream;
  }
  /// A block of aqsn is swept again by every row of poles, and in the naive form each of its rows by every energy.
  Stream bands(const char* array) const {
    Stream stream = rows(array, s_.nbands);
    if (s_.passes() > 1)
      stream.layers.push_back({.reuse_bytes = row_, .fetched_bytes = s_.passes() * s_.ngpown * visited_.moved(s_.nbands * s_.ncouls)});
    add_layers(stream, s_.nbands, s_.ngpown, [this](std::uint64_t waves) { return block_of(waves); });
    stream.shared = true;
    return stream;
  }
  /// The energies of a band stay in registers along a row; two bands may share a line.
  Stream energies(const char* array) const {
    const std::uint64_t real = sizeof(Real), sums = row_sums(s_);
    return {.array = array,
            .footprint_bytes = s_.nbands * s_.nw * real,
            .read = true,
            .loads = sums * s_.nw,
            .element_bytes = real,
            .layers = {{.reuse_bytes = row_, .fetched_bytes = sums * s_.passes() * 2 * line_bytes, .upper_bound = true},
                       {.reuse_bytes = block_, .fetched_bytes = sums * 2 * line_bytes, .upper_bound = true}},
            .shared = true};
  }
  /// The sums of a row of poles lie in a line of their own, which each band and block of waves takes up again.
  void add_sums(Work& work, const std::string& array) const {
    const std::uint64_t real = sizeof(Real), sums = row_sums(s_);
    work.streams.push_back(
        {.array = array, .footprint_bytes = s_.ngpown * line_bytes, .written = true, .stores = s_.ngpown * s_.nw, .element_bytes = real});
    Stream again{.array = array + ", accumulated",
                 .read = true,
                 .written = true,
                 .loads = sums * s_.nw,
                 .stores = sums * s_.nw,
                 .element_bytes = real,
                 .layers = {{.reuse_bytes = row_, .fetched_bytes = (sums * s_.passes() + s_.ngpown) * line_bytes, .upper_bound = true}}};
    if (blocks() > 1)
      again.layers.push_back({.reuse_bytes = between_, .fetched_bytes = (blocks() + 1) * s_.ngpown * line_bytes, .upper_bound = true});
    work.streams.push_back(again);
  }

  GppShape s_;
  Visited visited_;
  std::uint64_t frame_, row_, block_, between_;
};

template <class Real>
class GppCase final : public GppData<Real, Array> {
 public:
  using GppData<Real, Array>::GppData;

  static Work model(const Parameters& p, std::string_view flavor) {
    const GppShape s(p);
    Work work{.flops = gpp_flops<Real>(s)};
    work.flops[flops<Real>("add")] += 2 * row_sums(s) * s.nw;
    // Without optimization each step of each energy has variables of its own: the largest frames seen are of 5 to 13 kB; else of 1.4 kB.
    const std::uint64_t frame_lines = split_flavor(flavor).level == "O0" ? 64 + 28 * s.nw : 24;
    GppStreams<Real>(s, frame_lines * line_bytes).add_to(work);
    return work;
  }

  /// Each contribution passes as many sums as a row has, and then as many as there are rows, at most.
  double tolerance() const override {
    const GppShape& s = this->shape();
    return rounding_bound<Real>(static_cast<double>(s.waves + s.nbands * s.wave_blocks() + gpp_roundings));
  }
};

const Register<GppCase> registered{
    gpp_facts(
        // Long rows, 4 and 6 energies, and one wave and one band more than a block has.
        {.edges = gpp_by_variant({"naive", "vector", "nodivide"}, {{2, 3, 33, 4}, {1, 2, 67, 6, 2}, {33, 1, 257, 1}}),
         // A stride of 16 crowds every second set of a cache in fp64; one of 11 leaves out lines there, and none in fp32.
         .caches =
             gpp_by_variant({"naive", "vector", "blocked"},
                            {{2, 2, 20, 2}, {2, 4, 300, 2}, {4, 8, 1500, 1}, {3, 8, 200, 2, 16}, {3, 8, 300, 2, 11}, {3, 16, 3000, 2}})}),
    gpp_flavors};

}  // namespace
}  // namespace plumbline
