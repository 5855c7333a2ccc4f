// Workloads get their memory from an arena: whole pages from the system, huge ones asked for; at a fixed address where counts must not
// depend on it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>

namespace plumbline {

/// Bump allocation inside one mapping, which is released when the arena ends. Throws std::bad_alloc when the system refuses or the arena is
/// full.
class Arena final : public std::pmr::memory_resource {
 public:
  /// The address that is used where the simulated caches must see the same lines in every run: below anything Valgrind or the loader takes.
  static constexpr std::uintptr_t fixed_address = 0x2'0000'0000;

  /// Reserves `bytes` (rounded up to pages); at `address` exactly unless it is 0.
  explicit Arena(std::size_t bytes, std::uintptr_t address = 0);
  ~Arena() override;

  /// Empties the arena and gives it again; what was allocated before must be gone.
  Arena& emptied();
  /// The bytes from the arena's beginning to the end of what was allocated.
  std::span<const std::byte> used() const { return {base_, used_}; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::byte* base_ = nullptr;
  std::size_t size_ = 0, used_ = 0;
};

/// The bytes that an arena needs for arrays of these total bytes: with padding for the alignment of up to `arrays` of them.
std::size_t arena_bytes(std::size_t data_bytes, std::size_t arrays);

}  // namespace plumbline
