// SPDX-License-Identifier: GPL-2.0-or-later
#include "core.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

// Latencies in cycles as they are alike among cores since 2017 (Fog, Instruction tables, 2023: Skylake-X to Golden Cove, Zen 2 to Zen 4).
enum {
  kLatencyLoad = 5,
  kLatencyConvert = 5,
  kLatencyDivide = 14,
  kLatencySqrt = 18,
  kLatencyOther = 1,
  kDividerOfLane = 2,   // cycles in which a division or root of one fp64 lane lets no other begin; of fp32 half of them
  kDividerAtLeast = 4,  // of an instruction
};

enum { kTicksOfCycle = 60 };  // what most widths divide
enum { kLongSegment = 32 };   // instructions
enum { kFetchedAhead = 8 };   // cycles that code is fetched before it is taken up, at most: what a queue between them holds
typedef ULong Ticks;

// ------------------------------------------------------------------------------------------------------------ guest registers

enum { kGeneral = 16, kFlags = kGeneral, kVectors = kFlags + 1, kSlots = kVectors + 16, kNoSlot = -1 };
enum { kGeneralBytes = 8, kVectorBytes = 32, kWholeVector = 16 };

static Int slot_of(Int offset) {
  const Int general = offsetof(VexGuestAMD64State, guest_RAX), flags = offsetof(VexGuestAMD64State, guest_CC_OP);
  const Int vectors = offsetof(VexGuestAMD64State, guest_YMM0);
  if (offset >= general && offset < general + kGeneral * kGeneralBytes) return (offset - general) / kGeneralBytes;
  if (offset >= flags && offset <= (Int)offsetof(VexGuestAMD64State, guest_CC_NDEP)) return kFlags;
  if (offset >= vectors && offset < vectors + 16 * kVectorBytes) return kVectors + (offset - vectors) / kVectorBytes;
  return kNoSlot;
}

// -------------------------------------------------------------------------------------------- times, in terms of the segment's begin

// When something is ready: so many cycles after each register that it needs was, and after the segment's begin. None: needs it not.
enum { kNone = -1, kBegin = kSlots, kTerms = kSlots + 1 };
typedef struct {
  Short after[kTerms];
} Ready;

typedef struct {
  Ready ready;
  UInt segment;      // that it was set in
  UInt instruction;  // likewise; later ones wait for its latency
  Int slot;          // the register that it went to, whose time stands for its own in later segments
  Bool is_computed;  // not a copy
  Bool is_loaded;    // or a copy of what is
  UChar latency;     // from when its instruction has what it needs to when others may use it
} Temp;

static CoreGeometry geometry_;
static const IRSB* in_;
static Temp* temps_;
static UInt temps_capacity_;
static UInt segment_, instruction_;  // their numbers
static UInt segment_instructions_;   // so far
static Ready registers_[kSlots];
static Ready end_;                                                    // of all that was begun
static UInt fp_latency_;                                              // of the current instruction
static Bool computes_in_vectors_, adds_, multiplies_, divides_;       // likewise
static UInt vector_instructions_, additions_, products_, divisions_;  // of the segment; fused ones are products, roots divisions
static UInt vector_results_;                                          // likewise: vector registers that are written, but by copies
static Addr first_address_, end_address_;                             // of its code, 0 before its first instruction
static Ready put_[kSlots];                                            // by the current instruction
static UInt put_bytes_[kSlots];
static Bool put_is_new_[kSlots];  // not a copy, which a core makes by giving a register one name more

static void nothing(Ready* r) {
  for (UInt k = 0; k < kTerms; k++) r->after[k] = kNone;
}

static void wait_for(Ready* r, const Ready* other, Int cycles) {
  for (UInt k = 0; k < kTerms; k++)
    if (other->after[k] != kNone && other->after[k] + cycles > r->after[k]) r->after[k] = (Short)(other->after[k] + cycles);
}

static void begin_segment(void) {
  segment_++;
  segment_instructions_ = 0;
  for (UInt k = 0; k < kSlots; k++) {
    nothing(&registers_[k]);
    registers_[k].after[k] = 0;
  }
  nothing(&end_);
  first_address_ = end_address_;  // the next one goes on where this one ends
  vector_instructions_ = additions_ = products_ = divisions_ = vector_results_ = 0;
}

void core_configure(const CoreGeometry* geometry) { geometry_ = *geometry; }

void core_begin_block(const IRSB* in) {
  UInt n = (UInt)in->tyenv->types_used;
  if (n > temps_capacity_) {
    temps_capacity_ = 2 * n;
    if (temps_ != NULL) VG_(free)(temps_);
    temps_ = VG_(malloc)("plumbline.core.temps", temps_capacity_ * sizeof temps_[0]);
  }
  for (UInt t = 0; t < n; t++) temps_[t].segment = 0, temps_[t].slot = kNoSlot;
  in_ = in;
  segment_ = instruction_ = 0;
  begin_segment();
  VG_(memset)(put_bytes_, 0, sizeof put_bytes_);
  first_address_ = end_address_ = 0;
  VG_(memset)(put_is_new_, 0, sizeof put_is_new_);
}

static UInt at_least(UInt value, UInt other) { return value > other ? value : other; }

// The current instruction computes by a pipe of that kind, NULL for any, and takes so many cycles at least.
static void computes_by(Bool* kind, UInt latency) {
  if (kind != NULL) *kind = True;
  fp_latency_ = at_least(fp_latency_, latency);
}

static void note_arithmetic(UInt event) {
  switch (event) {
    case PLUMBLINE_EVENT_flops_fp64_fma:
    case PLUMBLINE_EVENT_flops_fp32_fma:
      return computes_by(&multiplies_, geometry_.fma_latency);
    case PLUMBLINE_EVENT_flops_fp64_mul:
    case PLUMBLINE_EVENT_flops_fp32_mul:
      return computes_by(&multiplies_, geometry_.mul_latency);
    case PLUMBLINE_EVENT_flops_fp64_add:
    case PLUMBLINE_EVENT_flops_fp32_add:
    case PLUMBLINE_EVENT_fp_compare:
    case PLUMBLINE_EVENT_fp_min_max:
      return computes_by(&adds_, geometry_.add_latency);
    case PLUMBLINE_EVENT_flops_fp64_div:
    case PLUMBLINE_EVENT_flops_fp32_div:
      return computes_by(&divides_, kLatencyDivide);
    case PLUMBLINE_EVENT_flops_fp64_sqrt:
    case PLUMBLINE_EVENT_flops_fp32_sqrt:
      return computes_by(&divides_, kLatencySqrt);
    case PLUMBLINE_EVENT_fp_convert:
    case PLUMBLINE_EVENT_fp_round:
    case PLUMBLINE_EVENT_fp_approximate:
      return computes_by(NULL, kLatencyConvert);
    default:
      return;
  }
}

// What an instruction has put into a register is there when it ends: of a part of it, when the rest is there, too.
static void end_instruction(void) {
  vector_instructions_ += computes_in_vectors_;
  additions_ += adds_;
  products_ += multiplies_;
  divisions_ += divides_;
  computes_in_vectors_ = adds_ = multiplies_ = divides_ = False;
  for (Int s = 0; s < kSlots; s++) {
    if (put_bytes_[s] == 0) continue;
    UInt whole = s >= kVectors ? kWholeVector : s == kFlags ? 0 : kGeneralBytes;
    if (s >= kVectors && put_is_new_[s]) vector_results_++;
    if (put_bytes_[s] < whole) wait_for(&put_[s], &registers_[s], 0);
    registers_[s] = put_[s];
    wait_for(&end_, &put_[s], 0);
    put_bytes_[s] = 0;
    put_is_new_[s] = False;
  }
}

Bool core_segment_is_long(void) { return segment_instructions_ >= kLongSegment; }

void core_instruction(const DecodedInstruction* decoded, Addr address, UInt length) {
  end_instruction();
  segment_instructions_++;
  if (first_address_ == 0) first_address_ = address;
  end_address_ = address + length;
  instruction_++;
  fp_latency_ = kLatencyOther;
  for (UInt k = 0; k < decoded->n_amounts; k++) note_arithmetic(decoded->amounts[k].event);
}

// ----------------------------------------------------------------------------------------------------------------- statements

// The latency of an instruction is added where its results leave it, so that the parts of its translation cost nothing of themselves.
// What was set before this segment is ready when the register that it went to is.
static void wait_for_temp(Ready* r, IRTemp temp, Bool leaves) {
  const Temp* t = &temps_[temp];
  if (t->segment == segment_) {
    wait_for(r, &t->ready, leaves || t->instruction != instruction_ ? t->latency : 0);
    return;
  }
  UInt term = t->slot == kNoSlot ? kBegin : (UInt)t->slot;
  if (r->after[term] < 0) r->after[term] = 0;
}

static void use(Ready* r, const IRExpr* e) {
  if (e->tag == Iex_RdTmp)
    wait_for_temp(r, e->Iex.RdTmp.tmp, False);
  else if (r->after[kBegin] < 0)
    r->after[kBegin] = 0;
}

static Bool is_copy(IROp op) {
  switch (op) {
    case Iop_ReinterpF64asI64:
    case Iop_ReinterpI64asF64:
    case Iop_ReinterpF32asI32:
    case Iop_ReinterpI32asF32:
    case Iop_64HLtoV128:
    case Iop_V128to64:
    case Iop_V128HIto64:
    case Iop_64UtoV128:
    case Iop_32UtoV128:
    case Iop_V128to32:
    case Iop_V256toV128_0:
    case Iop_V256toV128_1:
    case Iop_V128HLtoV256:
    case Iop_V256to64_0:
    case Iop_V256to64_1:
    case Iop_V256to64_2:
    case Iop_V256to64_3:
    case Iop_64x4toV256:
    case Iop_64to32:
    case Iop_32Uto64:
    case Iop_64to8:
    case Iop_64to16:
    case Iop_8Uto64:
    case Iop_16Uto64:
    case Iop_SetV128lo64:
    case Iop_SetV128lo32:
      return True;
    default:
      return False;
  }
}

// The temporary of an expression, if the current instruction has set it; else NULL.
static const Temp* own_temp(const IRExpr* e) {
  if (e->tag != Iex_RdTmp) return NULL;
  const Temp* t = &temps_[e->Iex.RdTmp.tmp];
  return t->segment == segment_ && t->instruction == instruction_ ? t : NULL;
}

static Bool is_fp_type(IRType type) { return type == Ity_F64 || type == Ity_F32 || type == Ity_V128 || type == Ity_V256; }

static void set_temp(IRTemp temp, const Ready* ready, Bool computed, Bool loaded) {
  Temp* t = &temps_[temp];
  t->ready = *ready;
  t->segment = segment_;
  t->instruction = instruction_;
  t->slot = kNoSlot;
  t->is_computed = computed;
  t->is_loaded = loaded;
  if (computed && is_fp_type(typeOfIRTemp(in_->tyenv, temp))) computes_in_vectors_ = True;
  t->latency = (UChar)(!computed ? 0 : is_fp_type(typeOfIRTemp(in_->tyenv, temp)) ? fp_latency_ : kLatencyOther);
}

static void load(Ready* r, const IRExpr* address) {
  Ready where;
  nothing(&where);
  use(&where, address);
  wait_for(r, &where, kLatencyLoad);
}

// The operands of an operation; answers their number, 0 for what is none.
static UInt operands_of(const IRExpr* e, const IRExpr* operand[4]) {
  switch (e->tag) {
    case Iex_Unop:
      operand[0] = e->Iex.Unop.arg;
      return 1;
    case Iex_Binop:
      operand[0] = e->Iex.Binop.arg1, operand[1] = e->Iex.Binop.arg2;
      return 2;
    case Iex_Triop:
      operand[0] = e->Iex.Triop.details->arg1, operand[1] = e->Iex.Triop.details->arg2, operand[2] = e->Iex.Triop.details->arg3;
      return 3;
    case Iex_Qop:
      operand[0] = e->Iex.Qop.details->arg1, operand[1] = e->Iex.Qop.details->arg2;
      operand[2] = e->Iex.Qop.details->arg3, operand[3] = e->Iex.Qop.details->arg4;
      return 4;
    case Iex_ITE:
      operand[0] = e->Iex.ITE.cond, operand[1] = e->Iex.ITE.iftrue, operand[2] = e->Iex.ITE.iffalse;
      return 3;
    case Iex_RdTmp:
      operand[0] = e;
      return 1;
    default:
      return 0;
  }
}

static Bool copies(const IRExpr* e) {
  switch (e->tag) {
    case Iex_RdTmp:
      return True;
    case Iex_Unop:
      return is_copy(e->Iex.Unop.op);
    case Iex_Binop:
      return is_copy(e->Iex.Binop.op);
    case Iex_Qop:
      return is_copy(e->Iex.Qop.details->op);
    default:
      return False;
  }
}

static void write_temp(IRTemp temp, const IRExpr* e) {
  Ready r;
  const IRExpr* operand[4];
  const UInt n = operands_of(e, operand);
  Bool computed = n > 0 && !copies(e), loaded = e->tag == Iex_Load;
  nothing(&r);
  for (UInt k = 0; k < n; k++) {
    use(&r, operand[k]);
    const Temp* own = own_temp(operand[k]);
    computed |= own != NULL && own->is_computed;
    loaded |= own != NULL && own->is_loaded;
  }
  if (e->tag == Iex_Get && slot_of(e->Iex.Get.offset) != kNoSlot) r = registers_[slot_of(e->Iex.Get.offset)];
  if (e->tag == Iex_Load) load(&r, e->Iex.Load.addr);
  if (e->tag == Iex_CCall) {
    for (UInt k = 0; e->Iex.CCall.args[k] != NULL; k++) use(&r, e->Iex.CCall.args[k]);
    computed = True;
  }
  set_temp(temp, &r, computed, loaded);
}

static void put(Int offset, const IRExpr* data) {
  Int slot = slot_of(offset);
  if (slot == kNoSlot) return;
  if (put_bytes_[slot] == 0) nothing(&put_[slot]);
  put_bytes_[slot] += (UInt)sizeofIRType(typeOfIRExpr(in_->tyenv, data));
  if (data->tag != Iex_RdTmp) {
    if (put_[slot].after[kBegin] < 0) put_[slot].after[kBegin] = 0;
    return;
  }
  const Temp* own = own_temp(data);
  put_is_new_[slot] |= own != NULL && (own->is_computed || own->is_loaded);
  wait_for_temp(&put_[slot], data->Iex.RdTmp.tmp, True);
  temps_[data->Iex.RdTmp.tmp].slot = slot;
}

static void store(const IRExpr* address, const IRExpr* data) {
  use(&end_, address);
  if (data->tag == Iex_RdTmp) wait_for_temp(&end_, data->Iex.RdTmp.tmp, True);
}

void core_statement(const IRStmt* st) {
  switch (st->tag) {
    case Ist_WrTmp:
      write_temp(st->Ist.WrTmp.tmp, st->Ist.WrTmp.data);
      break;
    case Ist_Put:
      put(st->Ist.Put.offset, st->Ist.Put.data);
      break;
    case Ist_Store:
      store(st->Ist.Store.addr, st->Ist.Store.data);
      break;
    case Ist_StoreG:
      store(st->Ist.StoreG.details->addr, st->Ist.StoreG.details->data);
      break;
    case Ist_LoadG: {
      Ready r;
      nothing(&r);
      load(&r, st->Ist.LoadG.details->addr);
      use(&r, st->Ist.LoadG.details->alt);
      use(&r, st->Ist.LoadG.details->guard);
      set_temp(st->Ist.LoadG.details->dst, &r, False, True);
      break;
    }
    case Ist_CAS: {
      Ready r;
      nothing(&r);
      load(&r, st->Ist.CAS.details->addr);
      use(&r, st->Ist.CAS.details->dataLo);
      set_temp(st->Ist.CAS.details->oldLo, &r, True, False);
      break;
    }
    case Ist_Dirty: {
      const IRDirty* d = st->Ist.Dirty.details;
      if (d->tmp == IRTemp_INVALID) break;
      Ready r;
      nothing(&r);
      for (UInt k = 0; d->args[k] != NULL; k++)
        if (!is_IRExpr_VECRET_or_GSPTR(d->args[k])) use(&r, d->args[k]);
      if (d->mAddr != NULL && d->mFx != Ifx_None && d->mFx != Ifx_Write) load(&r, d->mAddr);
      if (r.after[kBegin] < 0) r.after[kBegin] = 0;
      set_temp(d->tmp, &r, True, False);
      break;
    }
    default:
      break;
  }
}

// --------------------------------------------------------------------------------------------------------------------- flows

// A wait of an output for an input, or of the end of all that the segment began.
typedef struct {
  UInt input;
  UInt ticks;
} Wait;

typedef struct {
  UChar slot, n_waits;
  UShort first_wait;
} Output;

// What begins so many instructions a cycle, each on its own.
enum { kAdd, kMul, kVector, kLoad, kStore, kDivide, kPipes };

typedef struct {
  UInt pipe, ticks;
} Work;

struct Flow {
  Addr first, end;                   // of its code
  Addr first_stretch, last_stretch;  // that it lies in
  UInt instructions, vector_results;
  UInt ticks;  // that taking it up takes
  UInt n_works;
  Work work[kPipes];
  UChar n_inputs, n_outputs;
  UChar n_end_waits;    // the first waits
  UChar input[kTerms];  // slots, or kBegin
  Output output[kSlots];
  Wait wait[];
};

static Bool is_unchanged(UInt slot) {
  for (UInt k = 0; k < kTerms; k++)
    if (registers_[slot].after[k] != (k == slot ? 0 : kNone)) return False;
  return True;
}

static UInt collect(const Ready* r, const UChar* input_of, Wait* wait) {
  UInt n = 0;
  for (UInt k = 0; k < kTerms; k++)
    if (r->after[k] != kNone) wait[n++] = (Wait){input_of[k], (UInt)r->after[k] * kTicksOfCycle};
  return n;
}

static Addr stretch_of(Addr address) { return address / geometry_.code_bytes; }

static UInt ticks_at(UInt number, UInt a_cycle) { return number * kTicksOfCycle / a_cycle; }

static UInt cycles_of_divider(const Int* amounts) {
  Int fp64 = amounts[PLUMBLINE_EVENT_flops_fp64_div] + amounts[PLUMBLINE_EVENT_flops_fp64_sqrt];
  Int fp32 = amounts[PLUMBLINE_EVENT_flops_fp32_div] + amounts[PLUMBLINE_EVENT_flops_fp32_sqrt];
  return at_least((UInt)(kDividerOfLane * fp64 + kDividerOfLane * fp32 / 2), kDividerAtLeast * divisions_);
}

static UInt taking_up_ticks(const Int* amounts) {
  return ticks_at((UInt)(amounts[PLUMBLINE_EVENT_instructions] - amounts[PLUMBLINE_EVENT_branches_conditional]), geometry_.width);
}

static void note_works(Flow* flow, const Int* amounts) {
  const UInt ticks[kPipes] = {
      [kAdd] = ticks_at(additions_, geometry_.add),
      [kMul] = ticks_at(products_, geometry_.mul),
      [kVector] = ticks_at(vector_instructions_, geometry_.vectors),
      [kLoad] = ticks_at((UInt)amounts[PLUMBLINE_EVENT_loads], geometry_.loads),
      [kStore] = ticks_at((UInt)amounts[PLUMBLINE_EVENT_stores], geometry_.stores),
      [kDivide] = kTicksOfCycle * cycles_of_divider(amounts),
  };
  for (UInt p = 0; p < kPipes; p++)
    if (ticks[p] > 0) flow->work[flow->n_works++] = (Work){p, ticks[p]};
}

Flow* core_close_segment(const Int* amounts) {
  static Wait waits[(kSlots + 1) * kTerms];
  UChar input_of[kTerms];
  end_instruction();
  Flow head = {.first = first_address_,
               .end = end_address_,
               .first_stretch = stretch_of(first_address_),
               .last_stretch = stretch_of(end_address_ - 1),
               .instructions = (UInt)amounts[PLUMBLINE_EVENT_instructions],
               .vector_results = vector_results_,
               .ticks = taking_up_ticks(amounts)};
  note_works(&head, amounts);
  for (UInt k = 0; k < kTerms; k++) {
    Bool used = end_.after[k] != kNone;
    for (UInt s = 0; s < kSlots && !used; s++) used = !is_unchanged(s) && registers_[s].after[k] != kNone;
    input_of[k] = head.n_inputs;
    if (used) head.input[head.n_inputs++] = (UChar)k;
  }
  UInt n = collect(&end_, input_of, waits);
  head.n_end_waits = (UChar)n;
  for (UInt s = 0; s < kSlots; s++) {
    if (is_unchanged(s)) continue;
    UInt more = collect(&registers_[s], input_of, waits + n);
    head.output[head.n_outputs++] = (Output){(UChar)s, (UChar)more, (UShort)n};
    n += more;
  }
  Flow* flow = VG_(malloc)("plumbline.core.flow", sizeof *flow + n * sizeof(Wait));
  *flow = head;
  VG_(memcpy)(flow->wait, waits, n * sizeof(Wait));
  begin_segment();
  return flow;
}

// ------------------------------------------------------------------------------------------------------------------- running

// When all that was begun up to an instruction has ended.
typedef struct {
  ULong instruction, vector_result;
  Ticks ended;
} Mark;

struct CoreState {
  ULong instructions, vector_results;  // taken up so far
  Ticks now;                           // when the next is
  Ticks ended;                         // all that was begun
  Ticks ready[kTerms];
  Ticks free[kPipes];  // when each has begun all that it was given
  Addr end, stretch;   // of the code that ran last
  Ticks fetched;       // when all code that was fetched so far was there

  // A loop that is one segment is soon steady: when as many runs of it as the window holds have each taken as long as the one before, and
  // left all registers as they found them but for that time, so will all that follow. They are put off, as their number alone.
  const Flow* flow;      // that ran last
  ULong alike, put_off;  // runs of it in a row
  Ticks step;            // of each of them
  Long left[kSlots];     // when its outputs were ready, after the begin of the next run
  Long left_to_end;      // likewise all that was begun
  Long left_to_fetched;  // and all code
  Long left_to_free[kPipes];

  ULong first_mark, next_mark, mark_mask;
  Mark mark[];  // a power of two of them, of which the window needs no more
};

CoreState* core_new_state(void) {
  ULong marks = 2;
  while (marks < geometry_.window + 2) marks *= 2;
  CoreState* core = VG_(calloc)("plumbline.core.state", 1, sizeof *core + marks * sizeof(Mark));
  core->mark_mask = marks - 1;
  return core;
}

static Ticks later(Ticks a, Ticks b) { return a > b ? a : b; }

// All that was taken up so far, but for so many runs of a segment, had ended by then: in the mean one half of the last of it before.
static void add_mark(CoreState* core, const Flow* flow, ULong runs_since, Ticks ended) {
  core->mark[core->next_mark++ & core->mark_mask] =
      (Mark){core->instructions - runs_since * flow->instructions - flow->instructions / 2,
             core->vector_results - runs_since * flow->vector_results - flow->vector_results / 2, ended};
}

// There is room for a segment when what is further back than the window's length, or as many results as there are registers, has ended.
static void wait_for_room(CoreState* core, const Flow* flow) {
  while (core->first_mark != core->next_mark) {
    const Mark* oldest = &core->mark[core->first_mark & core->mark_mask];
    Bool is_full = core->next_mark - core->first_mark > core->mark_mask;
    Bool is_in_window = oldest->instruction + geometry_.window > core->instructions + flow->instructions;
    Bool has_registers = oldest->vector_result + geometry_.registers > core->vector_results + flow->vector_results;
    if (is_in_window && has_registers && !is_full) break;
    core->now = later(core->now, oldest->ended);
    core->first_mark++;
  }
}

// Each stretch of code takes a cycle to fetch, and so does one that is jumped to, be it the one that ran last. A loop that lies in one
// stretch takes at least a cycle a pass, in two of them two.
static void fetch(CoreState* core, const Flow* flow) {
  if (flow->first == flow->end) return;
  const Bool goes_on = flow->first == core->end && flow->first_stretch == core->stretch;
  const Addr stretches = flow->last_stretch - flow->first_stretch + !goes_on;
  const Ticks ahead = kFetchedAhead * kTicksOfCycle;
  core->end = flow->end;
  core->stretch = flow->last_stretch;
  if (stretches == 0) return;
  core->fetched = later(core->fetched + ahead, core->now) - ahead + stretches * kTicksOfCycle;
  core->now = later(core->now, core->fetched);
}

// When the pipes that the segment needs have begun what they were given before.
static Ticks time_of_pipes(const CoreState* core, const Flow* flow) {
  Ticks begun = core->now;
  for (UInt w = 0; w < flow->n_works; w++)
    if (flow->work[w].pipe != kStore) begun = later(begun, core->free[flow->work[w].pipe]);
  return begun;
}

// When the last of these waits ends, none of which begins before `begin`.
static Ticks waited(const CoreState* core, const Flow* flow, const Wait* wait, UInt n, Ticks begin) {
  Ticks end = begin;
  for (UInt k = 0; k < n; k++) end = later(end, later(core->ready[flow->input[wait[k].input]], begin) + wait[k].ticks);
  return end;
}

// A run, one after the other. What has no room in a pipe waits, and fills the window and the registers, which hold up what is taken up.
static void run(CoreState* core, const Flow* flow) {
  Ticks output[kSlots];
  fetch(core, flow);
  wait_for_room(core, flow);
  core->ready[kBegin] = core->now;
  const Ticks vectors_begin = time_of_pipes(core, flow);
  Ticks ended = waited(core, flow, flow->wait, flow->n_end_waits, vectors_begin);
  for (UInt o = 0; o < flow->n_outputs; o++) {
    const Output* one = &flow->output[o];
    const Ticks begin = one->slot < kVectors ? core->now : vectors_begin;
    output[o] = waited(core, flow, flow->wait + one->first_wait, one->n_waits, begin);
  }
  for (UInt o = 0; o < flow->n_outputs; o++) core->ready[flow->output[o].slot] = output[o];
  for (UInt w = 0; w < flow->n_works; w++) {
    Ticks* free = &core->free[flow->work[w].pipe];
    *free = later(*free, core->now) + flow->work[w].ticks;
    ended = later(ended, *free);
  }
  core->ended = later(core->ended, ended);
  core->now += flow->ticks;
  core->instructions += flow->instructions;
  core->vector_results += flow->vector_results;
  add_mark(core, flow, 0, core->ended);
}

// Makes up for the runs that were put off. Those before them have left the window, or are like them.
static void catch_up(CoreState* core) {
  const Flow* flow = core->flow;
  const ULong in_window = core->mark_mask < core->put_off ? core->mark_mask : core->put_off;
  for (UInt o = 0; o < flow->n_outputs; o++) core->ready[flow->output[o].slot] += core->put_off * core->step;
  for (UInt w = 0; w < flow->n_works; w++) core->free[flow->work[w].pipe] += core->put_off * core->step;
  core->ended += core->put_off * core->step;
  core->fetched += core->put_off * core->step;
  core->instructions += core->put_off * flow->instructions;
  core->vector_results += core->put_off * flow->vector_results;
  for (ULong before = in_window; before-- > 0;) add_mark(core, flow, before, core->ended - before * core->step);
  if (core->next_mark - core->first_mark > core->mark_mask) core->first_mark = core->next_mark - core->mark_mask;
  core->put_off = 0;
}

// Counts the runs in a row that were alike.
static void compare_with_last(CoreState* core, const Flow* flow, Ticks step) {
  const Long left_to_end = (Long)(core->ended - core->now);
  const Long left_to_fetched = (Long)(core->fetched - core->now);
  Bool alike = flow == core->flow && step == core->step && left_to_end == core->left_to_end && left_to_fetched == core->left_to_fetched;
  for (UInt o = 0; o < flow->n_outputs; o++) {
    Long left = (Long)(core->ready[flow->output[o].slot] - core->now);
    alike &= left == core->left[o];
    core->left[o] = left;
  }
  for (UInt w = 0; w < flow->n_works; w++) {
    Long left = (Long)(core->free[flow->work[w].pipe] - core->now);
    alike &= left == core->left_to_free[w];
    core->left_to_free[w] = left;
  }
  core->alike = alike ? core->alike + 1 : 0;
  core->left_to_end = left_to_end;
  core->left_to_fetched = left_to_fetched;
  core->flow = flow;
  core->step = step;
}

static Bool is_steady(const CoreState* core, const Flow* flow) {
  return flow == core->flow && core->alike * flow->instructions > geometry_.window + flow->instructions;
}

ULong core_run(CoreState* core, const Flow* flow) {
  const Ticks before = core->now;
  if (is_steady(core, flow)) {
    core->put_off++;
    core->now += core->step;
  } else {
    if (core->put_off > 0) catch_up(core);
    run(core, flow);
    compare_with_last(core, flow, core->now - before);
  }
  return core->now / kTicksOfCycle - before / kTicksOfCycle;
}

void core_forget(CoreState* core, const Flow* flow) {
  if (core->flow != flow) return;
  if (core->put_off > 0) catch_up(core);
  core->flow = NULL;
  core->alike = 0;
}
