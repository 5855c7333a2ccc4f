// SPDX-License-Identifier: GPL-2.0-or-later
#include "unnamed_code.h"

#include <elf.h>

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"

// A row of the table in .eh_frame_hdr, whose rows are in order of the functions' addresses; both relative to the section.
typedef struct {
  Int function, description;
} Row;

// An ELF file as it is mapped.
typedef struct {
  Addr header;  // 0: no file, or none of ELF
  Addr bias;    // between addresses here and those that the file itself names
  Addr table;   // .eh_frame_hdr, or 0 without one that can be read
  const Row* row;
  UInt n_rows;
} Image;

// A function that .eh_frame describes.
typedef struct {
  Addr begin;
  UInt bytes;
} Described;

// The descriptions of the one file that has no table of them, in order of their begins: a program that was linked statically.
static struct {
  Addr header;  // as in Image; 0: none was read yet
  Described* row;
  UInt n_rows;
} described_;

static Bool readable(Addr start, SizeT bytes) { return VG_(am_is_valid_for_client)(start, bytes, VKI_PROT_READ); }

static const NSegment* file_segment(Addr address) {
  const NSegment* segment = VG_(am_find_nsegment)(address);
  return segment != NULL && segment->kind == SkFileC ? segment : NULL;
}

const HChar* unnamed_code_file(Addr address) {
  const NSegment* segment = file_segment(address);
  return segment == NULL ? NULL : VG_(am_get_filename)(segment);
}

// The address to which the file's first byte is mapped for the code at `address`: the last such place before it; or 0.
static Addr begin_of_file(Addr address) {
  const NSegment* code = file_segment(address);
  if (code == NULL) return 0;
  Int n = 256, found;
  Addr* start = NULL;
  do {
    n *= 2;
    start = VG_(realloc)("plumbline.segments", start, (SizeT)n * sizeof start[0]);
    found = VG_(am_get_segment_starts)(SkFileC, start, n);
  } while (found < 0);
  Addr begin = 0;
  for (Int k = 0; k < found && start[k] <= address; k++) {
    const NSegment* segment = VG_(am_find_nsegment)(start[k]);
    if (segment->dev == code->dev && segment->ino == code->ino && segment->offset == 0) begin = start[k];
  }
  VG_(free)(start);
  return begin;
}

// The encodings that every linker writes: the section's own place, a count, and pairs relative to the section, of 4 bytes each.
enum { kVersion = 1, kAddressHere = 0x1B, kCount = 0x03, kPairs = 0x3B, kTableHead = 12 };

static void take_table(Image* image, Addr table) {
  const UChar* head = (const UChar*)table;
  if (!readable(table, kTableHead) || head[0] != kVersion || head[1] != kAddressHere || head[2] != kCount || head[3] != kPairs) return;
  UInt n = *(const UInt*)(table + 8);
  if (!readable(table + kTableHead, n * sizeof(Row))) return;
  image->table = table;
  image->row = (const Row*)(table + kTableHead);
  image->n_rows = n;
}

static Bool read_from(Int file, Off64T place, void* to, SizeT bytes) {
  return VG_(lseek)(file, place, VKI_SEEK_SET) == place && VG_(read)(file, to, (Int)bytes) == (Int)bytes;
}

// The section .eh_frame, as the file's section headers tell it, which are not mapped.
static Bool find_frames(Int file, const Elf64_Ehdr* elf, Elf64_Shdr* found) {
  Elf64_Shdr names;
  if (elf->e_shentsize != sizeof names || !read_from(file, (Off64T)(elf->e_shoff + elf->e_shstrndx * sizeof names), &names, sizeof names))
    return False;
  for (UInt k = 0; k < elf->e_shnum; k++) {
    HChar name[sizeof ".eh_frame"];
    if (read_from(file, (Off64T)(elf->e_shoff + k * sizeof *found), found, sizeof *found) && (found->sh_flags & SHF_ALLOC) != 0 &&
        read_from(file, (Off64T)(names.sh_offset + found->sh_name), name, sizeof name) && VG_(memcmp)(name, ".eh_frame", sizeof name) == 0)
      return True;
  }
  return False;
}

static Int by_begin(const void* a, const void* b) {
  Addr first = ((const Described*)a)->begin, second = ((const Described*)b)->begin;
  return first < second ? -1 : first > second;
}

// Reads the descriptions one behind the other: their length, their family's place (0: it is a family's), their begin relative to here, and
// their size in bytes. Others than those that every linker writes end it.
static void read_described(Addr frames, SizeT bytes) {
  enum { kHead = 8, kShortest = 12 };
  if (!readable(frames, bytes)) return;
  for (Addr at = frames; at + kHead + kShortest < frames + bytes;) {
    UInt length = *(const UInt*)at, family = *(const UInt*)(at + 4);
    if (length == 0 || length >= 0xFFFFFFF0U) break;
    if (family != 0 && length >= kShortest) {
      if (described_.n_rows % 1024 == 0)
        described_.row = VG_(realloc)("plumbline.described", described_.row, (described_.n_rows + 1024) * sizeof(Described));
      Addr field = at + kHead;
      described_.row[described_.n_rows++] = (Described){field + (Addr)(Long) * (const Int*)field, *(const UInt*)(field + 4)};
    }
    at += 4 + length;
  }
  VG_(ssort)(described_.row, described_.n_rows, sizeof(Described), by_begin);
}

static void describe(const Image* image, Addr address) {
  if (described_.header == image->header) return;
  described_.header = image->header, described_.n_rows = 0;
  SysRes opened = VG_(open)(unnamed_code_file(address), VKI_O_RDONLY, 0);
  if (sr_isError(opened)) return;
  Elf64_Shdr frames;
  if (find_frames((Int)sr_Res(opened), (const Elf64_Ehdr*)image->header, &frames))
    read_described(image->bias + frames.sh_addr, frames.sh_size);
  VG_(close)((Int)sr_Res(opened));
}

// Where the function begins that a file without a table describes at the address; 0 where it describes none.
static Addr described_begin(const Image* image, Addr address) {
  if (image->header == 0 || image->table != 0) return 0;
  describe(image, address);
  UInt low = 0, high = described_.n_rows;
  while (low < high) {
    UInt middle = low + (high - low) / 2;
    if (described_.row[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && address - described_.row[low - 1].begin < described_.row[low - 1].bytes ? described_.row[low - 1].begin : 0;
}

static Image image_at(Addr address) {
  Image image = {0, 0, 0, NULL, 0};
  Addr begin = begin_of_file(address);
  const Elf64_Ehdr* elf = (const Elf64_Ehdr*)begin;
  if (begin == 0 || !readable(begin, sizeof *elf) || VG_(memcmp)(elf->e_ident, ELFMAG, SELFMAG) != 0) return image;
  const Elf64_Phdr *first = (const Elf64_Phdr*)(begin + elf->e_phoff), *end = first + elf->e_phnum, *unwinding = NULL;
  if (elf->e_phentsize != sizeof *first || !readable((Addr)first, elf->e_phnum * sizeof *first)) return image;
  for (const Elf64_Phdr* part = first; part < end; part++) {
    if (part->p_type == PT_LOAD && part->p_offset == 0) image.header = begin, image.bias = begin - part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) unwinding = part;
  }
  if (image.header != 0 && unwinding != NULL) take_table(&image, image.bias + unwinding->p_vaddr);
  return image;
}

static Addr function_of_row(const Image* image, UInt k) { return image->table + (Addr)(Long)image->row[k].function; }

// Whether the function of row k reaches to `address`: its description is its own length, its family's place, its begin relative to here,
// and its size in bytes.
static Bool covers(const Image* image, UInt k, Addr address) {
  Addr description = image->table + (Addr)(Long)image->row[k].description, begin_field = description + 8;
  if (!readable(description, 16)) return False;
  Addr begin = begin_field + (Addr)(Long) * (const Int*)begin_field;
  return begin == function_of_row(image, k) && address - begin < *(const UInt*)(description + 12);
}

// The row of the function that holds the address, or -1.
static Int row_of(const Image* image, Addr address) {
  UInt low = 0, high = image->n_rows;  // rows before `low` begin at or before the address, those from `high` on behind it
  while (low < high) {
    UInt middle = low + (high - low) / 2;
    if (function_of_row(image, middle) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && covers(image, low - 1, address) ? (Int)low - 1 : -1;
}

static HChar* name_with_offset(const HChar* base, Addr offset) {
  HChar* name = VG_(malloc)("plumbline.unnamed_code", VG_(strlen)(base) + 32);
  VG_(sprintf)(name, "%s+0x%lx", base, offset);
  return name;
}

HChar* unnamed_code_name(Addr address, Addr* begins, Addr* bias) {
  const HChar *file = unnamed_code_file(address), *symbol;
  *begins = 0;
  if (file == NULL) return VG_(strdup)("plumbline.unnamed_code", "???");
  Image image = image_at(address);
  Int row = row_of(&image, address);
  Addr described = row < 0 ? described_begin(&image, address) : 0;
  Addr begin = row >= 0 ? function_of_row(&image, (UInt)row) : described != 0 ? described : VG_PGROUNDDN(address);
  *bias = image.bias;
  *begins = begin - image.bias;
  for (Int k = row; k >= 0; k--) {
    Addr named = function_of_row(&image, (UInt)k);
    if (VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), named, &symbol)) return name_with_offset(symbol, begin - named);
  }
  const HChar* slash = VG_(strrchr)(file, '/');
  return name_with_offset(slash == NULL ? file : slash + 1, begin - image.bias);
}
