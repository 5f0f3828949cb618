# The Python package (docs/python.md): the extension nacre._core, by the limited C API, and beside it the files of
# python/nacre, in ${PROJECT_BINARY_DIR}/python. Skipped, and said so, where no Python 3.11 with headers is found.
set(NACRE_PYTHON_PROGRAM "" CACHE FILEPATH "The Python whose headers are used; empty: /usr/bin/python3, then the one on the path")
find_program(python_on_path python3)
set(python_headers "")
foreach(candidate ${NACRE_PYTHON_PROGRAM} /usr/bin/python3 ${python_on_path})
  if(NOT python_headers AND EXISTS ${candidate})
    execute_process(
      COMMAND ${candidate} -c "import sys, sysconfig; print(sysconfig.get_path('include') if sys.version_info >= (3, 11) else '')"
      OUTPUT_VARIABLE headers OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(headers AND EXISTS ${headers}/Python.h)
      set(python_headers ${headers})
      set(python_program ${candidate})
    endif()
  endif()
endforeach()
if(NOT python_headers)
  message(STATUS "No Python 3.11 with headers (Debian: python3-dev): the Python package is not built.")
  return()
endif()

find_package(Threads REQUIRED)
set(python_package ${PROJECT_BINARY_DIR}/python/nacre)
file(GLOB PYTHON_CORE CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/core/*.c)
add_library(nacre-python MODULE ${PYTHON_CORE})
nacre_compile(nacre-python)
target_compile_options(nacre-python PRIVATE -Wno-pedantic) # functions in slots, by the C API of Python
target_include_directories(nacre-python SYSTEM PRIVATE ${python_headers})
target_link_libraries(nacre-python PRIVATE nacre Threads::Threads)
target_link_options(nacre-python PRIVATE -Wl,--exclude-libs,ALL)
set_target_properties(nacre-python PROPERTIES PREFIX "" OUTPUT_NAME _core SUFFIX .abi3.so C_VISIBILITY_PRESET hidden
                                              LIBRARY_OUTPUT_DIRECTORY ${python_package})
file(GLOB PYTHON_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/nacre/*)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/python/.copied
  COMMAND ${CMAKE_COMMAND} -E copy ${PYTHON_FILES} ${python_package}
  COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/python/.copied
  DEPENDS ${PYTHON_FILES} nacre-python
  COMMENT "Copying the Python package"
  VERBATIM)
add_custom_target(nacre-python-package ALL DEPENDS ${PROJECT_BINARY_DIR}/python/.copied)
