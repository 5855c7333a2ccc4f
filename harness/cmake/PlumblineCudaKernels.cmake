# The module for GPUs, libplumbline_cuda.so: opened at run time, and all of CUDA that is linked is its static runtime. Each .cu file is
# compiled by a command of its own, once for every architecture. Where there is no toolkit these functions do nothing.
set(PLUMBLINE_CUDA_ARCHITECTURES "all" CACHE STRING "GPU architectures to compile for: all that are known; native: those of the GPUs of this machine; or compute capabilities (\"80;90a\")")
set(PLUMBLINE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}" CACHE STRING "C++ compiler that nvcc uses")
include(PlumblineCudaArchitectures)

set(PLUMBLINE_HAS_CUDA_MODULE OFF)
set(PLUMBLINE_CUDA_MODULE_LEFT_OUT "" CACHE INTERNAL "Why a toolkit that was found is not used; --version and doctor say it")
if(PLUMBLINE_CUDA_FOUND AND PLUMBLINE_SANITIZE)
  message(STATUS "Module for GPUs: left out: no sanitizer knows a device's code")
elseif(PLUMBLINE_CUDA_FOUND)
  plumbline_cuda_architectures(plumbline_cuda_architectures why_none)
  if(plumbline_cuda_architectures)
    set(PLUMBLINE_HAS_CUDA_MODULE ON)
    list(JOIN plumbline_cuda_architectures " " names)
    message(STATUS "Module for GPUs: compiled for ${names}")
  else()
    message(STATUS "Module for GPUs: left out: ${why_none}")
    set_property(CACHE PLUMBLINE_CUDA_MODULE_LEFT_OUT PROPERTY VALUE "${why_none}")
  endif()
endif()

# plumbline_cuda_module(): the library itself, for which harness/cuda names its own sources.
function(plumbline_cuda_module)
  if(PLUMBLINE_HAS_CUDA_MODULE)
    file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/plumbline_cuda.cpp "// The module's code is in objects that nvcc makes.\n")
    add_library(plumbline_cuda MODULE ${PROJECT_BINARY_DIR}/CMakeFiles/plumbline_cuda.cpp)
    # The program has instances of the same code: nothing is shared with it but the entry.
    set(symbols ${PROJECT_BINARY_DIR}/CMakeFiles/plumbline_cuda.map)
    file(WRITE ${symbols} "{ global: plumbline_gpu_module; local: *; };\n")
    target_link_options(plumbline_cuda PRIVATE LINKER:--version-script=${symbols} LINKER:--no-undefined)
    foreach(function __cudaRegisterFunction __cudaGetKernel __cudaLaunchKernel cudaGraphLaunch)  # harness/cuda/launches.cu has its own
      target_link_options(plumbline_cuda PRIVATE LINKER:--wrap=${function})
    endforeach()
    target_link_libraries(plumbline_cuda PRIVATE plumbline_options plumbline_core ${PLUMBLINE_CUDA_LIBRARY_DIR}/libcudart_static.a ${CMAKE_DL_LIBS} rt pthread)
    set_target_properties(plumbline_cuda PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    install(TARGETS plumbline_cuda LIBRARY DESTINATION lib)
    plumbline_cuda_code()
  endif()
endfunction()

# The module's machine code as text beside it, where the tools for it are found (toolkit, PATH, PyPI's wheels in a virtual environment): some
# 8 seconds for an architecture, beside the rest of the build.
function(plumbline_cuda_code)
  list(TRANSFORM cuda_roots APPEND /bin OUTPUT_VARIABLE folders)
  find_program(PLUMBLINE_CUOBJDUMP cuobjdump HINTS ${folders})
  find_program(PLUMBLINE_NVDISASM nvdisasm HINTS ${folders})
  if(NOT PLUMBLINE_CUOBJDUMP OR NOT PLUMBLINE_NVDISASM)
    message(STATUS "Code of the module for GPUs: not disassembled: no cuobjdump and nvdisasm (CUDA toolkit, or PyPI's by "
                   "jobs/cuda_wheels.sh); where a GPU's counters are refused, nothing stands in for them")
    return()
  endif()
  message(STATUS "Code of the module for GPUs: disassembled by ${PLUMBLINE_NVDISASM}")
  set(folder ${PROJECT_BINARY_DIR}/lib)
  set(script ${PROJECT_SOURCE_DIR}/harness/cmake/disassemble.cmake)
  set(files "")
  foreach(one ${plumbline_cuda_architectures})
    list(APPEND files ${folder}/libplumbline_cuda.sm_${one}.sass)
  endforeach()
  set(resources ${folder}/libplumbline_cuda.resources)
  add_custom_command(OUTPUT ${files} ${resources} DEPENDS plumbline_cuda ${script} VERBATIM COMMENT "Disassembling the module for GPUs"
    COMMAND ${CMAKE_COMMAND} -DMODULE=$<TARGET_FILE:plumbline_cuda> -DFOLDER=${folder} -DCUOBJDUMP=${PLUMBLINE_CUOBJDUMP}
      -DNVDISASM=${PLUMBLINE_NVDISASM} -P ${script})
  add_custom_target(plumbline_cuda_code ALL DEPENDS ${files} ${resources})
  install(FILES ${files} DESTINATION lib)
endfunction()

# plumbline_cuda_sources(FILE.cu...): parts of the module that lie in this folder.
function(plumbline_cuda_sources)
  if(NOT PLUMBLINE_HAS_CUDA_MODULE)
    return()
  endif()
  set(architectures "")
  foreach(one ${plumbline_cuda_architectures})
    list(APPEND architectures -gencode arch=compute_${one},code=sm_${one})
  endforeach()
  list(JOIN plumbline_cuda_architectures " " names)
  set(host -fPIC,-fvisibility=hidden,-Wall,-Wextra,-Wshadow,-Wno-unknown-pragmas,-ffp-contract=off,-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  set(strict "")
  if(PLUMBLINE_WERROR)
    set(strict --Werror all-warnings -Xcompiler -Werror)
  endif()
  set(objects "")
  foreach(file ${ARGN})
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${file}.o)
    add_custom_command(OUTPUT ${object} DEPFILE ${object}.d DEPENDS ${source} VERBATIM
      COMMENT "Compiling ${file} for GPUs: ${names}"
      COMMAND ${PLUMBLINE_CUDA_NVCC} -c ${source} -o ${object} -MD -MF ${object}.d -std=c++20 -O3 --expt-relaxed-constexpr ${architectures}
        -ccbin ${PLUMBLINE_CUDA_HOST_COMPILER} -diag-suppress 445 -Xcompiler ${host} ${strict}
        -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/harness -isystem ${PLUMBLINE_CUDA_INCLUDE_DIR}
        "-DPLUMBLINE_CUDA_ARCHITECTURES=\"${names}\"" "-DPLUMBLINE_VERSION=\"${PROJECT_VERSION}\"")
    list(APPEND objects ${object})
  endforeach()
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  add_custom_target(plumbline_cuda_${folder} DEPENDS ${objects})
  add_dependencies(plumbline_cuda plumbline_cuda_${folder})
  set_property(SOURCE ${objects} TARGET_DIRECTORY plumbline_cuda PROPERTY EXTERNAL_OBJECT ON)
  set_property(SOURCE ${objects} TARGET_DIRECTORY plumbline_cuda PROPERTY GENERATED ON)
  target_sources(plumbline_cuda PRIVATE ${objects})
endfunction()
