# The viewer: its page, made from web/ and compiled in, and civetweb, which serves it. Both may be absent: `nacre view`
# then says what to install.
set(web ${PROJECT_SOURCE_DIR}/web)
set(page ${PROJECT_BINARY_DIR}/generated/view_page.c)
file(GLOB web_sources CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/*.html ${web}/*.css ${web}/*.mjs ${web}/*.json)
add_custom_command(
  OUTPUT ${page}
  COMMAND bash ${web}/build.sh ${page}
  DEPENDS ${web_sources} ${web}/build.sh
  COMMENT "Building the viewer's page"
  VERBATIM)
target_sources(nacre-view PRIVATE ${page})

option(NACRE_CIVETWEB "`nacre view`, through civetweb" ON)
if(NACRE_CIVETWEB)
  find_path(CIVETWEB_INCLUDE civetweb.h)
  find_library(CIVETWEB_LIBRARY civetweb)
  if(CIVETWEB_INCLUDE AND CIVETWEB_LIBRARY)
    set(THREADS_PREFER_PTHREAD_FLAG ON)
    find_package(Threads REQUIRED)
    target_compile_definitions(nacre-view PUBLIC NC_WITH_CIVETWEB)
    target_include_directories(nacre-view SYSTEM PRIVATE ${CIVETWEB_INCLUDE})
    target_link_libraries(nacre-view PRIVATE ${CIVETWEB_LIBRARY} Threads::Threads)
  else()
    message(STATUS "No civetweb: `nacre view` will say so.")
  endif()
endif()
