# `cmake --install`: headers, library, program, completion, Blender script, and two ways to find it: find_package(nacre), pkg-config.
include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/nacre)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/nacre DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(TARGETS nacre EXPORT nacreTargets)
if(TARGET nacre-cli)
  install(TARGETS nacre-cli)
  if(TARGET nacre-mpi)
    install(TARGETS nacre-mpi)
    install(TARGETS nacre-ranks LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/nacre)
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/cli/completion.bash
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME nacre)
  install(FILES ${PROJECT_SOURCE_DIR}/scripts/blender_import.py ${PROJECT_SOURCE_DIR}/scripts/blender_export.py
          DESTINATION ${CMAKE_INSTALL_DATADIR}/nacre)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# A static library passes its own needs on to what links it; a shared one keeps them.
get_target_property(nacre_type nacre TYPE)
set(NACRE_IS_STATIC OFF)
if(nacre_type STREQUAL STATIC_LIBRARY)
  set(NACRE_IS_STATIC ON)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/nacreConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/generated/nacreConfig.cmake INSTALL_DESTINATION ${config_folder})
# Before 1.0 a minor version may break what was built against another.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/nacreConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(EXPORT nacreTargets NAMESPACE nacre:: DESTINATION ${config_folder})
install(FILES ${PROJECT_BINARY_DIR}/generated/nacreConfig.cmake ${PROJECT_BINARY_DIR}/generated/nacreConfigVersion.cmake
        DESTINATION ${config_folder})

list(JOIN NACRE_PC_REQUIRES " " pc_requires)
list(JOIN NACRE_PC_LIBS " " pc_libs)
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/nacre.pc.in ${PROJECT_BINARY_DIR}/generated/nacre.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/nacre.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
