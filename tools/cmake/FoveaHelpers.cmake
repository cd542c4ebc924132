include(GNUInstallDirs)

# Files made here are written with file(CONFIGURE), which leaves equal ones alone: configuring again rebuilds nothing.

add_compile_options(-Wall -Wno-unused-function $<$<BOOL:${FOVEA_WERROR}>:-Werror>)
if(FOVEA_SANITIZE)
  add_compile_options(-fsanitize=${FOVEA_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FOVEA_SANITIZE})
endif()

# One precompiled header serves every compiler library: parsing MLIR's headers is most of the cost of a file.
function(fovea_use_pch target)
  if(NOT FOVEA_USE_PCH)
    return()
  endif()
  if(NOT TARGET FoveaPCH)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/FoveaPCH.cpp CONTENT "// Carrier of the precompiled header.\n")
    add_library(FoveaPCH OBJECT ${CMAKE_BINARY_DIR}/FoveaPCH.cpp)
    target_compile_options(FoveaPCH PRIVATE -fno-exceptions)
    target_precompile_headers(FoveaPCH PRIVATE ${PROJECT_SOURCE_DIR}/tools/cmake/FoveaPCH.h)
  endif()
  target_precompile_headers(${target} REUSE_FROM FoveaPCH)
endfunction()

# What the compiler needs of MLIR and LLVM: the shared libraries alone. A package that uses it adds the include paths of
# the MLIR it found.
if(FOVEA_BUILD_COMPILER)
  add_library(FoveaMLIR INTERFACE)
  set_target_properties(FoveaMLIR PROPERTIES EXPORT_NAME MLIR)
  target_link_libraries(FoveaMLIR INTERFACE MLIR LLVM)
  target_compile_features(FoveaMLIR INTERFACE cxx_std_17)
  install(TARGETS FoveaMLIR EXPORT FoveaCompilerTargets)
endif()

# fovea_add_library(Name sources... [DEPENDS ...] [LINK_LIBS ...]): a static compiler library over the MLIR dylib.
function(fovea_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE -fno-exceptions)
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} FoveaMLIR)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  add_dependencies(${name} fovea-headers ${ARG_DEPENDS})
  fovea_use_pch(${name})
  string(REGEX REPLACE "^Fovea" "" export_name ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name})
  install(TARGETS ${name} EXPORT FoveaCompilerTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)
endfunction()

# fovea_add_shared_library(name SHARED|MODULE sources... EXPORTS patterns... LINK_LIBS ...): an object in lib/ that exports
# the symbols of these patterns alone, so that what it holds meets no copy of it elsewhere in the process.
function(fovea_add_shared_library name kind)
  cmake_parse_arguments(ARG "" "" "EXPORTS;LINK_LIBS" ${ARGN})
  add_library(${name} ${kind} ${ARG_UNPARSED_ARGUMENTS})
  list(JOIN ARG_EXPORTS "; " patterns)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "{ global: ${patterns}; local: *; };\n" @ONLY)
  target_link_options(${name} PRIVATE -Wl,--version-script=${map})
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${map})
  if(NOT FOVEA_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  target_compile_options(${name} PRIVATE -fno-exceptions)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} FoveaMLIR)
  add_dependencies(${name} fovea-headers)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
    INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()

# fovea_add_tool(name sources... LINK_LIBS ...): a compiler tool in bin/. Those of tools/ are installed, those of tests are not.
function(fovea_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(FOVEA_SANITIZE MATCHES address)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools/common/SanitizerOptions.cpp)
  endif()
  # As the libraries are compiled, so that the precompiled header fits.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fno-exceptions -fPIC)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} FoveaMLIR)
  add_dependencies(${name} fovea-headers)
  fovea_use_pch(${name})
  # An installed tool finds the MLIR it was linked with.
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin
    INSTALL_RPATH_USE_LINK_PATH ON)
  string(FIND ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tools/ position)
  if(position EQUAL 0)
    install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
  endif()
endfunction()
