# The program `nacre`: rooms on top of the library, each a folder of src/ and a static library of its own that is not
# installed, the commands of cli/, and bench/. What a room wants of others (Embree, libpng, civetweb) stays in that room.

# nacre_room(NAME LIBRARY...): src/NAME as the target nacre-NAME, on top of those libraries.
set(NACRE_ROOMS "")
function(nacre_room name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  add_library(nacre-${name} STATIC ${sources})
  nacre_compile(nacre-${name})
  target_include_directories(nacre-${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(nacre-${name} PUBLIC ${ARGN})
  set(NACRE_ROOMS ${NACRE_ROOMS} ${name} PARENT_SCOPE)
endfunction()

nacre_room(animation nacre)
nacre_room(export nacre-animation)
nacre_room(plot nacre)
nacre_room(render nacre)
nacre_room(study nacre-export nacre-plot PkgConfig::SQLITE)
nacre_room(view nacre)
include(NacreView)

if(NACRE_EMBREE)
  find_package(embree 3 QUIET)
  if(NOT embree_FOUND)
    message(STATUS "No Embree 3: `nacre bench` will leave that peer out, and `nacre render` will say so.")
  endif()
  pkg_check_modules(PNG IMPORTED_TARGET libpng)
  if(embree_FOUND AND PNG_FOUND)
    target_compile_definitions(nacre-render PUBLIC NC_WITH_RENDER)
    target_link_libraries(nacre-render PRIVATE embree PkgConfig::PNG)
  endif()
endif()

# Measurements: the command `nacre bench`, a library of its own because nothing else needs what it measures against.
file(GLOB_RECURSE BENCH_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
add_library(nacre-bench STATIC ${BENCH_SOURCES})
nacre_compile(nacre-bench)
target_include_directories(nacre-bench PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(nacre-bench PRIVATE nacre-plot)
if(NACRE_ASSIMP)
  target_compile_definitions(nacre-bench PRIVATE NC_WITH_ASSIMP)
  target_link_libraries(nacre-bench PRIVATE assimp::assimp)
endif()
if(NACRE_EMBREE AND embree_FOUND)
  target_compile_definitions(nacre-bench PRIVATE HAVE_EMBREE)
  target_link_libraries(nacre-bench PRIVATE embree)
endif()

# The scenes of `nacre new`, compiled in.
set(templates ${PROJECT_BINARY_DIR}/generated/templates.c)
set(cookbook ${PROJECT_SOURCE_DIR}/scenes/cookbook)
set(start ${PROJECT_SOURCE_DIR}/scenes/demo/start.yaml)
set(write_templates ${PROJECT_SOURCE_DIR}/cmake/NacreTemplates.cmake)
file(GLOB template_files CONFIGURE_DEPENDS ${cookbook}/*.yaml ${cookbook}/*.obj)
add_custom_command(
  OUTPUT ${templates}
  COMMAND ${CMAKE_COMMAND} -DSTART=${start} -DFOLDER=${cookbook} -DOUT=${templates} -P ${write_templates}
  DEPENDS ${start} ${template_files} ${write_templates}
  COMMENT "Embedding the scenes of nacre new"
  VERBATIM)

file(GLOB CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.c)
add_executable(nacre-cli ${CLI_SOURCES} ${templates})
nacre_compile(nacre-cli)
target_include_directories(nacre-cli PRIVATE ${PROJECT_SOURCE_DIR}/cli)
set_target_properties(nacre-cli PROPERTIES OUTPUT_NAME nacre)
target_link_libraries(nacre-cli PRIVATE nacre-bench nacre-export nacre-plot nacre-render nacre-study nacre-view PkgConfig::SQLITE)
if(NACRE_EXPAT)
  pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat)
  target_compile_definitions(nacre-cli PRIVATE NC_WITH_EXPAT)
  target_link_libraries(nacre-cli PRIVATE PkgConfig::EXPAT)
endif()
if(NACRE_ASSIMP)
  target_compile_definitions(nacre-cli PRIVATE NC_WITH_ASSIMP)
endif()

# Runs of a study on the ranks of an MPI job (`nacre study --on mpi`): a program of its own, the only one with MPI in it.
if(NACRE_MPI)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    add_executable(nacre-mpi ${PROJECT_SOURCE_DIR}/cli/mpi/launcher.c)
    nacre_compile(nacre-mpi)
    target_link_libraries(nacre-mpi PRIVATE MPI::MPI_C)
    add_library(nacre-ranks MODULE ${PROJECT_SOURCE_DIR}/cli/mpi/ranks.c)
    nacre_compile(nacre-ranks)
    set_target_properties(nacre-ranks PROPERTIES PREFIX "" SUFFIX .so C_VISIBILITY_PRESET default
                                                 LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_include_directories(nacre-ranks PRIVATE ${PROJECT_SOURCE_DIR}/cli ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(nacre-ranks PRIVATE MPI::MPI_C)
  else()
    message(STATUS "No MPI: `nacre study --on mpi` and `mpirun nacre run` will say so.")
  endif()
endif()
