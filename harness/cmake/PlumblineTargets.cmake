option(PLUMBLINE_WERROR "Warnings are errors: for developers, whose presets say so; a compiler that is newer than ours may warn of more" OFF)
set(PLUMBLINE_WERROR_FLAG "")
if(PLUMBLINE_WERROR)
  set(PLUMBLINE_WERROR_FLAG -Werror)
endif()

# What every target of ours has: C++20, warnings, the include root, sanitizers where asked for. Where files are compiled together, a local name
# may be one that another file has at its outermost level: there g++ warns of shadowed locals alone, and clang of none.
add_library(plumbline_options INTERFACE)
add_library(plumbline::options ALIAS plumbline_options)
target_compile_features(plumbline_options INTERFACE cxx_std_20)
target_compile_options(plumbline_options INTERFACE
  "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wpedantic;${PLUMBLINE_WERROR_FLAG}>>"
  "$<BUILD_INTERFACE:$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>>:-Wshadow>>"
  "$<BUILD_INTERFACE:$<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow=local>>"
  "$<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>>")  # gcc 12 sees overlaps in const char* + std::string (GCC bug 105651)
# g++ collects garbage each time its heap has doubled, which is a sixth of its time where files are compiled together: it may have 1 GiB first.
target_compile_options(plumbline_options INTERFACE "$<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576>>")
# What is built names no folder of whoever built it: an installation is moved, and its messages name a file within the project.
target_compile_options(plumbline_options INTERFACE "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:C,CXX>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>>")
target_include_directories(plumbline_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PLUMBLINE_HEADERS}> $<INSTALL_INTERFACE:${PLUMBLINE_HEADER_DESTINATION}>)
# A precompiled header by clang holds the times of its headers otherwise, and one from a compiler cache would fit no other checkout.
target_compile_options(plumbline_options INTERFACE "$<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>>")
if(PLUMBLINE_SANITIZE)
  target_compile_options(plumbline_options INTERFACE -fsanitize=${PLUMBLINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Relative to where ninja runs it, so that what a compiler cache holds fits checkouts in other folders too.
    file(RELATIVE_PATH ignored ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_LIST_DIR}/sanitized.ignored)
    target_compile_options(plumbline_options INTERFACE $<BUILD_INTERFACE:-fsanitize-ignorelist=${ignored}>)
  endif()
  target_link_options(plumbline_options INTERFACE -fsanitize=${PLUMBLINE_SANITIZE})
endif()

# What is never timed, and is most of what is compiled: the commands, what reads and judges files, core, the counters (a sweep is timed without
# them), the plan of ceilings, the tests. Its compile time counts more than its speed, and with -Og g++ takes half to three quarters of the time.
set(PLUMBLINE_UNTIMED_FLAGS "$<$<CONFIG:Release>:$<IF:$<COMPILE_LANG_AND_ID:CXX,GNU>,-Og,-O1>>" CACHE STRING "compiler flags, after the others, of what is never timed: commands, readers, judges, counters, plans, tests")

option(PLUMBLINE_FILE_BY_FILE "Compile every source by itself, not the files of a room together, and no header before: slower, but for a change in one file" OFF)

# plumbline_compile_by_room(TARGET): the target's files that lie in one folder are compiled together, so that the headers they share are read
# once, and templates instantiated once. Their unnamed namespaces are one then, and what they define there needs names that differ. An include
# that a file lacks shows only where files are compiled by themselves: in the preset dev, and by tests/install/build_with.py --syntax (`--full`).
function(plumbline_compile_by_room target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  if(PLUMBLINE_FILE_BY_FILE OR count EQUAL 1)
    return()
  endif()
  foreach(source ${sources})
    get_filename_component(folder "${source}" DIRECTORY)
    string(MAKE_C_IDENTIFIER "${target}_${folder}" room)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>")  # a room is no header
endfunction()

# plumbline_module(NAME [UNTIMED] SOURCES... [LINKS targets...] [PUBLIC_LINKS targets...]): a static library plumbline_NAME, alias
# plumbline::NAME. UNTIMED: nothing of it whose time hangs on the compiler runs between two readings of a clock, but for its
# plumbline_timed_sources.
function(plumbline_module name)
  cmake_parse_arguments(arg "UNTIMED" "" "SOURCES;LINKS;PUBLIC_LINKS" ${ARGN})
  add_library(plumbline_${name} STATIC ${arg_SOURCES})
  add_library(plumbline::${name} ALIAS plumbline_${name})
  set_target_properties(plumbline_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(plumbline_${name} PUBLIC plumbline_options ${arg_PUBLIC_LINKS} PRIVATE ${arg_LINKS})
  if(arg_UNTIMED)
    target_compile_options(plumbline_${name} PRIVATE ${PLUMBLINE_UNTIMED_FLAGS})
  endif()
  plumbline_compile_by_room(plumbline_${name})
endfunction()

# plumbline_timed_sources(FILE...): sources of an UNTIMED module that do run between two readings of a clock. Each is compiled by itself.
function(plumbline_timed_sources)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# plumbline_test_program(NAME SOURCES... [LINKS...]): a program that a test starts, in tests/ of the build folder. Nothing of it is timed.
function(plumbline_test_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_compile_options(${name} PRIVATE ${PLUMBLINE_UNTIMED_FLAGS})
  # gcc 13 and later take what a function has found in its first argument for a part of its second, a name made for the call.
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-dangling-reference>")
  target_link_libraries(${name} PRIVATE plumbline_options ${arg_LINKS})
  plumbline_compile_by_room(${name})
endfunction()

# plumbline_add_gtest_main(): makes the main of GoogleTest programs, and compiles the headers that nearly all of them include once for all.
function(plumbline_add_gtest_main)
  if(NOT TARGET plumbline_gtest_main)
    add_library(plumbline_gtest_main OBJECT ${PROJECT_SOURCE_DIR}/tests/gtest_main.cpp)
    target_compile_options(plumbline_gtest_main PRIVATE ${PLUMBLINE_UNTIMED_FLAGS})
    target_link_libraries(plumbline_gtest_main PUBLIC plumbline_options GTest::gtest)
    if(NOT PLUMBLINE_FILE_BY_FILE)
      target_precompile_headers(plumbline_gtest_main PRIVATE <gtest/gtest.h>
        <algorithm> <array> <charconv> <cmath> <filesystem> <fstream> <functional> <map> <memory> <memory_resource> <numeric> <optional>
        <ranges> <set> <span> <sstream> <string> <variant> <vector>)
    endif()
  endif()
endfunction()

# plumbline_needed_by_test(LABELS labels... TARGETS targets...): what a test starts, noted where sanitizers take the test: labelled unit, and none of
# what they leave out (rates, python, sources). tests/CMakeLists.txt makes the target sanitized_tests of it.
function(plumbline_needed_by_test)
  cmake_parse_arguments(arg "" "" "LABELS;TARGETS" ${ARGN})
  if(unit IN_LIST arg_LABELS AND NOT arg_LABELS MATCHES "(^|;)(rates|python|sources)(;|$)")
    set_property(GLOBAL APPEND PROPERTY PLUMBLINE_SANITIZED_TESTS ${arg_TARGETS})
  endif()
endfunction()

option(PLUMBLINE_UNTIMED_TESTS "Build the unit tests of what is never timed, which jobs/test.sh runs with sanitizers in any case" ON)

# plumbline_test_times(TESTS name... TIMEOUT seconds): each test's deadline, which sanitizers make three times as long; the long ones start first
# (COST), so that at the end no core waits for one of them.
function(plumbline_test_times)
  cmake_parse_arguments(arg "" "TIMEOUT" "TESTS" ${ARGN})
  set(deadline ${arg_TIMEOUT})
  if(PLUMBLINE_SANITIZE)
    math(EXPR deadline "3 * ${arg_TIMEOUT}")
  endif()
  set_tests_properties(${arg_TESTS} PROPERTIES TIMEOUT ${deadline} COST ${arg_TIMEOUT})
endfunction()

# plumbline_test(NAME [UNTIMED] SOURCES... LINKS... [LABELS unit] [TIMEOUT 120] [OWN_MAIN] [EVERY_ISA]): a GoogleTest program, registered as one
# ctest; UNTIMED: of code that is never timed, so that a build without PLUMBLINE_UNTIMED_TESTS leaves it out; with EVERY_ISA (label isa) in a cross build as one for each CPU of the toolchain's PLUMBLINE_TEST_CPUS, told by PLUMBLINE_EXPECTED_ISA.
# Skipped is an exit code, never a word in the output: a skip must not hide a failure. Three labels beside unit name what sanitizers
# leave out: rates, a program that asks how often a judgement errs, over thousands of repetitions; python, a test of what is written in Python;
# and, but for `--full`, long: there it takes a minute or more.
function(plumbline_test name)
  cmake_parse_arguments(arg "UNTIMED;OWN_MAIN;EVERY_ISA" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  plumbline_add_gtest_main()
  if(NOT arg_OWN_MAIN)
    list(APPEND arg_LINKS plumbline_gtest_main)
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  plumbline_test_program(${name} SOURCES ${arg_SOURCES} LINKS ${arg_LINKS} GTest::gtest)
  if(NOT PLUMBLINE_FILE_BY_FILE)
    target_precompile_headers(${name} REUSE_FROM plumbline_gtest_main)
  endif()
  if(arg_UNTIMED AND NOT PLUMBLINE_UNTIMED_TESTS)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  set(tests ${name})
  if(arg_EVERY_ISA)
    list(APPEND arg_LABELS isa)
  endif()
  if(arg_EVERY_ISA AND PLUMBLINE_TEST_CPUS)
    set(tests "")
    foreach(cpu ${PLUMBLINE_TEST_CPUS})
      string(REGEX MATCH "^([^=]+)=(.+)$" cpu ${cpu})
      set(test ${name}.${CMAKE_MATCH_1})
      add_test(NAME ${test} COMMAND ${name})
      set_tests_properties(${test} PROPERTIES ENVIRONMENT
        "PLUMBLINE_EXPECTED_ISA=${CMAKE_MATCH_1};QEMU_CPU=${CMAKE_MATCH_2};GTEST_FILTER=${PLUMBLINE_TEST_CPUS_FILTER}")
      list(APPEND tests ${test})
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${name})
  endif()
  set_tests_properties(${tests} PROPERTIES LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77)
  plumbline_test_times(TESTS ${tests} TIMEOUT ${arg_TIMEOUT})
  plumbline_needed_by_test(LABELS ${arg_LABELS} TARGETS ${name})
  if(gpu IN_LIST arg_LABELS)
    set_property(GLOBAL APPEND PROPERTY PLUMBLINE_GPU_TESTS ${name})
  endif()
endfunction()

# The environment of tests whose teams of threads share their cores with other tests, or with each other under Valgrind: a thread that waits for
# another gives its core away. OpenMP's default is to spin for milliseconds: `plumbline profile -- true` without kept roofs took 26 and 89 seconds
# of CPU beside three tests on two cores, and 19 and 18 so.
set(PLUMBLINE_WAITING_THREADS OMP_WAIT_POLICY=passive)

# plumbline_pytest(NAME FILE[::test] [LABELS unit] [TIMEOUT 120] [ENVIRONMENT a=b...]): a pytest file of this folder as one ctest. One that is
# told nothing of the build starts none of its programs: it has the label sources, too, and is the same in every build. What the file marks
# as whole (tests/conftest.py) is a second ctest, NAME.whole, with the label full.
function(plumbline_pytest name file)
  cmake_parse_arguments(arg "" "TIMEOUT" "LABELS;ENVIRONMENT" ${ARGN})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_ENVIRONMENT)
    list(APPEND arg_LABELS sources)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  string(REGEX REPLACE "::.*" "" source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} marks REGEX "mark\\.whole")
  set(tests ${name})
  if(marks AND file MATCHES "::")
    message(FATAL_ERROR "${name} is one test of ${source}, which marks others as whole: a ctest without any test fails")
  elseif(marks)
    list(APPEND tests ${name}.whole)
  endif()
  foreach(test ${tests})
    add_test(NAME ${test} COMMAND ${PLUMBLINE_PYTHON} -B -m pytest ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    set_tests_properties(${test} PROPERTIES LABELS "${arg_LABELS}" ENVIRONMENT "${arg_ENVIRONMENT}" SKIP_RETURN_CODE 77
      SKIP_REGULAR_EXPRESSION "No module named pytest")
    plumbline_test_times(TESTS ${test} TIMEOUT ${arg_TIMEOUT})
  endforeach()
  if(marks)
    list(APPEND arg_ENVIRONMENT PLUMBLINE_WHOLE=1)
    set_tests_properties(${name}.whole PROPERTIES LABELS full ENVIRONMENT "${arg_ENVIRONMENT}" TIMEOUT 1800)
  endif()
  string(REGEX MATCHALL "<TARGET_FILE:[^>]+" started "${arg_ENVIRONMENT}")
  list(TRANSFORM started REPLACE "^<TARGET_FILE:" "")
  plumbline_needed_by_test(LABELS ${arg_LABELS} TARGETS ${started})
endfunction()
