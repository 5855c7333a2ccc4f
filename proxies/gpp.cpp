// GPP is the self-energy of BerkeleyGW's general plasmon pole model: each band meets each pole at nw energies, and the number of energies
// sets the arithmetic intensity (Yang, Kurth, Williams 2019, III.A). The same result comes by four steps of optimization.
#include <algorithm>
#include <array>

#include "core/kernel_data.hpp"
#include "gpp.flavors.hpp"
#include "proxies/gpp_loop.hpp"

namespace plumbline {
namespace {

constexpr std::uint64_t line_bytes = 64;

constexpr std::array<std::pair<const char*, GppVariant>, 4> variants{
    {{"naive", GppVariant::naive}, {"vector", GppVariant::vector}, {"blocked", GppVariant::blocked}, {"nodivide", GppVariant::nodivide}}};

GppVariant variant_of(const Parameters& p) {
  const std::string& word = p.word("variant");
  return std::find_if(variants.begin(), variants.end(), [&](const auto& v) { return v.first == word; })->second;
}

/// The sizes of a case. `waves` and `bands` are those of a block: of 6 rows of 256 waves even an L1 holds enough, and of the 32 bands' rows
/// an L2.
struct Shape {
  GppVariant variant;
  std::uint64_t nbands, ngpown, ncouls, nw, stride, waves, bands;

  explicit Shape(const Parameters& p)
      : variant(variant_of(p)),
        nbands(p.integer("nbands")),
        ngpown(p.integer("ngpown")),
        ncouls(p.integer("ncouls")),
        nw(p.integer("nw")),
        stride(p.integer("stride")),
        waves(is_blocked() ? std::min<std::uint64_t>(ncouls, 256) : ncouls),
        bands(is_blocked() ? std::min<std::uint64_t>(nbands, 32) : nbands) {}

  bool is_blocked() const { return variant == GppVariant::blocked || variant == GppVariant::nodivide; }
  std::uint64_t wave_blocks() const { return (ncouls + waves - 1) / waves; }
  std::uint64_t band_blocks() const { return (nbands + bands - 1) / bands; }
  /// The sums of a row: one for each pole's row, band and block of waves.
  std::uint64_t row_sums() const { return ngpown * nbands * wave_blocks(); }
  /// The naive form passes a row once for each energy.
  std::uint64_t passes() const { return variant == GppVariant::naive ? nw : 1; }
  std::uint64_t meetings() const { return nbands * ngpown * ncouls; }

  /// The place of a wave in an array of so many rows: all rows of a block lie together, then those of the next (gpp_loop.hpp).
  std::size_t element(std::uint64_t rows, std::uint64_t row, std::uint64_t wave) const {
    const std::uint64_t first = wave / waves * waves;
    return (first * rows + row * std::min(waves, ncouls - first) + wave - first) * stride;
  }
};

/// Bytes of visited elements: `moved` are those of their lines, and `occupied` those of the lines between as well where the elements are an
/// even number of lines apart. Such elements use only every second or fourth set of a cache, and crowd it as if they filled the others too.
struct Visited {
  std::uint64_t apart;  // bytes from one to the next

  std::uint64_t moved(std::uint64_t elements) const { return elements * std::min(apart, line_bytes); }
  bool crowds() const { return apart % (2 * line_bytes) == 0; }
  std::uint64_t occupied(std::uint64_t elements) const { return crowds() ? elements * apart : moved(elements); }
};

/// The streams of a case, and what passes between an element's uses: the rows of one band and pole (in a block), all bands of a block, or
/// one block and the next.
template <class Real>
class GppStreams {
 public:
  /// `frame_bytes`: the variables of a row's sums, on the stack.
  GppStreams(const Shape& s, std::uint64_t frame_bytes)
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
    work.add_outer_loop(s_.row_sums() * s_.passes() * (frame_ / (4 * line_bytes)), row_);
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
    const std::uint64_t real = sizeof(Real), sums = s_.row_sums();
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
    const std::uint64_t real = sizeof(Real), sums = s_.row_sums();
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

  Shape s_;
  Visited visited_;
  std::uint64_t frame_, row_, block_, between_;
};

/// An array that begins at a multiple of the largest stride, in bytes: which sets of a cache a stride crowds hangs on nothing else.
template <class Real>
class StridedArray {
 public:
  StridedArray(std::size_t size, std::pmr::memory_resource& memory)
      : size_(size),
        elements_(size + largest_stride, memory),
        first_((alignment - reinterpret_cast<std::uintptr_t>(elements_.data()) % alignment) % alignment / sizeof(Real)) {}
  std::size_t size() const { return size_; }
  Real* data() { return elements_.data() + first_; }
  const Real* data() const { return elements_.data() + first_; }
  Real& operator[](std::size_t i) { return data()[i]; }
  const Real& operator[](std::size_t i) const { return data()[i]; }

 private:
  static constexpr std::size_t largest_stride = 32, alignment = largest_stride * sizeof(Real);
  std::size_t size_;
  Array<Real> elements_;
  std::size_t first_;
};

/// The two parts of a complex array.
template <class Real>
struct ComplexArray {
  ComplexArray(std::size_t size, std::pmr::memory_resource& memory) : re(size, memory), im(size, memory) {}
  Complex<const Real*> view() const { return {re.data(), im.data()}; }
  Complex<long double> at(std::size_t i) const { return {static_cast<long double>(re[i]), static_cast<long double>(im[i])}; }
  StridedArray<Real> re, im;
};

template <class Real>
class GppCase final : public KernelData<Gpp<Real>> {
 public:
  static Work model(const Parameters& p, std::string_view flavor) {
    const Shape s(p);
    // aqsn eps takes 4 products and 2 sums. At each energy: wdiff 0, 2; |wdiff|^2 2, 1; wtilde conj(wdiff) 4, 2, divided by that twice, or
    // by a division and 2 products; the product with the matrix 4, 2; and 2 sums. |delw|^2, by which a pole is asked whether it is far,
    // 2, 1.
    const std::uint64_t meetings = s.meetings(), at_energies = meetings * s.nw, row_sums = 2 * s.row_sums() * s.nw;
    std::uint64_t add = 9, mul = 10, div = 2;
    if (s.variant == GppVariant::naive) add = 10, mul = 12;
    if (s.variant == GppVariant::nodivide) mul = 12, div = 1;
    Work work{.flops = {{flops<Real>("add"), 2 * s.passes() * meetings + add * at_energies + row_sums},
                        {flops<Real>("mul"), 4 * s.passes() * meetings + mul * at_energies},
                        {flops<Real>("div"), div * at_energies}}};
    // Without optimization each step of each energy has variables of its own: the largest frames seen are of 5 to 13 kB; else of 1.4 kB.
    const std::uint64_t frame_lines = split_flavor(flavor).level == "O0" ? 64 + 28 * s.nw : 24;
    GppStreams<Real>(s, frame_lines * line_bytes).add_to(work);
    return work;
  }

  GppCase(const Parameters& p, std::pmr::memory_resource& memory)
      : shape_(p),
        wtilde_(shape_.ngpown * shape_.ncouls * shape_.stride, memory),
        eps_(shape_.ngpown * shape_.ncouls * shape_.stride, memory),
        aqsn_(shape_.nbands * shape_.ncouls * shape_.stride, memory),
        wx_(shape_.nbands * shape_.nw, memory),
        ach_(shape_.ngpown * ach_pitch, memory) {
    const Real limit_one = Real(250000), limit_two = Real(1e-12);  // BerkeleyGW's: 1 / (4 TOL_Small), TOL_Small^2
    arguments_ = {shape_.variant, shape_.nbands, shape_.ngpown, shape_.ncouls,
                  shape_.nw,      shape_.stride, shape_.waves,  shape_.bands,
                  ach_pitch,      limit_one,     limit_two,     wtilde_.view(),
                  eps_.view(),    aqsn_.view(),  wx_.view(),    {ach_.re.data(), ach_.im.data()}};
  }

  std::size_t extent() const override { return shape_.ngpown; }
  void initialise(std::size_t begin, std::size_t end) override {
    fill_rows(wtilde_, shape_.ngpown, begin, end, 1);
    fill_rows(eps_, shape_.ngpown, begin, end, 3);
    for (std::size_t i = begin * ach_pitch; i < end * ach_pitch; ++i) ach_.re[i] = ach_.im[i] = Real(0.5);
    if (begin != 0) return;  // what all share belongs to the first
    fill_rows(aqsn_, shape_.nbands, 0, shape_.nbands, 5);
    // The energies are off the poles, |wdiff| > 1: no branch is for nothing, and whoever computes both of its sides does the same FLOPs.
    for (std::size_t i = 0; i < wx_.re.size(); ++i) wx_.re[i] = Real(varied(7, i) + 1.5), wx_.im[i] = Real(varied(8, i));
  }

  /// The error, relative to the sum of the contributions' magnitudes (they may cancel), of as many results as 2^24 contributions allow,
  /// always those of the last row.
  double error() const override {
    LargestError largest;
    const std::uint64_t step = std::max<std::uint64_t>(1, shape_.meetings() * shape_.nw >> 24), results = shape_.ngpown * shape_.nw;
    for (std::uint64_t result = 0; result < results; ++result)
      if (result % step == 0 || result + shape_.nw >= results) compare(largest, result / shape_.nw, result % shape_.nw);
    return largest.value();
  }
  // The tolerance counts in units of one rounding, relative to moduli: wdiff 1; wtilde conj(wdiff) sqrt(5) (Brent, Percival, Zimmermann
  // 2007); its weight 2 for the squared modulus, twice wdiff's, the division, and the product with it: 6; the matrix sqrt(5), the product
  // with it sqrt(5). That is less than 14. Each contribution passes as many sums as a row has, and then as many as there are rows, at most.
  double tolerance() const override {
    return rounding_bound<Real>(static_cast<double>(shape_.waves + shape_.nbands * shape_.wave_blocks() + 14));
  }

 private:
  static constexpr std::size_t ach_pitch = line_bytes / sizeof(Real);

  /// A value hangs on its row and wave alone, so that all variants and strides compute the same.
  void fill_rows(ComplexArray<Real>& array, std::uint64_t rows, std::uint64_t begin, std::uint64_t end, std::uint64_t stream) {
    for (std::uint64_t row = begin; row < end; ++row)
      for (std::uint64_t wave = 0; wave < shape_.ncouls; ++wave)
        for (std::uint64_t i = shape_.element(rows, row, wave), gap = i + shape_.stride; i < gap; ++i) {
          array.re[i] = Real(varied(stream, row * shape_.ncouls + wave));
          array.im[i] = Real(varied(stream + 1, row * shape_.ncouls + wave));
        }
  }

  void compare(LargestError& largest, std::uint64_t igp, std::uint64_t iw) const {
    long double re = 0, im = 0, magnitude = 0;
    for (std::uint64_t band = 0; band < shape_.nbands; ++band) {
      const Complex<long double> wx = wx_.at(band * shape_.nw + iw);
      for (std::uint64_t wave = 0; wave < shape_.ncouls; ++wave) {
        const std::size_t pole = shape_.element(shape_.ngpown, igp, wave);
        const Complex<long double> w = wtilde_.at(pole),
                                   term = contribution(w, eps_.at(pole), aqsn_.at(shape_.element(shape_.nbands, band, wave)),
                                                       {wx.re - w.re, wx.im - w.im});
        re += term.re;
        im += term.im;
        magnitude += std::hypot(term.re, term.im);
      }
    }
    largest.compare(ach_.re[igp * ach_pitch + iw], re, magnitude);
    largest.compare(ach_.im[igp * ach_pitch + iw], im, magnitude);
  }
  static Complex<long double> product(Complex<long double> x, Complex<long double> y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
  static Complex<long double> contribution(Complex<long double> wtilde, Complex<long double> eps, Complex<long double> aqsn,
                                           Complex<long double> wdiff) {
    const long double norm = wdiff.re * wdiff.re + wdiff.im * wdiff.im;
    return product(product(aqsn, eps), product(wtilde, {wdiff.re / norm, -wdiff.im / norm}));
  }

  Shape shape_;
  ComplexArray<Real> wtilde_, eps_, aqsn_, wx_, ach_;
  using KernelData<Gpp<Real>>::arguments_;
};

struct Sizes {
  std::int64_t nbands, ngpown, ncouls, nw, stride = 1;
};
/// Each variant at each of the sizes.
std::vector<Parameters> by_variant(std::initializer_list<const char*> words, std::initializer_list<Sizes> all) {
  std::vector<Parameters> sets;
  for (const char* word : words)
    for (const Sizes& s : all)
      sets.push_back({{"variant", std::string(word)},
                      {"nbands", s.nbands},
                      {"ngpown", s.ngpown},
                      {"ncouls", s.ncouls},
                      {"nw", s.nw},
                      {"stride", s.stride}});
  return sets;
}

const Register<GppCase> registered{
    "proxies/gpp",
    "General plasmon pole self-energy, complex arithmetic written out (Yang, Kurth, Williams 2019)",
    {{.name = "variant",
      .preset = std::string("nodivide"),
      .description =
          "steps of optimization: branches at every pole and energy; reordered for vectors; in blocks; one division instead of two",
      .choices = {"naive", "vector", "blocked", "nodivide"}},
     {.name = "nbands", .preset = std::int64_t{8}, .description = "bands", .max = 1 << 16},
     {.name = "ngpown", .preset = std::int64_t{16}, .description = "rows of the result, which the team divides", .max = 1 << 16},
     {.name = "ncouls", .preset = std::int64_t{1024}, .description = "plane waves visited in a row", .max = 1 << 24},
     {.name = "nw", .preset = std::int64_t{3}, .description = "energies: the more, the higher the arithmetic intensity", .max = 6},
     {.name = "stride",
      .preset = std::int64_t{1},
      .description = "elements from one plane wave to the next in rows so much longer",
      .max = 32}},
    gpp_flavors,
    // Long rows, 4 and 6 energies, and one wave and one band more than a block has.
    {.edges = by_variant({"naive", "vector", "nodivide"}, {{2, 3, 33, 4}, {1, 2, 67, 6, 2}, {33, 1, 257, 1}}),
     // A stride of 16 crowds every second set of a cache in fp64; one of 11 leaves out lines there, and none in fp32.
     .caches = by_variant({"naive", "vector", "blocked"},
                          {{2, 2, 20, 2}, {2, 4, 300, 2}, {4, 8, 1500, 1}, {3, 8, 200, 2, 16}, {3, 8, 300, 2, 11}, {3, 16, 3000, 2}})}};

}  // namespace
}  // namespace plumbline
