#include "machine/program_id.hpp"

#include <elf.h>
#include <link.h>

#include <cstring>

namespace plumbline {
namespace {

std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// The description of the note GNU/NT_GNU_BUILD_ID in a segment of notes.
std::string id_in(const char* notes, std::size_t bytes) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes, sizeof head);
    const char* const name = notes + sizeof head;
    const std::size_t whole = sizeof head + padded(head.n_namesz) + padded(head.n_descsz);
    if (whole > bytes) return "";
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
      return {name + padded(head.n_namesz), head.n_descsz};
    notes += whole;
    bytes -= whole;
  }
  return "";
}

/// Takes the build id of the first object, which is the program.
int take_id(dl_phdr_info* object, std::size_t, void* out) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const std::string id = id_in(reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(out) = id;
  }
  return 1;
}

}  // namespace

std::string program_id() {
  std::string id;
  dl_iterate_phdr(take_id, &id);
  if (id.empty()) return "unknown";
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : id) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

}  // namespace plumbline
