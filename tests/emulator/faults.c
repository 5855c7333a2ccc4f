// SPDX-License-Identifier: BSD-3-Clause
//
// Faults whose cause a handler mends: the access is made again, with all registers as they were. `faults N` makes N of them and prints
// what is wrong; silence is right.
#define _GNU_SOURCE  // names of registers
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static unsigned char* page_;
static uint64_t seen_[5];  // Valgrind shows a handler no vector registers

static void mend(int signal_number, siginfo_t* information, void* context) {
  const ucontext_t* at = context;
  const greg_t* registers = at->uc_mcontext.gregs;
  (void)signal_number, (void)information;
  const int wanted[] = {REG_RAX, REG_RCX, REG_RDX, REG_R8, REG_R9};
  for (int k = 0; k < 5; k++) seen_[k] = (uint64_t)registers[wanted[k]];
  mprotect(page_, 4096, PROT_READ | PROT_WRITE);
}

// Registers are written often and read late; in between, the store that faults.
static void fault(uint64_t k, double* sum) {
  double lane = (double)k;
  uint64_t a = k, b = 0;
  __asm__ volatile(
      "mov %[k], %%rax\n lea 1(%%rax), %%rcx\n mov %%rcx, %%rdx\n add %%rax, %%rdx\n"
      "mov %[page], %%r8\n xor %%r9d, %%r9d\n add $7, %%r9\n"
      "movsd %[lane], %%xmm3\n addsd %%xmm3, %%xmm3\n"
      "movsd %%xmm3, 8(%%r8)\n"
      "mov 8(%%r8), %%r8\n mov $0, %%r9d\n addsd %%xmm3, %%xmm3\n movsd %%xmm3, %[lane]\n"
      "mov %%rdx, %[a]\n mov %%rcx, %[b]\n xor %%eax, %%eax\n xor %%ecx, %%ecx\n xor %%edx, %%edx\n"
      : [a] "=m"(a), [b] "=m"(b), [lane] "+m"(lane)
      : [k] "r"(k), [page] "r"(page_)
      : "rax", "rcx", "rdx", "r8", "r9", "xmm3", "memory", "cc");
  if (a != 2 * k + 1 || b != k + 1 || lane != 4.0 * (double)k) printf("fault %d: registers were lost behind it\n", (int)k);
  double stored;
  memcpy(&stored, page_ + 8, 8);
  if (stored != 2.0 * (double)k) printf("fault %d: stored %g\n", (int)k, stored);
  if (seen_[0] != k || seen_[1] != k + 1 || seen_[2] != 2 * k + 1 || seen_[3] != (uint64_t)(uintptr_t)page_ || seen_[4] != 7)
    printf("fault %d: the handler saw other registers\n", (int)k);
  *sum += lane;
}

int main(int argc, char** argv) {
  const uint64_t faults = argc > 1 ? strtoull(argv[1], NULL, 10) : 3;
  page_ = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page_ == MAP_FAILED) return 1;
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = mend;
  sigaction(SIGSEGV, &action, NULL);
  double sum = 0;
  for (uint64_t k = 1; k <= faults; k++) {
    mprotect(page_, 4096, PROT_NONE);
    fault(k, &sum);
  }
  if (sum != 2.0 * (double)(faults * (faults + 1))) printf("the sum is %g\n", sum);
  return 0;
}
