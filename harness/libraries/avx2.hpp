// Libraries are held to their code for AVX2, whatever the CPU: so what the emulator counts is what is timed.
#pragma once

namespace plumbline {

/// Whether this CPU has AVX2 and FMA.
inline bool runs_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace plumbline
