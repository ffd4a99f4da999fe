# One test program per folder of tests/ that has .cpp files: tests/ops/**/*.cpp -> build/<preset>/tests/test-ops.
# Files in tests/support/ are shared by all of them. A suite whose name begins with "Slow" gets ctest's label
# `slow`, every other one `fast` (the fast set must stay under a minute on two cores).
include(GoogleTest)
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)

# Linked ahead of gtest_main, so a main() in tests/support would win over GTest's.
file(GLOB_RECURSE support_sources CONFIGURE_DEPENDS tests/support/*.cpp)
add_library(lockstep-test-support INTERFACE)
if(support_sources)
  add_library(lockstep-test-support-files STATIC ${support_sources})
  target_link_libraries(lockstep-test-support-files PUBLIC lockstep GTest::gtest rapidcheck rapidcheck_gtest)
  target_link_libraries(lockstep-test-support INTERFACE lockstep-test-support-files)
endif()
target_link_libraries(lockstep-test-support INTERFACE
  lockstep GTest::gtest_main GTest::gtest rapidcheck rapidcheck_gtest)

# GTest and what nearly every test includes, read once for all test programs.
add_library(lockstep-test-headers OBJECT cmake/test_headers.cpp)
target_link_libraries(lockstep-test-headers PRIVATE lockstep-test-support)
target_compile_options(lockstep-test-headers PRIVATE ${host_optimisation})  # compiled more often than run
target_precompile_headers(lockstep-test-headers PRIVATE
  <gtest/gtest.h> <algorithm> <functional> <map> <memory> <string> <vector> <fmt/format.h>
  <nlohmann/json.hpp>)

file(GLOB stray_sources CONFIGURE_DEPENDS tests/*.cpp)
if(stray_sources)
  message(FATAL_ERROR "a test belongs into a folder of tests/, as in tests/ops/: ${stray_sources}")
endif()

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/tests" tests/*.cpp)
set(folders ${test_sources})
list(TRANSFORM folders REPLACE "/.*" "")
list(REMOVE_DUPLICATES folders)
list(REMOVE_ITEM folders support)

# GTest names the instance of a parametrised suite first: Odd/SlowMatmul.Same/3.
set(slow "Slow*.*:*/Slow*.*")

foreach(folder IN LISTS folders)
  set(sources ${test_sources})
  list(FILTER sources INCLUDE REGEX "^${folder}/")
  list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/tests/")
  set(program "test-${folder}")
  add_executable(${program} ${sources})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(${program} PRIVATE lockstep-test-support)
  target_compile_options(${program} PRIVATE ${host_optimisation})
  target_precompile_headers(${program} REUSE_FROM lockstep-test-headers)
  # Tests run the command, so a build of the tests alone must bring it.
  add_dependencies(${program} lockstep-cli)
  foreach(label IN ITEMS fast slow)
    if(label STREQUAL "slow")
      set(filter "${slow}")
      set(seconds 900)
    else()
      set(filter "-${slow}")
      set(seconds 120)
    endif()
    # Two properties for two variables, because a list in one of them does not survive gtest_discover_tests.
    # PRE_TEST: the programs are asked for their tests when ctest starts, not while building.
    gtest_discover_tests(${program}
      TEST_PREFIX "${folder}/"
      TEST_FILTER "${filter}"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
      DISCOVERY_MODE PRE_TEST
      DISCOVERY_TIMEOUT 60
      PROPERTIES
        LABELS ${label}
        TIMEOUT ${seconds}
        ENVIRONMENT "LOCKSTEP_COMMAND=$<TARGET_FILE:lockstep-cli>"
        ENVIRONMENT_MODIFICATION "LOCKSTEP_SOURCE_DIR=set:${PROJECT_SOURCE_DIR}")
  endforeach()
endforeach()
