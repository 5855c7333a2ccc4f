# plumbline_program(NAME KERNEL_LIBRARIES...): an executable with all commands of plumbline and these kernels, in bin/ of the build folder.
# Beside it, where an installed one has them, are its own files: links to PLUMBLINE_SHARE (and PLUMBLINE_LIB, the emulator's place).
function(plumbline_program name)
  if(NOT TARGET plumbline::app)
    message(FATAL_ERROR "plumbline_program(${name}): this plumbline was built with PLUMBLINE_CORE_ONLY, without its commands; install a whole one")
  endif()
  add_executable(${name} $<TARGET_OBJECTS:plumbline::main>)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  # A path of libraries that differs once installed ends with an empty element, CMake's room for the other: by that the loader looks for
  # every library in the current folder, which may be anybody's. So it is one path, of those folders that hold libraries linked here.
  set_target_properties(${name} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
  target_link_libraries(${name} PRIVATE plumbline::options plumbline::app ${ARGN})
  target_link_options(${name} PRIVATE LINKER:--build-id=sha1)  # by which a resumed run tells another build
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/plumbline ${PROJECT_BINARY_DIR}/lib)
  foreach(folder harness jobs analysis)
    file(CREATE_LINK ${PLUMBLINE_SHARE}/${folder} ${PROJECT_BINARY_DIR}/share/plumbline/${folder} SYMBOLIC)
  endforeach()
  if(PLUMBLINE_LIB)
    file(CREATE_LINK ${PLUMBLINE_LIB} ${PROJECT_BINARY_DIR}/lib/plumbline SYMBOLIC)
  endif()
endfunction()
