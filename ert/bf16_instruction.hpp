// The instruction that adds the products of pairs of bf16 numbers to fp32 sums, where the ISA that a file is compiled for has one: four
// FLOPs a lane. (The intrinsics' types differ from compiler to compiler.)
#pragma once
#include "ert/lanes.hpp"

#if defined(__AVX512BF16__)
#define PLUMBLINE_ADD_BF16_DOT(sum, u, v) asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(u), "v"(v))
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC) && defined(PLUMBLINE_SVE)
#define PLUMBLINE_ADD_BF16_DOT(sum, u, v) asm("bfdot %0.s, %1.h, %2.h" : "+w"(sum) : "w"(u), "w"(v))
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#define PLUMBLINE_ADD_BF16_DOT(sum, u, v) asm("bfdot %0.4s, %1.8h, %2.8h" : "+w"(sum) : "w"(u), "w"(v))
#endif
