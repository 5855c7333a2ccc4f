// SPDX-License-Identifier: GPL-2.0-or-later
//
// The Plumbline tool registers with Valgrind's core here, and answers the program's requests.
#include "client_requests.h"
#include "fma.h"
#include "functions.h"
#include "instrument.h"
#include "options.h"
#include "pieces.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "regions.h"
#include "report.h"
#include "segments.h"

// The program must have been compiled against this very layout of the struct, and own the memory that the counts are to fill.
static Bool takes_counts(const UWord* request) {
  return request[2] == sizeof(struct plumbline_counts) && request[3] == PLUMBLINE_EMULATOR_ABI &&
         VG_(am_is_valid_for_client)(request[1], sizeof(struct plumbline_counts), VKI_PROT_READ | VKI_PROT_WRITE);
}

static Bool read_thread(ThreadId tid, const UWord* request) {
  struct plumbline_counts* c = (struct plumbline_counts*)request[1];
  if (!takes_counts(request)) return False;
  c->abi = PLUMBLINE_EMULATOR_ABI;
  c->thread = tid;
  VG_(memcpy)(c->value, segments_thread(tid)->counts, sizeof c->value);
  return True;
}

static Bool read_all(const UWord* request) {
  struct plumbline_counts* c = (struct plumbline_counts*)request[1];
  if (!takes_counts(request)) return False;
  c->abi = PLUMBLINE_EMULATOR_ABI;
  c->thread = 0;
  segments_total((ULong*)c->value);
  return True;
}

// The program's addresses may be wrong: a mistake of its own must not be the end of the tool.
static Bool is_readable(Addr address, SizeT length) { return VG_(am_is_valid_for_client)(address, length, VKI_PROT_READ); }

// Whether a name can be read: its first page is asked for, then each that it runs on into.
static Bool is_readable_name(Addr name) {
  enum { kPage = 4096, kLongestName = kPage };
  for (Addr at = name; at - name < kLongestName; at++) {
    if ((at == name || at % kPage == 0) && !is_readable(at, 1)) return False;
    if (*(const HChar*)at == '\0') return True;
  }
  return False;
}

static Bool has_name(ThreadId tid, Addr name) {
  if (is_readable_name(name)) return True;
  VG_(umsg)("a mark of thread %u has no readable name of at most 4095 characters (at 0x%lx): it marks nothing\n", tid, name);
  return False;
}

static Bool begin_region(ThreadId tid, const UWord* request) {
  if (!has_name(tid, request[1])) return False;
  if (request[2] & 1) segments_empty_caches();
  regions_begin(tid, (const HChar*)request[1]);
  return True;
}

static Bool end_region(ThreadId tid, const UWord* request) {
  const HChar* name = (const HChar*)request[1];
  if (!has_name(tid, request[1])) return False;
  if (regions_end(tid, name)) return True;
  VG_(umsg)("region \"%s\" ends without having begun in thread %u\n", name, tid);
  return False;
}

static Bool change_l3(Bool changed) {
  if (!changed) return False;
  if (options.simulate_caches && !options.reuse) caches_resize_shared(&options.geometry[2]);
  segments_empty_caches();
  return True;
}

// The caller is stopped, so its records have been replayed.
static Bool handle_request(ThreadId tid, UWord* request, UWord* answer) {
  *answer = 1;
  switch (request[0]) {
    case PLUMBLINE_REQUEST_ABI:
      *answer = PLUMBLINE_EMULATOR_ABI;
      return True;
    case PLUMBLINE_REQUEST_READ_THREAD:
      *answer = read_thread(tid, request);
      return True;
    case PLUMBLINE_REQUEST_READ_ALL:
      *answer = read_all(request);
      return True;
    case PLUMBLINE_REQUEST_COUNTING:
      segments_set_counting(request[1] != 0);
      return True;
    case PLUMBLINE_REQUEST_EMPTY_CACHES:
      segments_empty_caches();
      return True;
    case PLUMBLINE_REQUEST_FLUSH_CACHES:
      segments_write_caches_back();
      return True;
    case PLUMBLINE_REQUEST_SHARE_L3:
      *answer = change_l3(options_share_l3((UInt)request[1]));
      return True;
    case PLUMBLINE_REQUEST_RESIZE_L3:
      *answer = change_l3(options_resize_l3((ULong)request[1]));
      return True;
    case PLUMBLINE_REQUEST_REGION_BEGIN:
      *answer = begin_region(tid, request);
      return True;
    case PLUMBLINE_REQUEST_REGION_END:
      *answer = end_region(tid, request);
      return True;
    default:
      return False;
  }
}

// Every instruction's memory accesses and register writes must survive the optimizer (a dead load is still a load, and an FMA
// helper reads registers from the guest state), and a block must not run across jumps.
static void require_faithful_translation(void) {
  VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdAllregsAtEachInsn;
  VG_(clo_px_file_backed) = VexRegUpdAllregsAtEachInsn;
  VG_(clo_vex_control).guest_chase = False;
}

// The copies of an unrolled loop would each have to meet every new line anew, and be fetched as if they were one pass.
static void keep_loops_as_they_are(void) { VG_(clo_vex_control).iropt_unroll_thresh = 0; }

static void after_options(void) {
  options_check();
  require_faithful_translation();  // once more, over the user's choice
  if (options.self_check) VG_(clo_vex_control).iropt_level = 0;
  fma_detect_host(options.host_fma);
  if (options.simulate_caches || options.simulate_core) keep_loops_as_they_are();
  if (options.reuse)
    caches_configure_reuse(options.geometry[0].line_bytes, options.functions ? pieces_reuse_code : NULL);
  else if (options.simulate_caches)
    caches_configure(options.geometry, options.prefetchers);
  functions_start(options.functions);
  pieces_start(options.loops);
  if (options.simulate_core) core_configure(&options.core);
  segments_start(options.simulate_caches, options.simulate_core, options.count_at_start && options.window == NULL);
  if (options.window != NULL) regions_set_window(options.window, options.window_first, options.window_last);
  instrument_start(options.simulate_caches);
}

static ULong faults_;

static void note_fault(ThreadId tid, Int signal, Bool alternative_stack) {
  if (signal == VKI_SIGSEGV || signal == VKI_SIGBUS || signal == VKI_SIGFPE || signal == VKI_SIGILL) faults_++;
}

static void finish(Int exit_code) {
  if (faults_ > 0) VG_(umsg)
  ("%llu faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL) went to a handler: at each, what ran since the last branch is not counted\n", faults_);
  if (options.out != NULL) report_write();
}

static void forget_parents_counts(ThreadId tid) {
  faults_ = 0;
  segments_forget_counts();
  pieces_forget_counts();
  regions_forget_counts(tid);
  report_forget_threads();
}

// A program that another one replaces never comes to its end: it reports before, and takes that back when it could not be replaced.
static Bool replaces_program(UInt call) { return call == __NR_execve || call == __NR_execveat; }

static void before_system_call(ThreadId tid, UInt call, UWord* arguments, UInt n_arguments) {
  if (options.out != NULL && replaces_program(call)) report_write_before_exec();
}

static void after_system_call(ThreadId tid, UInt call, UWord* arguments, UInt n_arguments, SysRes result) {
  if (options.out != NULL && replaces_program(call)) report_take_back();
}

static void print_debug_usage(void) { VG_(printf)("    (none)\n"); }

static void before_options(void) {
  VG_(details_name)("Plumbline");
  VG_(details_version)("1");
  VG_(details_description)("counts floating-point operations and memory traffic");
  VG_(details_copyright_author)("Copyright (C) 2026, the Plumbline authors, and GNU GPL'd.");
  VG_(details_bug_reports_to)("the Plumbline project");
  VG_(details_avg_translation_sizeB)(400);
  VG_(basic_tool_funcs)(after_options, instrument_block, finish);
  VG_(needs_client_requests)(handle_request);
  VG_(needs_command_line_options)(options_process, options_print_usage, print_debug_usage);
  VG_(needs_syscall_wrapper)(before_system_call, after_system_call);
  VG_(needs_superblock_discards)(segments_discard);
  VG_(track_start_client_code)(segments_thread_starts);
  VG_(track_stop_client_code)(segments_thread_stops);
  VG_(track_pre_deliver_signal)(note_fault);
  VG_(atfork)(NULL, NULL, forget_parents_counts);
  require_faithful_translation();
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
