# Finds the one supported MLIR and refuses any other with a message that says what to install.
set(FOVEA_MLIR_VERSION 22.1)
# A prefix that the caller names is meant: Debian's place is looked at only without one.
if(EXISTS /usr/lib/llvm-22 AND NOT MLIR_DIR AND NOT CMAKE_PREFIX_PATH AND NOT DEFINED ENV{CMAKE_PREFIX_PATH})
  list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
endif()
find_package(MLIR ${FOVEA_MLIR_VERSION} CONFIG QUIET)
if(NOT MLIR_FOUND)
  set(considered "")
  foreach(version config IN ZIP_LISTS MLIR_CONSIDERED_VERSIONS MLIR_CONSIDERED_CONFIGS)
    string(APPEND considered " found MLIR ${version} at ${config}, which does not fit;")
  endforeach()
  message(FATAL_ERROR
    "Fovea needs MLIR ${FOVEA_MLIR_VERSION}:${considered} on Debian run tools/quickstart, "
    "or install llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools liblld-22-dev, "
    "or pass -DCMAKE_PREFIX_PATH=<prefix of MLIR ${FOVEA_MLIR_VERSION}>")
endif()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION}: ${MLIR_DIR}")
find_package(LLD CONFIG REQUIRED)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
set(MLIR_BINARY_DIR ${CMAKE_BINARY_DIR}) # where mlir-doc writes
include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
