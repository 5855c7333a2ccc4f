# The module for GPUs, libplumbline_cuda.so by CUDA 13, libplumbline_cuda12.so by CUDA 12: opened at run time, and all of CUDA that is linked is its static runtime. Each .cu file is
# compiled by a command of its own, for every architecture. Where there is no toolkit these functions do nothing.
set(PLUMBLINE_CUDA_ARCHITECTURES "all" CACHE STRING "GPU architectures to compile for: all that are known; native: those of the GPUs of this machine; or compute capabilities (\"80;90a\")")
set(PLUMBLINE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}" CACHE STRING "C++ compiler that nvcc uses")
include(PlumblineCudaArchitectures)

set(PLUMBLINE_HAS_CUDA_MODULE OFF)
set(plumbline_cuda_modules "")  # the parts of PlumblineCuda.cmake that a module is built by: CUDA, CUDA12
set(PLUMBLINE_CUDA_MODULE_LEFT_OUT "" CACHE INTERNAL "Why a toolkit that was found is not used; --version and doctor say it")
if((PLUMBLINE_CUDA_FOUND OR PLUMBLINE_CUDA12_FOUND) AND PLUMBLINE_SANITIZE)
  message(STATUS "Module for GPUs: left out: no sanitizer knows a device's code")
elseif(PLUMBLINE_CUDA_FOUND OR PLUMBLINE_CUDA12_FOUND)
  plumbline_cuda_architectures(plumbline_architectures_CUDA why_none)
  if(plumbline_architectures_CUDA)
    plumbline_cuda12_architectures(plumbline_architectures_CUDA12 ${plumbline_architectures_CUDA})
    list(FILTER plumbline_architectures_CUDA EXCLUDE REGEX "^([1-6]?[0-9]|7[0-4])$")  # CUDA 13 begins with 75
    foreach(part CUDA CUDA12)
      if(PLUMBLINE_${part}_FOUND AND plumbline_architectures_${part})
        list(APPEND plumbline_cuda_modules ${part})
        list(JOIN plumbline_architectures_${part} " " names)
        message(STATUS "Module for GPUs: compiled by CUDA ${PLUMBLINE_${part}_VERSION} for ${names}")
      elseif(PLUMBLINE_${part}_FOUND)
        message(STATUS "Module for GPUs: not by CUDA ${PLUMBLINE_${part}_VERSION}, which compiles for none of ${PLUMBLINE_CUDA_ARCHITECTURES}")
      endif()
    endforeach()
  else()
    message(STATUS "Module for GPUs: left out: ${why_none}")
    set_property(CACHE PLUMBLINE_CUDA_MODULE_LEFT_OUT PROPERTY VALUE "${why_none}")
  endif()
endif()
if(CUDA IN_LIST plumbline_cuda_modules)
  set(PLUMBLINE_HAS_CUDA_MODULE ON)
endif()

# plumbline_cuda_module(): the library itself, by each CUDA, for which harness/cuda names its own sources.
function(plumbline_cuda_module)
  foreach(part ${plumbline_cuda_modules})
    string(TOLOWER plumbline_${part} module)
    file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/${module}.cpp "// The module's code is in objects that nvcc makes.\n")
    add_library(${module} MODULE ${PROJECT_BINARY_DIR}/CMakeFiles/${module}.cpp)
    # The program has instances of the same code: nothing is shared with it but the entry.
    set(symbols ${PROJECT_BINARY_DIR}/CMakeFiles/${module}.map)
    file(WRITE ${symbols} "{ global: plumbline_gpu_module; local: *; };\n")
    target_link_options(${module} PRIVATE LINKER:--version-script=${symbols} LINKER:--no-undefined)
    # harness/cuda/launches.cu has its own
    foreach(function __cudaRegisterFunction __cudaGetKernel __cudaLaunchKernel cudaLaunchKernel cudaGraphLaunch)
      target_link_options(${module} PRIVATE LINKER:--wrap=${function})
    endforeach()
    target_link_libraries(${module} PRIVATE plumbline_options plumbline_core ${PLUMBLINE_${part}_LIBRARY_DIR}/libcudart_static.a ${CMAKE_DL_LIBS} rt
                                            pthread)
    set_target_properties(${module} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    install(TARGETS ${module} LIBRARY DESTINATION lib)
    plumbline_cuda_code(${module} ${plumbline_architectures_${part}})
  endforeach()
endfunction()

# The module's machine code as text beside it, where the tools for it are found (toolkit, PATH, PyPI's wheels in a virtual environment): some
# 8 seconds for an architecture, beside the rest of the build.
function(plumbline_cuda_code module)
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
  foreach(one ${ARGN})
    list(APPEND files ${folder}/lib${module}.sm_${one}.sass)
  endforeach()
  set(resources ${folder}/lib${module}.resources)
  add_custom_command(OUTPUT ${files} ${resources} DEPENDS ${module} ${script} VERBATIM COMMENT "Disassembling lib${module}.so"
    COMMAND ${CMAKE_COMMAND} -DMODULE=$<TARGET_FILE:${module}> -DFOLDER=${folder} -DCUOBJDUMP=${PLUMBLINE_CUOBJDUMP}
      -DNVDISASM=${PLUMBLINE_NVDISASM} -P ${script})
  add_custom_target(${module}_code ALL DEPENDS ${files} ${resources})
  install(FILES ${files} DESTINATION lib)
endfunction()

# plumbline_cuda_sources(FILE.cu... [EACH_ARCHITECTURE FILE.cu...] [BY_CUBLAS FILE.cu... [ELSE FILE.cu...]]): parts of the module that lie in this
# folder; EACH_ARCHITECTURE those whose code asks for more than where a family of architectures begins (plumbline_families_begin); those BY_CUBLAS
# where the toolkit has cuBLASLt's header, ELSE where it has not.
function(plumbline_cuda_sources)
  cmake_parse_arguments(of "" "" "EACH_ARCHITECTURE;BY_CUBLAS;ELSE" ${ARGN})
  foreach(part ${plumbline_cuda_modules})
    set(files ${of_UNPARSED_ARGUMENTS})
    if(EXISTS ${PLUMBLINE_${part}_INCLUDE_DIR}/cublasLt.h)
      list(APPEND files ${of_BY_CUBLAS})
    elseif(of_BY_CUBLAS)
      list(APPEND files ${of_ELSE})
      message(STATUS "${of_BY_CUBLAS}: left out by CUDA ${PLUMBLINE_${part}_VERSION}: ${PLUMBLINE_${part}_INCLUDE_DIR} has no cublasLt.h")
    endif()
    plumbline_cuda_objects(${part} ${files} EACH_ARCHITECTURE ${of_EACH_ARCHITECTURE})
  endforeach()
endfunction()

# The files of this folder by one CUDA, into its module.
function(plumbline_cuda_objects part)
  cmake_parse_arguments(of "" "" "EACH_ARCHITECTURE" ${ARGN})
  string(TOLOWER plumbline_${part} module)
  plumbline_machine_code(by_family ${plumbline_architectures_${part}})
  plumbline_machine_code(by_architecture EACH ${plumbline_architectures_${part}})
  list(JOIN plumbline_architectures_${part} " " names)
  set(host -fPIC,-fvisibility=hidden,-Wall,-Wextra,-Wshadow,-Wno-unknown-pragmas,-ffp-contract=off,-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  set(strict "")
  if(PLUMBLINE_WERROR)
    set(strict --Werror all-warnings -Xcompiler -Werror)
  endif()
  set(objects "")
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${module})
  foreach(file ${of_UNPARSED_ARGUMENTS} ${of_EACH_ARCHITECTURE})
    set(architectures ${by_family})
    if(file IN_LIST of_EACH_ARCHITECTURE)
      set(architectures ${by_architecture})
    endif()
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${module}/${file}.o)
    add_custom_command(OUTPUT ${object} DEPFILE ${object}.d DEPENDS ${source} VERBATIM
      COMMENT "Compiling ${file} by CUDA ${PLUMBLINE_${part}_VERSION} for GPUs: ${names}"
      COMMAND ${PLUMBLINE_${part}_NVCC} -c ${source} -o ${object} -MD -MF ${object}.d -std=c++20 -O3 --expt-relaxed-constexpr ${architectures}
        -ccbin ${PLUMBLINE_CUDA_HOST_COMPILER} -diag-suppress 445 -Xcompiler ${host} ${strict}
        -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/harness -isystem ${PLUMBLINE_${part}_INCLUDE_DIR}
        "-DPLUMBLINE_CUDA_ARCHITECTURES=\"${names}\"" "-DPLUMBLINE_VERSION=\"${PROJECT_VERSION}\"")
    list(APPEND objects ${object})
  endforeach()
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  add_custom_target(${module}_${folder} DEPENDS ${objects})
  add_dependencies(${module} ${module}_${folder})
  set_property(SOURCE ${objects} TARGET_DIRECTORY ${module} PROPERTY EXTERNAL_OBJECT ON)
  set_property(SOURCE ${objects} TARGET_DIRECTORY ${module} PROPERTY GENERATED ON)
  target_sources(${module} PRIVATE ${objects})
endfunction()
