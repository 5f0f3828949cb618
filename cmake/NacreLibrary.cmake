# The library.

# The core, bottom up, and the models that it has; the rest needs further libraries.
set(NACRE_CORE_FOLDERS base math geom motion broad narrow world audit contact certify fracture step cloth repair model)
set(NACRE_FILE_FOLDERS io scene run reel drive)

set(folders ${NACRE_CORE_FOLDERS})
if(NOT NACRE_CORE_ONLY)
  list(APPEND folders ${NACRE_FILE_FOLDERS})
endif()
list(TRANSFORM folders REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1/*.c")
file(GLOB NACRE_SOURCES CONFIGURE_DEPENDS ${folders})

add_library(nacre ${NACRE_SOURCES})
add_library(nacre::nacre ALIAS nacre)
nacre_compile(nacre)
set_target_properties(nacre PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                                       POSITION_INDEPENDENT_CODE ON)
target_include_directories(
  nacre PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(nacre PUBLIC m)

# Who needs what is written once, here: NACRE_PC_REQUIRES and NACRE_PC_LIBS are what a static link needs (nacre.pc).
set(NACRE_PC_REQUIRES "")
set(NACRE_PC_LIBS "")
if(NACRE_OPENMP)
  find_package(OpenMP COMPONENTS C)
  if(OpenMP_C_FOUND)
    # Once installed, a static library wants the run-time library of the compiler that built it, whatever its user has.
    target_link_libraries(nacre PRIVATE $<BUILD_INTERFACE:OpenMP::OpenMP_C> "$<INSTALL_INTERFACE:${OpenMP_C_LIBRARIES}>")
    list(APPEND NACRE_PC_LIBS ${OpenMP_C_LIBRARIES})
  else()
    message(WARNING "No OpenMP for this compiler: Nacre will use one thread.")
  endif()
endif()
if(NOT NACRE_CORE_ONLY)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
  pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
  pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
  target_link_libraries(nacre PRIVATE PkgConfig::YAML PkgConfig::SQLITE PkgConfig::ZSTD)
  list(APPEND NACRE_PC_REQUIRES yaml-0.1 sqlite3 libzstd)
  if(NACRE_ASSIMP)
    find_package(assimp REQUIRED)
    target_link_libraries(nacre PRIVATE assimp::assimp)
    target_compile_definitions(nacre PRIVATE NC_WITH_ASSIMP)
    list(APPEND NACRE_PC_REQUIRES assimp)
  endif()
endif()

# The commit, looked up at every build and compiled into one file.
set(commit_header ${PROJECT_BINARY_DIR}/generated/nacre_commit.h)
set(commit_command ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${commit_header} -P
                   ${PROJECT_SOURCE_DIR}/cmake/NacreCommit.cmake)
add_custom_target(nacre-commit COMMAND ${commit_command} BYPRODUCTS ${commit_header} COMMENT "" VERBATIM)
add_dependencies(nacre nacre-commit)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/base/version.c
                            PROPERTIES COMPILE_OPTIONS "-include;${commit_header}" OBJECT_DEPENDS ${commit_header})
