# The machine code of the module for GPUs as text, a file for each architecture, from which launches are counted where a GPU's counters are
# refused (harness/counters/sass/disassembled.hpp):
#
#   cmake -DMODULE=libplumbline_cuda.so -DFOLDER=lib -DCUOBJDUMP=cuobjdump -DNVDISASM=nvdisasm -P disassemble.cmake
#
# writes FOLDER/libplumbline_cuda.sm_90a.sass and so on, and the registers and the memory that each function takes to
# FOLDER/libplumbline_cuda.resources.
foreach(name MODULE FOLDER CUOBJDUMP NVDISASM)
  if(NOT ${name})
    message(FATAL_ERROR "disassemble.cmake: -D${name}= is missing")
  endif()
endforeach()
set(work ${FOLDER}/disassembling)
execute_process(COMMAND ${CUOBJDUMP} --dump-resource-usage ${MODULE} OUTPUT_FILE ${FOLDER}/libplumbline_cuda.resources ERROR_VARIABLE said
                RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${CUOBJDUMP} --dump-resource-usage ${MODULE}: ${said}")
endif()
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
execute_process(COMMAND ${CUOBJDUMP} -xelf all ${MODULE} WORKING_DIRECTORY ${work} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE failed)
file(GLOB parts ${work}/*.cubin)
if(failed OR NOT parts)
  message(FATAL_ERROR "${CUOBJDUMP} -xelf all ${MODULE}: ${said}")
endif()
foreach(part ${parts})
  execute_process(COMMAND ${NVDISASM} -c ${part} OUTPUT_FILE ${part}.sass ERROR_VARIABLE said RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${NVDISASM} -c ${part}: ${said}")
  endif()
endforeach()
file(GLOB texts ${work}/*.sass)
foreach(text ${texts})
  get_filename_component(name ${text} NAME)
  string(REGEX MATCH "sm_[0-9a-z]+" architecture ${name})
  file(READ ${text} code)
  file(APPEND ${work}/${architecture} "${code}")
  list(APPEND architectures ${architecture})
endforeach()
list(REMOVE_DUPLICATES architectures)
foreach(architecture ${architectures})
  file(RENAME ${work}/${architecture} ${FOLDER}/libplumbline_cuda.${architecture}.sass)
endforeach()
file(REMOVE_RECURSE ${work})
