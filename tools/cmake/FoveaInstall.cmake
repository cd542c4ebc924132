# The installed package: `find_package(Fovea)` with the components `compiler` and `runtime`, headers, and a pkg-config
# file of the runtime. Each component installs alone: `cmake --install build --component runtime`.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Fovea)
# Where no find_package looks: a build tree is no package, even where its bin folder is on PATH.
set(generated ${PROJECT_BINARY_DIR}/CMakeFiles)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/FoveaConfig.cmake.in ${generated}/FoveaConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${generated}/FoveaConfigVersion.cmake COMPATIBILITY SameMinorVersion)

# Each component brings the configuration along, so that it is whole without the other.
foreach(component runtime compiler)
  install(FILES ${generated}/FoveaConfig.cmake ${generated}/FoveaConfigVersion.cmake DESTINATION ${package_dir}
    COMPONENT ${component})
endforeach()
install(EXPORT FoveaRuntimeTargets FILE Fovea-runtime.cmake NAMESPACE Fovea:: DESTINATION ${package_dir} COMPONENT runtime)

file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/fovea-runtime.pc.in ${generated}/fovea-runtime.pc @ONLY)
install(FILES ${generated}/fovea-runtime.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)

if(FOVEA_BUILD_COMPILER)
  install(EXPORT FoveaCompilerTargets FILE Fovea-compiler.cmake NAMESPACE Fovea:: DESTINATION ${package_dir} COMPONENT compiler)
  # Headers and definitions as written, and what was generated from them.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT compiler
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.fbs")
  install(DIRECTORY ${PROJECT_BINARY_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT compiler
    FILES_MATCHING PATTERN "*.inc" PATTERN "*.h" PATTERN "CMakeFiles" EXCLUDE)
endif()
