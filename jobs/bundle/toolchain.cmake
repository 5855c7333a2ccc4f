# Compiles and links against the C library of an older Debian (jobs/bundle.sh): its headers and libraries, and the static libraries that the
# bundle takes in, lie in the folder that PLUMBLINE_SYSROOT names. Programs made so run here, too: it is no cross build.
set(CMAKE_SYSROOT $ENV{PLUMBLINE_SYSROOT})
set(CMAKE_C_COMPILER gcc-12)
set(CMAKE_CXX_COMPILER g++-12)
get_filename_component(work ${CMAKE_SYSROOT} DIRECTORY)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT} ${work}/build/valgrind)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)

# The C++ runtime comes along: what a cluster has may be older than ours, and what its MPI brings newer. g++ looks beside itself for libraries
# before it looks into the sysroot: -B comes first.
set(usr ${CMAKE_SYSROOT}/usr/lib)
set(prefixes "-B${usr}/stand_ins -B${usr}/gcc/x86_64-linux-gnu/12 -B${usr}/x86_64-linux-gnu -B${CMAKE_SYSROOT}/lib/x86_64-linux-gnu")
set(CMAKE_CXX_FLAGS_INIT "-include ${CMAKE_CURRENT_LIST_DIR}/old_glibc.hpp")
set(as_before_glibc_2_29 "-Wl,--wrap=exp,--wrap=exp2,--wrap=log,--wrap=log2,--wrap=pow")  # old_glibc.c
foreach(kind EXE MODULE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "${prefixes} -static-libstdc++ -static-libgcc ${as_before_glibc_2_29}")
endforeach()
# Before libdl, which the older C library has apart: -fopenmp would name libgomp after it.
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "-lsz -laec -lz -ludev -lgomp -lpthread -ldl -lrt -lm")
