// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"

// The default is a core of AMD's Zen 4 with its share of a 32 MiB L3.
Options options = {
    .geometry = {{32 << 10, 8, 64}, {1 << 20, 8, 64}, {32 << 20, 16, 64}},
    .l3_share = 1,
    .prefetchers = 0,
    .simulate_caches = True,
    .reuse = False,
    .functions = False,
    .loops = False,
    .count_at_start = True,
    .host_fma = True,
    .window = NULL,
    .window_first = 1,
    .window_last = 0,
    .simulate_core = False,
    .core = {6, 320, 176, 2, 2, 4, 2, 1, 3, 3, 4, 64},
    .out = NULL,
};

const HChar* const prefetcher_name[kPrefetchers] = {"l1-next", "l2-adjacent", "l2-stream"};

static void refuse(const HChar* argument, const HChar* reason) {
  VG_(fmsg)("bad option %s: %s\n", argument, reason);
  VG_(exit)(1);
}

// Answers False if text is not a decimal number, and moves *text behind it.
static Bool parse_number(const HChar** text, ULong* number) {
  HChar* end;
  if (**text < '0' || **text > '9') return False;
  *number = (ULong)VG_(strtoll10)(*text, &end);
  *text = end;
  return True;
}

static const HChar* geometry_fault(const CacheGeometry* g) {
  if (g->line_bytes < 16 || g->line_bytes > 4096 || (g->line_bytes & (g->line_bytes - 1)))
    return "LINE must be a power of two from 16 to 4096 bytes";
  if (g->ways == 0 || g->size_bytes == 0) return "SIZE and WAYS must be positive";
  if (g->size_bytes % ((ULong)g->ways * g->line_bytes)) return "SIZE must be a multiple of WAYS times LINE";
  if (g->size_bytes > 1ULL << 34) return "SIZE must be at most 16 GiB";
  return NULL;
}

static void parse_geometry(const HChar* argument, const HChar* value, CacheGeometry* g) {
  ULong size = 0, ways = 0, line = 0;
  Bool well_formed = parse_number(&value, &size) && *value++ == ',' && parse_number(&value, &ways) && *value++ == ',' &&
                     parse_number(&value, &line) && *value == '\0' && ways <= 1 << 20 && line <= 1 << 20;
  if (!well_formed) refuse(argument, "wanted SIZE,WAYS,LINE as numbers, sizes in bytes");
  *g = (CacheGeometry){size, (UInt)ways, (UInt)line};
  const HChar* fault = geometry_fault(g);
  if (fault != NULL) refuse(argument, fault);
}

static Bool parse_yes_no(const HChar* argument, const HChar* value) {
  if (VG_STREQ(value, "yes")) return True;
  if (!VG_STREQ(value, "no")) refuse(argument, "wanted yes or no");
  return False;
}

static Bool parse_caches(const HChar* argument, const HChar* value) {
  if (VG_STREQ(value, "yes")) return True;
  if (!VG_STREQ(value, "no")) refuse(argument, "wanted yes, no or reuse");
  return False;
}

static UInt parse_share(const HChar* argument, const HChar* value) {
  ULong share = 0;
  if (!parse_number(&value, &share) || *value || share == 0 || share > 65536) refuse(argument, "wanted a number from 1 to 65536");
  return (UInt)share;
}

static UInt parse_prefetchers(const HChar* argument, const HChar* value) {
  UInt all = 0;
  if (VG_STREQ(value, "none")) return 0;
  while (True) {
    UInt k = 0, length = 0;
    while (value[length] && value[length] != ',') length++;
    while (k < kPrefetchers && !(VG_(strlen)(prefetcher_name[k]) == length && VG_(strncmp)(prefetcher_name[k], value, length) == 0)) k++;
    if (k == kPrefetchers) refuse(argument, "wanted none, or some of l1-next,l2-adjacent,l2-stream");
    all |= 1u << k;
    if (value[length] == '\0') return all;
    value += length + 1;
  }
}

static void parse_window_entries(const HChar* argument, const HChar* value) {
  ULong first = 0, last = 0;
  if (!parse_number(&value, &first) || *value++ != '-' || !parse_number(&value, &last) || *value || first == 0 || last < first)
    refuse(argument, "wanted FIRST-LAST as numbers, from 1");
  options.window_first = first, options.window_last = last;
}

static void parse_core(const HChar* argument, const HChar* value) {
  enum { kNumbers = sizeof(CoreGeometry) / sizeof(UInt) };
  UInt number[kNumbers];
  options.simulate_core = !VG_STREQ(value, "no");
  if (!options.simulate_core || VG_STREQ(value, "yes")) return;
  for (UInt k = 0; k < kNumbers; k++) {
    ULong one = 0;
    if (!parse_number(&value, &one) || *value++ != (k + 1 < kNumbers ? ',' : '\0') || one == 0 || one > 4096)
      refuse(argument, "wanted yes, no, or twelve numbers from 1 to 4096");
    number[k] = (UInt)one;
  }
  VG_(memcpy)(&options.core, number, sizeof options.core);
}

Bool options_process(const HChar* argument) {
  const HChar* value;
  if (VG_STR_CLO(argument, "--l1", value)) {
    parse_geometry(argument, value, &options.geometry[0]);
  } else if (VG_STR_CLO(argument, "--l2", value)) {
    parse_geometry(argument, value, &options.geometry[1]);
  } else if (VG_STR_CLO(argument, "--l3", value)) {
    parse_geometry(argument, value, &options.geometry[2]);
  } else if (VG_STR_CLO(argument, "--l3-share", value)) {
    options.l3_share = parse_share(argument, value);
  } else if (VG_STR_CLO(argument, "--prefetch", value)) {
    options.prefetchers = parse_prefetchers(argument, value);
  } else if (VG_STR_CLO(argument, "--functions", value)) {
    options.functions = parse_yes_no(argument, value);
  } else if (VG_STR_CLO(argument, "--loops", value)) {
    options.loops = parse_yes_no(argument, value);
  } else if (VG_STR_CLO(argument, "--caches", value)) {
    options.reuse = VG_STREQ(value, "reuse");
    options.simulate_caches = options.reuse || parse_caches(argument, value);
  } else if (VG_STR_CLO(argument, "--core", value)) {
    parse_core(argument, value);
  } else if (VG_STR_CLO(argument, "--count-at-start", value)) {
    options.count_at_start = parse_yes_no(argument, value);
  } else if (VG_STR_CLO(argument, "--host-fma", value)) {
    options.host_fma = parse_yes_no(argument, value);
  } else if (VG_STR_CLO(argument, "--window", value)) {
    if (*value == '\0') refuse(argument, "wanted the name of a region");
    options.window = value;
  } else if (VG_STR_CLO(argument, "--window-entries", value)) {
    parse_window_entries(argument, value);
  } else if (VG_STR_CLO(argument, "--self-check", value)) {
    options.self_check = parse_yes_no(argument, value);
  } else if (VG_STR_CLO(argument, "--out", value)) {
    if (*value == '\0') refuse(argument, "wanted a file name");
    options.out = value;
  } else {
    return False;
  }
  return True;
}

static CacheGeometry whole_l3_;

Bool options_share_l3(UInt share) {
  ULong set_bytes = (ULong)whole_l3_.ways * whole_l3_.line_bytes, sets = share == 0 ? 0 : whole_l3_.size_bytes / set_bytes / share;
  if (sets == 0) return False;
  options.geometry[2].size_bytes = sets * set_bytes;
  options.l3_share = share;
  return True;
}

Bool options_resize_l3(ULong bytes) {
  CacheGeometry before = whole_l3_;
  whole_l3_.size_bytes = bytes;
  if (geometry_fault(&whole_l3_) == NULL && options_share_l3(options.l3_share)) return True;
  whole_l3_ = before;
  return False;
}

void options_check(void) {
  if (options.loops && !options.functions) refuse("--loops=yes", "loops are told apart within functions: --functions=yes, too");
  if (options.reuse && options.prefetchers)
    refuse("--prefetch", "with --caches=reuse nothing is prefetched: distances are of what the program uses");
  for (UInt level = 1; level < 3; level++)
    if (options.geometry[level].line_bytes != options.geometry[0].line_bytes)
      refuse(level == 1 ? "--l2" : "--l3", "all levels must have the same LINE");
  whole_l3_ = options.geometry[2];
  if (!options_share_l3(options.l3_share)) refuse("--l3-share", "L3 has fewer sets than parts are wanted");
}

void options_print_usage(void) {
  VG_(printf)
  ("    --l1=SIZE,WAYS,LINE       first-level cache of each thread, bytes [32768,8,64]\n"
   "    --l2=SIZE,WAYS,LINE       second-level cache of each thread [1048576,8,64]\n"
   "    --l3=SIZE,WAYS,LINE       third-level cache shared by all threads [33554432,16,64]\n"
   "    --l3-share=N              this process gets one Nth of L3's sets, as one of N ranks [1]\n"
   "    --prefetch=LIST           simulated prefetchers: none, or some of l1-next,l2-adjacent,l2-stream [none]\n"
   "    --functions=yes|no        counts by function, too, in the report [no]\n"
   "    --loops=yes|no            with --functions=yes, the pieces of their code, too, of which loops are made [no]\n"
   "    --caches=yes|no|reuse     simulate the caches [yes]; no: counts only, faster; reuse: how many other lines are used between\n"
   "                              two uses of one, from which the traffic of caches of any size follows (of --l1 the LINE counts)\n"
   "    --core=no|yes|W,R,G,A,M,V,L,S,a,m,f,C   simulate a core whose data are in L1 [no]: instructions taken up in a cycle; instructions, "
   "and\n"
   "                              results in vector registers, under way at once; additions, products, vector instructions, loads, stores\n"
   "                              begun in a cycle; latencies of additions, products, fused multiply-adds; bytes of an\n"
   "                              aligned stretch of code, of which one is fetched in a cycle [yes: 6,320,176,2,2,4,2,1,3,3,4,64]\n"
   "    --count-at-start=yes|no   count from the start, or wait for the program's request [yes]\n"
   "    --host-fma=yes|no         run fused multiply-adds on the host's, where it has them [yes]; no: Valgrind's software\n"
   "    --self-check=yes|no       hold decoded arithmetic against Valgrind's translation [no]; slow\n"
   "    --window=NAME             count only while a thread is in the region of that name, marked in the program\n"
   "    --window-entries=F-L      with --window, only in each thread's entries F to L of it, from 1 [all]\n"
   "    --out=FILE                write the counts as JSON at exit; %%p becomes the process id\n");
}
