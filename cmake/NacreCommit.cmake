# Run at build time: writes OUT with the commit of SOURCE as NC_COMMIT, only when it changed.
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12 --match=NeverATag
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
# A source tree inside another repository is not at that repository's commit.
execute_process(COMMAND git -C "${SOURCE}" rev-parse --show-toplevel
                OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT result EQUAL 0 OR NOT top STREQUAL SOURCE)
  set(commit "unknown commit")
endif()
set(text "#define NC_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${OUT}")
  file(READ "${OUT}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${OUT}" "${text}")
endif()
