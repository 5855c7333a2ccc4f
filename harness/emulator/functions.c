// SPDX-License-Identifier: GPL-2.0-or-later
#include "functions.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "unnamed_code.h"

static VgHashTable* functions_;

void functions_start(Bool told_apart) {
  if (told_apart) functions_ = VG_(HT_construct)("plumbline.functions");
}

static UWord hash_of(const HChar* text, UWord hash) {
  for (; *text; text++) hash = (hash ^ (UChar)*text) * 0x100000001B3ULL;
  return hash;
}

static Word same_function(const void* a, const void* b) {
  const Function *f = a, *g = b;
  return !(f->begin == g->begin && VG_STREQ(f->name, g->name) && VG_STREQ(f->object, g->object));
}

// The begin of the function `name`, which holds the address: static functions of several sources may share a name.
static Addr begin_of(DiEpoch now, Addr address, const HChar* name, Addr* bias) {
  const HChar* with_offset;  // "name+12", or the name alone at its begin
  DebugInfo* file = VG_(find_DebugInfo)(now, address);
  if (file == NULL || !VG_(get_fnname_w_offset)(now, address, &with_offset)) return 0;
  const HChar* offset = with_offset + VG_(strlen)(name);
  Addr into = *offset == '+' ? (Addr)VG_(strtoull10)(offset + 1, NULL) : 0;
  *bias = (Addr)VG_(DebugInfo_get_text_bias)(file);
  return address - into - *bias;
}

Function* functions_at(Addr address, Addr* bias) {
  *bias = 0;
  if (functions_ == NULL) return NULL;
  const HChar *name, *object;
  DiEpoch now = VG_(current_DiEpoch)();
  Function wanted = {.name = NULL};
  // The next call reuses the buffer that a name comes in.
  if (VG_(get_fnname)(now, address, &name)) {
    wanted.name = VG_(strdup)("plumbline.function", name);
    wanted.begin = begin_of(now, address, wanted.name, bias);
  } else {
    wanted.name = unnamed_code_name(address, &wanted.begin, bias);
  }
  if (!VG_(get_objname)(now, address, &object)) object = unnamed_code_file(address);
  if (object == NULL) object = "???";
  wanted.object = VG_(strdup)("plumbline.function", object);
  wanted.key = hash_of(wanted.object, hash_of(wanted.name, 0xCBF29CE484222325ULL ^ wanted.begin));
  Function* f = VG_(HT_gen_lookup)(functions_, &wanted, same_function);
  if (f != NULL) {
    VG_(free)(wanted.name);
    VG_(free)(wanted.object);
    return f;
  }
  f = VG_(calloc)("plumbline.function", 1, sizeof *f);
  *f = wanted;
  VG_(HT_add_node)(functions_, f);
  return f;
}

void functions_visit(void (*visit)(const Function*, void*), void* closure) {
  if (functions_ == NULL) return;
  VG_(HT_ResetIter)(functions_);
  for (const Function* f; (f = VG_(HT_Next)(functions_)) != NULL;) visit(f, closure);
}
