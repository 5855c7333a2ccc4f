#include "measure/arena.hpp"

#include <sys/mman.h>

#include <new>

namespace plumbline {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
// Arrays that begin at equal offsets of a page alias in the store-to-load checks of every x86 core: each starts some lines further.
constexpr std::size_t stagger = 5 * 64;

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::size_t arena_bytes(std::size_t data_bytes, std::size_t arrays) { return data_bytes + arrays * (4096 + 2 * stagger) + huge_page; }

Arena::Arena(std::size_t bytes, std::uintptr_t address) : size_(round_up(bytes, huge_page) + huge_page) {
  const int fixed = address ? MAP_FIXED_NOREPLACE : 0;
  void* const wanted = reinterpret_cast<void*>(address);
  void* const got = mmap(wanted, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(got);
  if (address && got != wanted) {
    munmap(got, size_);
    throw std::bad_alloc();
  }
  madvise(base_, size_, MADV_HUGEPAGE);  // THP is often `madvise`; L2 bandwidth at 768 KB gains 40 % from it
  emptied();
}

Arena& Arena::emptied() {
  used_ = round_up(reinterpret_cast<std::uintptr_t>(base_), huge_page) - reinterpret_cast<std::uintptr_t>(base_);
  return *this;
}

Arena::~Arena() { munmap(base_, size_); }

void* Arena::do_allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t begin = round_up(used_, alignment < 64 ? 64 : alignment);
  if (begin > size_ || bytes > size_ - begin) throw std::bad_alloc();
  used_ = begin + bytes + stagger;
  return base_ + begin;
}

}  // namespace plumbline
