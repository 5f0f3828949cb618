# Run at build time: writes OUT, a C file with the scenes and meshes that `nacre new` writes (cli/templates.h).
# START is the scene of `nacre new` without a template, FOLDER has the others and their meshes.
# The first line of a scene, which says how it is tested, is left out.
file(GLOB scenes ${FOLDER}/*.yaml)
file(GLOB meshes ${FOLDER}/*.obj)
list(SORT scenes)
list(SORT meshes)

# bytes(NAME HEX): appends a text as an array of bytes, with a zero at its end; a string literal may not be as long.
function(bytes name hex)
  string(REGEX REPLACE "(..)" "0x\\1," digits "${hex}")
  string(APPEND text "static const char ${name}[] = {${digits}0};\n")
  set(text "${text}" PARENT_SCOPE)
endfunction()

set(text "#include \"templates.h\"\n")
set(rows "")
foreach(scene ${START} ${scenes})
  get_filename_component(name ${scene} NAME_WE)
  file(STRINGS ${scene} title REGEX "^title: " LIMIT_COUNT 1)
  string(REGEX REPLACE "^title: " "" title "${title}")
  file(STRINGS ${scene} test LIMIT_COUNT 1)
  set(offset 0)
  if(test MATCHES "^# test:")
    string(LENGTH "${test}" offset)
    math(EXPR offset "${offset} + 1")
  endif()
  file(READ ${scene} hex OFFSET ${offset} HEX)
  bytes(scene_${name} "${hex}")
  string(APPEND rows "    {\"${name}\", \"${title}\", scene_${name}},\n")
endforeach()
string(APPEND text "const nc_template nc_templates[] = {\n${rows}};\n"
       "const int nc_template_count = sizeof nc_templates / sizeof *nc_templates;\n")

set(rows "")
foreach(mesh ${meshes})
  get_filename_component(name ${mesh} NAME_WE)
  file(READ ${mesh} hex HEX)
  bytes(mesh_${name} "${hex}")
  string(APPEND rows "    {\"${name}.obj\", mesh_${name}},\n")
endforeach()
string(APPEND text "const nc_template_mesh nc_template_meshes[] = {\n${rows}};\n"
       "const int nc_template_mesh_count = sizeof nc_template_meshes / sizeof *nc_template_meshes;\n")
file(WRITE ${OUT} "${text}")
