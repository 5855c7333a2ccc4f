// A reader, given its own files and hundreds of damaged ones, each the same in every run: it reads them or says in one line what is wrong.
// (fuzz_target.cpp gives the same readers to libFuzzer, which finds its own.) PLUMBLINE_WRITE_SEEDS=FOLDER: writes the files there instead.
#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <random>

#include "core/error.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/store/samples.hpp"

namespace plumbline::fuzz {
namespace {

constexpr int damaged_of_each = 700;

/// The words of the refusal; empty where it was read. What is no Error fails the test.
std::string refusal_of(std::string_view bytes) {
  try {
    read(bytes);
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& other) {
    ADD_FAILURE() << "not a word for the user: " << other.what();
  }
  return "";
}

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::string of(std::string bytes) {
    for (auto changes = 1 + below(4); changes != 0 && !bytes.empty(); --changes) change(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void change(std::string& bytes) {
    const std::size_t at = below(bytes.size()), length = below(std::min<std::size_t>(64, bytes.size() - at));
    switch (below(7)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, bytes.substr(below(bytes.size()), length));
        break;
      case 5: {  // the largest number of so many bytes, or nothing
        const std::size_t width = std::min<std::size_t>(std::size_t{1} << below(4), bytes.size() - at);
        bytes.replace(at, width, width, below(2) == 0 ? '\xff' : '\0');
        break;
      }
      default: {
        static constexpr std::string_view words[] = {"-1", "1e400", "18446744073709551616", "null", "[[[[", "\"", "{}", ",", "\n", "nan"};
        bytes.insert(at, words[below(std::size(words))]);
      }
    }
  }

  std::mt19937_64 random_;
};

TEST(Reader, reads_what_it_is_for) {
  const auto all = seeds();
  ASSERT_FALSE(all.empty());
  if (const char* folder = std::getenv("PLUMBLINE_WRITE_SEEDS"))
    for (std::size_t i = 0; i < all.size(); ++i) spill(std::filesystem::path(folder) / std::to_string(i), all[i]);
  for (const auto& bytes : all) EXPECT_EQ(refusal_of(bytes), "");
}

TEST(Reader, refuses_what_is_damaged_in_a_line_or_reads_it) {
  if (std::getenv("PLUMBLINE_WRITE_SEEDS") != nullptr) return;
  unsigned seed = 1;
  int refused = 0;
  for (const auto& bytes : seeds()) {
    Damage damage(seed++);
    for (int i = 0; i < damaged_of_each; ++i) {
      const std::string damaged = damage.of(bytes), why = refusal_of(i % 2 == 0 ? damaged : mended(damaged));
      refused += !why.empty();
      EXPECT_EQ(why.find('\n'), std::string::npos) << why;
      if (HasFailure()) FAIL() << "seed " << seed - 1 << ", file " << i;
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace plumbline::fuzz
