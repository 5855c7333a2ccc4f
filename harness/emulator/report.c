// SPDX-License-Identifier: GPL-2.0-or-later
#include "report.h"

#include "functions.h"
#include "options.h"
#include "pieces.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"
#include "regions.h"
#include "segments.h"
#include "selfcheck.h"

#define EVENT_NAME(identifier, name, unit, description) name,
#define EVENT_UNIT(identifier, name, unit, description) unit,
static const HChar* const name_[] = {PLUMBLINE_EMULATED_EVENTS(EVENT_NAME)};
static const HChar* const unit_[] = {PLUMBLINE_EMULATED_EVENTS(EVENT_UNIT)};

static void print_string(VgFile* f, const HChar* text) {
  VG_(fprintf)(f, "\"");
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      VG_(fprintf)(f, "\\%c", *text);
    else if ((UChar)*text < 0x20)
      VG_(fprintf)(f, "\\u%04x", (UInt)(UChar)*text);
    else
      VG_(fprintf)(f, "%c", *text);
  }
  VG_(fprintf)(f, "\"");
}

// Whether an event is known: without the simulation nothing crosses a boundary below L1, so such counts are unknown, not zero.
static Bool is_known(UInt event) {
  if (event == PLUMBLINE_EVENT_core_cycles) return options.simulate_core;
  return (options.simulate_caches && !options.reuse) || event < PLUMBLINE_EVENT_l1_l2_demand_read;
}

static void print_counts(VgFile* f, const ULong* counts) {
  VG_(fprintf)(f, "{");
  for (UInt e = 0; e < PLUMBLINE_EVENT_COUNT; e++) {
    VG_(fprintf)(f, "%s\"%s\":", e ? "," : "", name_[e]);
    if (is_known(e))
      VG_(fprintf)(f, "%llu", counts[e]);
    else
      VG_(fprintf)(f, "null");
  }
  VG_(fprintf)(f, "}");
}

static void print_core(VgFile* f) {
  const CoreGeometry* c = &options.core;
  if (!options.simulate_core) {
    VG_(fprintf)(f, "null");
    return;
  }
  VG_(fprintf)
  (f, "{\"width\":%u,\"window\":%u,\"registers\":%u,\"add\":%u,\"mul\":%u,\"vectors\":%u,\"loads\":%u,\"stores\":%u,", c->width, c->window,
   c->registers, c->add, c->mul, c->vectors, c->loads, c->stores);
  VG_(fprintf)
  (f, "\"add_latency\":%u,\"mul_latency\":%u,\"fma_latency\":%u,\"code_bytes\":%u}", c->add_latency, c->mul_latency, c->fma_latency,
   c->code_bytes);
}

static void print_head(VgFile* f) {
  VG_(fprintf)
  (f, "{\"schema\":\"plumbline-emulator/1\",\"abi\":%u,\"pid\":%d,\"parent\":%d,\n\"command\":[", PLUMBLINE_EMULATOR_ABI, VG_(getpid)(),
   VG_(getppid)());
  print_string(f, VG_(args_the_exename));
  for (Word k = 0; k < VG_(sizeXA)(VG_(args_for_client)); k++) {
    VG_(fprintf)(f, ",");
    print_string(f, *(HChar**)VG_(indexXA)(VG_(args_for_client), k));
  }
  VG_(fprintf)(f, "],\n\"units\":{");
  for (UInt e = 0; e < PLUMBLINE_EVENT_COUNT; e++) VG_(fprintf)(f, "%s\"%s\":\"%s\"", e ? "," : "", name_[e], unit_[e]);
  VG_(fprintf)(f, "},\n\"core\":");
  print_core(f);
  VG_(fprintf)(f, ",\n\"caches\":");
  if (!options.simulate_caches) {
    VG_(fprintf)(f, "null");
    return;
  }
  if (options.reuse) {
    VG_(fprintf)
    (f, "{\"reuse\":[\"lines_from\",\"lines_to\",\"read\",\"write\",\"written_from\",\"written_to\"],\"line_bytes\":%u}",
     options.geometry[0].line_bytes);
    return;
  }
  VG_(fprintf)(f, "{");
  for (UInt level = 0; level < 3; level++) {
    const CacheGeometry* g = &options.geometry[level];
    VG_(fprintf)
    (f, "%s\"L%u\":{\"size_bytes\":%llu,\"ways\":%u,\"line_bytes\":%u}", level ? "," : "", level + 1, g->size_bytes, g->ways,
     g->line_bytes);
  }
  VG_(fprintf)(f, ",\"l3_share\":%u,\"prefetchers\":[", options.l3_share);
  Bool first = True;
  for (UInt k = 0; k < kPrefetchers; k++) {
    if (!(options.prefetchers & 1u << k)) continue;
    VG_(fprintf)(f, "%s\"%s\"", first ? "" : ",", prefetcher_name[k]);
    first = False;
  }
  VG_(fprintf)(f, "]");
  VG_(fprintf)(f, "}");
}

// Prints the buckets that hold something; what was never there before has no distance.
static void print_reuse(VgFile* f, const ReuseCounts* c) {
  Bool first = True;
  if (c == NULL) return;
  VG_(fprintf)(f, ",\"reuse\":[");
  for (UInt b = 0; b <= kReuseBuckets; b++) {
    if (!(c->read[b] | c->write[b] | c->written_from[b] | c->written_to[b])) continue;
    VG_(fprintf)(f, "%s", first ? "" : ",");
    if (b == kReuseNever)
      VG_(fprintf)(f, "[null,null");
    else
      VG_(fprintf)(f, "[%llu,%llu", reuse_bucket_begins(b), reuse_bucket_begins(b + 1));
    VG_(fprintf)(f, ",%llu,%llu,%llu,%llu]", c->read[b], c->write[b], c->written_from[b], c->written_to[b]);
    first = False;
  }
  VG_(fprintf)(f, "],\"crowding\":{");
  for (UInt scale = 0; scale < kReuseScales; scale++)
    VG_(fprintf)(f, "%s\"%u\":%llu", scale ? "," : "", reuse_sets(scale), c->crowding[scale]);
  VG_(fprintf)(f, "}");
}

static Bool has_counts(const ULong* counts) {
  for (UInt e = 0; e < PLUMBLINE_EVENT_COUNT; e++)
    if (counts[e] != 0) return True;
  return False;
}

static Bool is_forked_;
void report_forget_threads(void) { is_forked_ = True; }

static void print_threads(VgFile* f) {
  Bool first = True;
  VG_(fprintf)(f, ",\n\"threads\":[");
  for (ThreadId tid = 1; tid < VG_N_THREADS; tid++) {
    const ThreadCounts* t = segments_thread(tid);
    if (t == NULL || (is_forked_ && !has_counts(t->counts))) continue;
    VG_(fprintf)(f, "%s\n{\"thread\":%u,\"counts\":", first ? "" : ",", tid);
    print_counts(f, t->counts);
    if (options.reuse) print_reuse(f, caches_reuse(t->caches));
    VG_(fprintf)(f, "}");
    first = False;
  }
  VG_(fprintf)(f, "]");
}

static void print_regions(VgFile* f) {
  VG_(fprintf)(f, ",\n\"regions\":[");
  Bool first = True;
  for (const Region* r = regions_first(); r != NULL; r = r->next) {
    ULong counts[PLUMBLINE_EVENT_COUNT];
    if (r->entries == 0) continue;  // it was entered outside of the window alone
    regions_counts(r, counts);
    VG_(fprintf)(f, "%s\n{\"name\":", first ? "" : ",");
    first = False;
    print_string(f, r->name);
    VG_(fprintf)(f, ",\"thread\":%u,\"entries\":%llu,\"open\":%s,\"counts\":", r->thread, r->entries, r->depth ? "true" : "false");
    print_counts(f, counts);
    print_reuse(f, r->reuse_sum);
    VG_(fprintf)(f, "}");
  }
  VG_(fprintf)(f, "]");
}

// Prints the counts that are not zero.
static void print_piece(VgFile* f, const Piece* piece) {
  Bool first = True;
  VG_(fprintf)
  (f, "\n{\"begin\":%lu,\"end\":%lu,\"anywhere\":%s,\"to\":[", piece->begin, piece->end, piece->jumps_anywhere ? "true" : "false");
  for (UInt k = 0; k < piece->n_leads_to; k++) VG_(fprintf)(f, "%s%lu", k ? "," : "", piece->leads_to[k]);
  VG_(fprintf)(f, "],\"counts\":{");
  for (UInt e = 0; e < PLUMBLINE_EVENT_COUNT; e++) {
    if (piece->counts[e] == 0 || !is_known(e)) continue;
    VG_(fprintf)(f, "%s\"%s\":%llu", first ? "" : ",", name_[e], piece->counts[e]);
    first = False;
  }
  VG_(fprintf)(f, "}}");
}

typedef struct {
  VgFile* f;
  Bool first;
  ULong least;  // instructions, of a function whose pieces are printed
} Printing;

// A function that fetched no line has no distances.
static void print_reuse_of_function(VgFile* f, const Function* function) {
  static ReuseCounts counts;
  if (function->reuse == 0) return;
  reuse_counts_of_code(function->reuse, &counts);
  print_reuse(f, &counts);
}

static void print_function(const Function* function, void* closure) {
  Printing* printing = closure;
  ULong counts[PLUMBLINE_EVENT_COUNT];
  pieces_sum(function, counts);
  if (!has_counts(counts)) return;
  VG_(fprintf)(printing->f, "%s\n{\"name\":", printing->first ? "" : ",");
  print_string(printing->f, function->name);
  VG_(fprintf)(printing->f, ",\"object\":");
  print_string(printing->f, function->object);
  VG_(fprintf)(printing->f, ",\"begin\":%lu,\"counts\":", function->begin);
  print_counts(printing->f, counts);
  print_reuse_of_function(printing->f, function);
  if (options.loops && function->begin != 0 && counts[PLUMBLINE_EVENT_instructions] >= printing->least) {
    Bool first = True;
    VG_(fprintf)(printing->f, ",\"pieces\":[");
    for (const Piece* p = function->pieces; p != NULL; p = p->next_of_function) {
      if (!has_counts(p->counts)) continue;
      if (!first) VG_(fprintf)(printing->f, ",");
      print_piece(printing->f, p);
      first = False;
    }
    VG_(fprintf)(printing->f, "]");
  }
  VG_(fprintf)(printing->f, "}");
  printing->first = False;
}

// Small functions' pieces would be most of a report that nobody reads.
enum { kFunctionsOfProgram = 10000 };

static void print_functions(VgFile* f, const ULong* total) {
  Printing printing = {f, True, total[PLUMBLINE_EVENT_instructions] / kFunctionsOfProgram};
  VG_(fprintf)(f, ",\n\"functions\":[");
  functions_visit(print_function, &printing);
  VG_(fprintf)(f, "]");
}

/* A file is made anew, so that nothing is written through a link that somebody else left there; what lies under /dev and /proc
   (/dev/stdout) is taken as it is. */
static VgFile* open_report(const HChar* path) {
  if (VG_(strncmp)(path, "/dev/", 5) == 0 || VG_(strncmp)(path, "/proc/", 6) == 0) return VG_(fopen)(path, VKI_O_WRONLY | VKI_O_TRUNC, 0);
  VG_(unlink)(path);
  return VG_(fopen)(path, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_EXCL, 0644);
}

static void write_to(const HChar* path) {
  ULong total[PLUMBLINE_EVENT_COUNT];
  VgFile* f = open_report(path);
  if (f == NULL) {
    VG_(fmsg)("cannot write %s, named by --out: the counts are lost\n", path);
    return;
  }
  segments_total(total);
  print_head(f);
  VG_(fprintf)(f, ",\n\"total\":");
  print_counts(f, total);
  print_threads(f);
  print_regions(f);
  if (options.functions) print_functions(f, total);
  if (options.self_check) selfcheck_report(f);
  VG_(fprintf)(f, "}\n");
  VG_(fclose)(f);
}

void report_write(void) {
  HChar* path = VG_(expand_file_name)("--out", options.out);
  write_to(path);
  VG_(free)(path);
}

static HChar* before_exec_;  // the last one written

static Bool exists(const HChar* path) {
  struct vg_stat status;
  return !sr_isError(VG_(stat)(path, &status));
}

// Writes the report of a process that is about to be replaced. That may happen more than once, so its files are numbered.
void report_write_before_exec(void) {
  HChar* path = VG_(expand_file_name)("--out", options.out);
  HChar* numbered = VG_(malloc)("plumbline.report.path", VG_(strlen)(path) + 32);
  UInt number = 1;
  do VG_(sprintf)(numbered, "%s.before-exec.%u", path, number++);
  while (exists(numbered));
  write_to(numbered);
  VG_(free)(path);
  if (before_exec_ != NULL) VG_(free)(before_exec_);
  before_exec_ = numbered;
}

void report_take_back(void) {
  if (before_exec_ == NULL) return;
  VG_(unlink)(before_exec_);
  VG_(free)(before_exec_);
  before_exec_ = NULL;
}
