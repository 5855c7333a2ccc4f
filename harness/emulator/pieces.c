// SPDX-License-Identifier: GPL-2.0-or-later
#include "pieces.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"

static Bool told_apart_;
static VgHashTable* pieces_;

void pieces_start(Bool told_apart) {
  told_apart_ = told_apart;
  pieces_ = VG_(HT_construct)("plumbline.pieces");
}

static Word same_piece(const void* a, const void* b) {
  const Piece *p = a, *q = b;
  return !(p->function == q->function && p->begin == q->begin);
}

static Piece* piece_of(Function* function, Addr begin) {
  Piece wanted = {.key = (UWord)(Addr)function ^ (begin << 20), .function = function, .begin = begin};
  Piece* p = VG_(HT_gen_lookup)(pieces_, &wanted, same_piece);
  if (p != NULL) return p;
  p = VG_(calloc)("plumbline.piece", 1, sizeof *p);
  *p = wanted;
  p->next_of_function = function->pieces;
  function->pieces = p;
  VG_(HT_add_node)(pieces_, p);
  return p;
}

Piece* pieces_of(Addr begin, Addr last, Addr end) {
  Addr bias;
  Function* function = functions_at(last, &bias);
  if (function == NULL) return NULL;
  // Code in no file may be other code the next time.
  if (!told_apart_ || function->begin == 0) return piece_of(function, 0);
  Addr begin_in_file = begin - bias > function->begin ? begin - bias : function->begin;
  Piece* p = piece_of(function, begin_in_file);
  p->bias = bias;
  if (end - bias > p->end) p->end = end - bias;
  return p;
}

void pieces_lead_to(Piece* piece, Addr address) {
  if (piece == NULL || piece->begin == 0) return;
  Addr there = address - piece->bias;
  for (UInt k = 0; k < piece->n_leads_to; k++)
    if (piece->leads_to[k] == there) return;
  if (piece->n_leads_to == piece->leads_to_capacity) {
    piece->leads_to_capacity = piece->leads_to_capacity ? 2 * piece->leads_to_capacity : 2;
    piece->leads_to = VG_(realloc)("plumbline.leads_to", piece->leads_to, piece->leads_to_capacity * sizeof piece->leads_to[0]);
  }
  piece->leads_to[piece->n_leads_to++] = there;
}

void pieces_sum(const Function* function, ULong sum[PLUMBLINE_EVENT_COUNT]) {
  VG_(memset)(sum, 0, PLUMBLINE_EVENT_COUNT * sizeof sum[0]);
  for (const Piece* p = function->pieces; p != NULL; p = p->next_of_function)
    for (UInt e = 0; e < PLUMBLINE_EVENT_COUNT; e++) sum[e] += p->counts[e];
}

void pieces_forget_counts(void) {
  VG_(HT_ResetIter)(pieces_);
  for (Piece* p; (p = VG_(HT_Next)(pieces_)) != NULL;) VG_(memset)(p->counts, 0, sizeof p->counts);
  reuse_forget_codes();
}

ReuseCode pieces_reuse_code(const ULong* counts) {
  const Piece* piece = (const Piece*)((const UChar*)counts - offsetof(Piece, counts));
  if (piece->function->reuse == 0) piece->function->reuse = reuse_new_code();
  return piece->function->reuse;
}

// ----------------------------------------------------------------------------------------------------- where jumps may lead

// The places in a function that jumps may lead to, as it lies in memory.
typedef struct {
  UInt epoch;  // of Valgrind's knowledge of files: another file may be there later
  Addr begin, end;
  UChar* bits;  // of each byte; NULL: none are known
} Targets;
static Targets targets_;  // of the function that was met last

enum { kLargestFunction = 1 << 20 };

static Bool is_in(const Function* function, Addr address) {
  Addr bias;
  return functions_at(address, &bias) == function;
}

// The end of a function that holds the address: by doubled strides to a place behind it, then by halves.
static Addr end_of(const Function* function, Addr address) {
  Addr inside = address, stride = 64;
  while (stride < kLargestFunction && is_in(function, inside + stride)) inside += stride, stride *= 2;
  Addr outside = inside + stride;
  while (outside - inside > 1) {
    Addr middle = inside + (outside - inside) / 2;
    if (is_in(function, middle))
      inside = middle;
    else
      outside = middle;
  }
  return outside;
}

static void mark(Targets* t, Addr target) {
  if (target >= t->begin && target < t->end) t->bits[(target - t->begin) / 8] |= (UChar)(1 << (target - t->begin) % 8);
}

static Int displacement(Addr at) {
  Int value;
  VG_(memcpy)(&value, (const void*)at, sizeof value);
  return value;
}

// Any byte may begin a jump; what is none costs a cut too many, and no count.
static void find_targets(Targets* t) {
  for (Addr p = t->begin; p + 2 <= t->end; p++) {
    const UChar* code = (const UChar*)p;
    if ((code[0] & 0xF0) == 0x70 || code[0] == 0xEB || (code[0] & 0xFC) == 0xE0) mark(t, p + 2 + (Addr)(Long)(Char)code[1]);
    if (code[0] == 0xE9 && p + 5 <= t->end) mark(t, p + 5 + (Addr)(Long)displacement(p + 1));
    if (code[0] == 0x0F && (code[1] & 0xF0) == 0x80 && p + 6 <= t->end) mark(t, p + 6 + (Addr)(Long)displacement(p + 2));
  }
}

static void meet_function_at(Addr address) {
  Addr bias;
  Function* function = functions_at(address, &bias);
  UInt epoch = VG_(current_DiEpoch)().n;
  if (function->begin == 0) {
    targets_ = (Targets){epoch, address, address + 1, NULL};
    return;
  }
  Addr begin = function->begin + bias;
  // A function keeps its code for as long as its file lies there.
  if (function->targets == NULL || function->targets_begin != begin) {
    Targets t = {epoch, begin, end_of(function, address), NULL};
    SizeT bytes = t.end - t.begin;
    t.bits = VG_(calloc)("plumbline.targets", bytes / 8 + 1, 1);
    if (VG_(am_is_valid_for_client)(t.begin, bytes, VKI_PROT_READ)) find_targets(&t);
    if (function->targets != NULL) VG_(free)(function->targets);
    function->targets = t.bits;
    function->targets_begin = t.begin, function->targets_end = t.end;
  }
  targets_ = (Targets){epoch, begin, function->targets_end, function->targets};
}

Bool pieces_cut_before(Addr address) {
  if (!told_apart_) return False;
  Bool is_known = address >= targets_.begin && address < targets_.end && targets_.epoch == VG_(current_DiEpoch)().n;
  if (!is_known) meet_function_at(address);
  if (targets_.bits == NULL || address < targets_.begin || address >= targets_.end) return False;
  return (targets_.bits[(address - targets_.begin) / 8] >> (address - targets_.begin) % 8) & 1;
}
