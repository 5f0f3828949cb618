# Tests, by ctest label. Exit code 77 is "skipped": something the test needs is absent.
#   unit         cmocka programs, one per file of tests/unit; in every build
#   parallel     those of them that use several workers: what the thread sanitizer runs
#   scene        every file of scenes/ runs, audited and judged; in every build
#   cli          scripts of tests/cli, given the program in $NACRE; in every build
#   layers       who includes and calls whom; what the object code shows of the library's conventions
#   lint         formatting, clang-tidy, cppcheck
#   install      the examples against the installed library; the core alone
#   determinism  one hash for other values of all numbers that only cost time;
#                one hash for two compilers, two optimisation levels, 1 to 8 threads; no miss where products are fused;
#                every scene on 1 to 8 threads and resumed
#   fuzz         every parser, for a short while
#   peers        programs of others read what Nacre writes; scenes of others end as they must
#   python       the Python package: its tests, its types, its wheel
#   cluster      studies under random kills, on a real Slurm that the test starts, and on MPI
#   web          the viewer in a real browser; the types of its page

# The program that the determinism test runs, of this build and of its own, needs the core only.
add_executable(hash_bodies ${PROJECT_SOURCE_DIR}/tests/tools/hash_bodies.c)
nacre_compile(hash_bodies)
target_link_libraries(hash_bodies PRIVATE nacre)
if(NACRE_CORE_ONLY)
  return()
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
find_library(GMP_LIBRARY gmp REQUIRED)
find_library(MPFR_LIBRARY mpfr REQUIRED)
set(tests ${PROJECT_SOURCE_DIR}/tests)

# nacre_test(NAME LABELS COMMAND...): a test that finds the program in $NACRE and may be skipped.
function(nacre_test name labels)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" SKIP_RETURN_CODE 77)
  # Tests share the machine: waiting threads sleep.
  set(environment "NACRE_BUILD=${PROJECT_BINARY_DIR}" OMP_WAIT_POLICY=passive "NACRE_SANITIZED=${NACRE_SANITIZE}")
  if(TARGET nacre-cli)
    list(APPEND environment "NACRE=$<TARGET_FILE:nacre-cli>")
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
endfunction()

file(GLOB TEST_SOURCES CONFIGURE_DEPENDS ${tests}/unit/test_*.c)
if(NOT TARGET nacre-study)
  list(FILTER TEST_SOURCES EXCLUDE REGEX "/test_study\\.c$")
endif()
# nacre_unit_test(NAME SOURCE DEFINITIONS...): a cmocka program.
function(nacre_unit_test name source)
  add_executable(${name} ${source})
  nacre_compile(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${tests})
  target_compile_definitions(${name} PRIVATE NACRE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ${ARGN})
  target_link_libraries(${name} PRIVATE nacre PkgConfig::CMOCKA PkgConfig::SQLITE ${GMP_LIBRARY} ${MPFR_LIBRARY} m)
  if(NACRE_ASSIMP)
    target_compile_definitions(${name} PRIVATE NC_WITH_ASSIMP)
  endif()
  set(labels unit)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  # A program that sets `workers = 1` and no more has one thread.
  file(STRINGS ${source} workers REGEX "workers( = ([^1]|1[0-9])|[^ ]| [^=])" LIMIT_COUNT 1)
  if(workers)
    list(APPEND labels parallel)
  endif()
  nacre_test(${name} "${labels}" ${name})
endfunction()

foreach(source ${TEST_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  nacre_unit_test(${name} ${source})
endforeach()

# Joints against closed forms, once more in the pipelines of stack layers.
foreach(name test_joint test_joint_drive test_joint_impact test_joint_limits test_mechanisms)
  nacre_unit_test(${name}_vsp ${tests}/unit/${name}.c WORLD_PIPELINE=NC_PIPELINE_VSP)
endforeach()
nacre_unit_test(test_joint_isp ${tests}/unit/test_joint.c WORLD_PIPELINE=NC_PIPELINE_ISP)

# Of the program: what does not need the rest of it.
if(TARGET nacre-study)
  target_link_libraries(test_study PRIVATE nacre-study)
endif()
target_sources(test_eta PRIVATE ${PROJECT_SOURCE_DIR}/cli/eta.c)

# The thread sanitizer must see a race that is there.
if(NACRE_SANITIZE STREQUAL thread)
  add_executable(race ${tests}/tools/race.c)
  nacre_compile(race)
  target_include_directories(race PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(race PRIVATE nacre)
  nacre_test(race_is_seen parallel bash ${tests}/tools/race.sh $<TARGET_FILE:race>)
  nacre_test(bodies_on_8_workers parallel hash_bodies 8)
endif()

if(TARGET nacre-cli)
  file(GLOB_RECURSE SCENES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/*.yaml)
  foreach(scene ${SCENES})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${scene})
    nacre_test(${name} scene bash ${tests}/tools/scene.sh $<TARGET_FILE:nacre-cli> ${scene})
  endforeach()
  add_executable(crossed_run ${tests}/tools/crossed_run.c) # makes what the audit must find
  nacre_compile(crossed_run)
  target_include_directories(crossed_run PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(crossed_run PRIVATE nacre)
  # What a build without Embree says.
  add_executable(no_render ${tests}/tools/no_render.c ${PROJECT_SOURCE_DIR}/cli/cmd_render.c
                           ${PROJECT_SOURCE_DIR}/cli/options.c ${PROJECT_SOURCE_DIR}/cli/message.c)
  nacre_compile(no_render)
  target_include_directories(no_render PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/cli)
  target_link_libraries(no_render PRIVATE nacre)
  file(GLOB CLI_TESTS CONFIGURE_DEPENDS ${tests}/cli/*.sh)
  foreach(script ${CLI_TESTS})
    get_filename_component(name ${script} NAME_WE)
    nacre_test(cli_${name} cli bash ${script})
  endforeach()
  # Minutes under sanitizers: early, so that no core waits for them at the end.
  set_tests_properties(cli_bench_papers cli_repair cli_templates cli_figures PROPERTIES COST 900)
endif()

if(TARGET nacre-python AND NOT NACRE_SANITIZE AND NOT NACRE_COVERAGE)
  file(GLOB PYTHON_TESTS CONFIGURE_DEPENDS ${tests}/python/*.sh)
  foreach(script ${PYTHON_TESTS})
    get_filename_component(name ${script} NAME_WE)
    nacre_test(python_${name} python bash ${script})
  endforeach()
elseif(TARGET nacre-python AND NACRE_SANITIZE MATCHES address)
  nacre_test(python_random python bash ${tests}/python/random.sh)
endif()

# What looks at sources, or makes builds of its own, runs once: beside the plain release build.
if(NACRE_SANITIZE OR NACRE_COVERAGE OR NOT CMAKE_BUILD_TYPE STREQUAL Release)
  return()
endif()
nacre_test(layers layers bash ${tests}/tools/layers.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
nacre_test(layers_selftest layers bash ${tests}/tools/layers_selftest.sh)
nacre_test(symbols layers bash ${tests}/tools/symbols.sh $<TARGET_FILE:nacre>)
nacre_test(not_fused layers bash ${tests}/tools/not_fused.sh $<TARGET_FILE:nacre>)
nacre_test(make_check layers bash ${tests}/tools/make_check.sh)
nacre_test(figures_page layers python3 ${PROJECT_SOURCE_DIR}/scripts/figures --check)
nacre_test(docs_names layers python3 ${tests}/tools/docs_names.py ${CMAKE_SOURCE_DIR})
foreach(room ${NACRE_ROOMS})
  nacre_test(symbols_${room} layers bash ${tests}/tools/symbols.sh $<TARGET_FILE:nacre-${room}> --room)
endforeach()
nacre_test(gallery lint bash ${tests}/tools/gallery.sh)
nacre_test(format lint bash ${tests}/tools/lint.sh format)
nacre_test(clang_tidy lint bash ${tests}/tools/lint.sh clang-tidy)
nacre_test(cppcheck lint bash ${tests}/tools/lint.sh cppcheck)
nacre_test(core_only install bash ${tests}/tools/core_only.sh ${PROJECT_BINARY_DIR}/core_only)
set(made_here "")
if(CMAKE_C_COMPILER_ID STREQUAL GNU AND NOT NACRE_OPTIMIZE)
  set(made_here $<TARGET_FILE:hash_bodies>)
endif()
nacre_test(determinism determinism bash ${tests}/tools/determinism.sh ${PROJECT_BINARY_DIR}/determinism ${made_here})
nacre_test(fused determinism bash ${tests}/tools/fused.sh ${PROJECT_BINARY_DIR}/fused)
nacre_test(fuzz fuzz bash ${tests}/tools/fuzz.sh)

# Numbers that only cost time: what reads them is compiled a second time with other values, and stands before the library.
# Readers are found by the name of a number, or of what a header sizes by one.
set(effort_readers "NC_EFFORT_|nc_pair_motion|narrow/proximity.h|broad/tree.h|broad/lanes.h|contact/ncp_rows.h")
get_target_property(nacre_type nacre TYPE)
if(nacre_type STREQUAL STATIC_LIBRARY)
  set(effort_sources "")
  foreach(source ${NACRE_SOURCES})
    file(STRINGS ${source} reads REGEX "${effort_readers}" LIMIT_COUNT 1)
    if(reads)
      list(APPEND effort_sources ${source})
    endif()
  endforeach()
  foreach(name hash_scenes hash_scenes_perturbed)
    add_executable(${name} ${tests}/tools/hash_scenes.c)
    nacre_compile(${name})
    target_link_libraries(${name} PRIVATE nacre)
  endforeach()
  target_sources(hash_scenes_perturbed PRIVATE ${effort_sources})
  target_compile_definitions(hash_scenes_perturbed PRIVATE NC_PERTURB_EFFORT)
  set_target_properties(hash_scenes_perturbed PROPERTIES EXPORT_COMPILE_COMMANDS OFF) # clang-tidy looks at them once
  target_include_directories(hash_scenes_perturbed PRIVATE ${PROJECT_SOURCE_DIR}/src)
  if(OpenMP_C_FOUND)
    target_link_libraries(hash_scenes_perturbed PRIVATE OpenMP::OpenMP_C)
  endif()
  nacre_test(effort_does_not_change_results determinism bash ${tests}/tools/effort.sh $<TARGET_FILE:hash_scenes>
             $<TARGET_FILE:hash_scenes_perturbed> ${PROJECT_SOURCE_DIR}/scenes)
  list(JOIN effort_sources "\n" effort_list)
  file(WRITE ${PROJECT_BINARY_DIR}/generated/effort_sources.txt "${effort_list}\n")
  nacre_test(constants layers python3 ${tests}/tools/constants.py ${PROJECT_SOURCE_DIR}
             ${PROJECT_BINARY_DIR}/generated/effort_sources.txt "${effort_readers}")
endif()
if(TARGET nacre-cli)
  file(GLOB folders CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/*)
  foreach(folder ${folders})
    get_filename_component(name ${folder} NAME)
    file(GLOB_RECURSE scenes CONFIGURE_DEPENDS ${folder}/*.yaml)
    if(scenes)
      nacre_test(bits_${name} determinism bash ${tests}/tools/scene_bits.sh $<TARGET_FILE:nacre-cli> ${scenes})
    endif()
  endforeach()
  nacre_test(install install bash ${tests}/tools/install.sh ${PROJECT_BINARY_DIR})
  nacre_test(install_shared install bash ${tests}/tools/install_shared.sh ${PROJECT_BINARY_DIR}/shared)
  file(GLOB PEER_TESTS CONFIGURE_DEPENDS ${tests}/peers/*.sh)
  foreach(script ${PEER_TESTS})
    get_filename_component(name ${script} NAME_WE)
    nacre_test(peer_${name} peers bash ${script})
  endforeach()
  foreach(name kills mpi slurm slurm_kills world)
    nacre_test(cluster_${name} cluster bash ${tests}/cluster/${name}.sh)
  endforeach()
  nacre_test(web_demo web bash ${tests}/web/demo.sh)
  nacre_test(web_types web bash ${tests}/web/types.sh)
  nacre_test(web_usd web bash ${tests}/web/usd.sh)
  foreach(suite viewer viewer_live viewer_looks viewer_crowds viewer_tools viewer_joints)
    nacre_test(web_${suite} web bash ${tests}/web/viewer.sh ${suite})
    set_tests_properties(web_${suite} PROPERTIES TIMEOUT 1200)
  endforeach()
endif()
# The long ones first, so that no core waits for them at the end.
set_tests_properties(clang_tidy determinism fused fuzz PROPERTIES COST 1000 TIMEOUT 3600)
