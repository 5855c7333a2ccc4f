# SPDX-License-Identifier: BSD-3-Clause
#
# Valgrind knows no AVX-512: a program whose every part may use it dies there by SIGILL. The compiler itself says whether its flags allow it, as
# -march=native does on some machines alone. Kernels are not meant: their flavors have an instruction set of their own, after these flags.

# CMake compiles this at each configuration, so changed flags are seen.
function(plumbline_warn_of_avx512)
  set(source ${CMAKE_BINARY_DIR}/CMakeFiles/plumbline_avx512.cpp)
  file(WRITE ${source} "#ifndef __AVX512F__\n#error these flags leave AVX-512 out\n#endif\n")
  set(CMAKE_TRY_COMPILE_CONFIGURATION ${CMAKE_BUILD_TYPE})
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  try_compile(PLUMBLINE_FLAGS_ALLOW_AVX512 ${CMAKE_BINARY_DIR}/CMakeFiles ${source})
  if(PLUMBLINE_FLAGS_ALLOW_AVX512)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" flags)
    message(WARNING "Emulated counters will end by SIGILL: the compiler's flags (${flags}) let all of the program use AVX-512, which Valgrind does not know. "
                    "Configure with -DCMAKE_CXX_FLAGS=-march=x86-64-v3 or without -march (kernels have AVX-512 flavors all the same), "
                    "or without the emulator: -DPLUMBLINE_WITH_EMULATOR=OFF")
  endif()
endfunction()
