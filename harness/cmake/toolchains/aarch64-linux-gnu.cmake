# Cross-compiling for 64-bit Arm Linux with Debian's g++-aarch64-linux-gnu; what is built runs here under qemu-user, on any CPU that
# QEMU_CPU names (max has SVE; its vectors' length is a property of it).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()

find_program(PLUMBLINE_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
if(PLUMBLINE_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${PLUMBLINE_QEMU_AARCH64} -L /usr/aarch64-linux-gnu)
  # ISA=CPU: where tests for every ISA run. SVE has one length at a time, the longest that the CPU is given.
  set(PLUMBLINE_TEST_CPUS neon=cortex-a57 sve128=max,sve128=on sve256=max,sve256=on sve512=max,sve512=on)
  # Left out there: what takes minutes under an emulator, of kernels that have other proofs, and tests of what is the same on all ISAs.
  set(PLUMBLINE_TEST_CPUS_FILTER -*million*:*/proxies_*:*/ert_*:*stencil7*:*pieces*:*restoring*:*without_a_sweep*:*counting_scalar*/*)
endif()
