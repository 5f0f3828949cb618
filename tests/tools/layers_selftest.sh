#!/usr/bin/env bash
# Does the layer test fail when it should? Each bad include alone, in a small tree of its own.
set -u
layers=$(cd "$(dirname "$0")" && pwd)/layers.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# try NAME WANTED(good|bad) FILE LINE: a tree with one more line in FILE.
try() {
    rm -rf "${scratch:?}/tree"
    mkdir -p "$scratch/tree"/{src/{base,math,geom,narrow,broad,world,contact,certify,fracture,step,cloth,io,scene,run,reel,drive,animation,plot,render,view,export},cli,bench,include/nacre,examples}
    echo '#include <stdio.h>' > "$scratch/tree/src/base/error.c"
    mkdir -p "$(dirname "$scratch/tree/$3")"
    echo "$4" > "$scratch/tree/$3"
    if out=$(bash "$layers" "$scratch/tree" 2>&1); then got=good; else got=bad; fi
    if [ "$got" != "$2" ]; then
        echo "FAIL $1: judged $got, wanted $2: $4 in $3"
        echo "$out"
        failed=1
    fi
}

# call NAME WANTED(good|bad) USER CALLED OWNER [gone|unused]: object files in which a function of the file USER calls CALLED
# of OWNER; the source of USER is gone, or it does not call.
call() {
    rm -rf "${scratch:?}/tree"
    local file
    for file in "$3" "$5"; do
        mkdir -p "$(dirname "$scratch/tree/$file")" "$(dirname "$scratch/tree/build/CMakeFiles/nacre.dir/$file")"
    done
    echo "void $4(void); void nc_user(void); void nc_user(void) { $4(); }" >"$scratch/tree/$3"
    [ "${6:-}" = unused ] && echo "void nc_user(void); void nc_user(void) {}" >"$scratch/tree/$3"
    echo "void $4(void); void $4(void) {}" >"$scratch/tree/$5"
    for file in "$3" "$5"; do
        cc -c "$scratch/tree/$file" -o "$scratch/tree/build/CMakeFiles/nacre.dir/$file.o" || exit 1
    done
    [ "${6:-}" = gone ] && rm "$scratch/tree/$3"
    if out=$(bash "$layers" "$scratch/tree" "$scratch/tree/build" 2>&1); then got=good; else got=bad; fi
    if [ "$got" != "$2" ]; then
        echo "FAIL $1: judged $got, wanted $2: $3 calls $4 of $5"
        echo "$out"
        failed=1
    fi
}

try "downwards"                 good src/geom/mesh.c       '#include "base/base.h"'
try "own header"                good src/geom/mesh.c       '#include "geom/tree.h"'
try "public header"             good src/scene/scene.c     '#include "nacre/mesh.h"'
try "cli uses run"              good cli/main.c            '#include "run/run.h"'
try "io uses a library"         good src/io/assimp.c       '#include <assimp/scene.h>'
try "fracture below step"       good src/step/step.c       '#include "fracture/fracture.h"'
try "openmp in base"            good src/base/parallel.c   '#include <omp.h>'
try "intrinsics"                good src/geom/bvh.c        '#include <xmmintrin.h>'
try "upwards"                   bad  src/base/error.c      '#include "math/math.h"'
try "indented upwards"          bad  src/base/error.c      '  #  include "step/step.h"'
try "geom uses world"           bad  src/geom/mesh.c       '#include "world/world.h"'
try "same layer"                bad  src/contact/solve.c   '#include "certify/certify.h"'
try "fracture uses contact"     bad  src/fracture/cut.c    '#include "contact/contact.h"'
try "contact uses fracture"     bad  src/contact/solve.c   '#include "fracture/fracture.h"'
try "fracture uses step"        bad  src/fracture/cut.c    '#include "step/step.h"'
try "cloth uses step"             bad  src/cloth/cloth.c         '#include "step/step.h"'
try "broad uses narrow"         bad  src/broad/grid.c      '#include "narrow/narrow.h"'
try "scene uses run"            bad  src/scene/scene.c     '#include "run/run.h"'
try "run uses io"               bad  src/run/run.c         '#include "io/io.h"'
try "library uses cli"          bad  src/run/run.c         '#include "cli/cli.h"'
try "a private header"          bad  src/step/step.c       '#include "geom/tree.h"'
try "by a way round"            bad  src/geom/mesh.c       '#include "../world/world.h"'
try "yaml in the core"          bad  src/world/world.c     '#include <yaml.h>'
try "posix in the core"         bad  src/geom/mesh.c       '#include <unistd.h>'
try "openmp elsewhere"          bad  src/geom/mesh.c       '#include <omp.h>'
try "unknown folder"            bad  src/stuff/a.c         '#include "base/base.h"'
try "public uses private"       bad  include/nacre/mesh.h  '#include "geom/geom.h"'
try "public uses a library"     bad  include/nacre/run.h   '#include <sqlite3.h>'
try "example uses private"      bad  examples/hello.c      '#include "base/base.h"'

try "cli uses a room"           good cli/cmd_view.c        '#include "view/view.h"'
try "bench uses cli"            good bench/papers/su.c     '#include "cli/cli.h"'
try "bench in itself"           good bench/papers/su.c     '#include "bench/papers/su.h"'
try "cli uses bench"            bad  cli/main.c            '#include "bench/bench.h"'
try "a room uses cli"           bad  src/view/server.c     '#include "cli/cli.h"'
try "rooms of one row"          bad  src/plot/svg.c        '#include "render/render.h"'
try "run uses a room"           bad  src/run/run.c         '#include "reel/reel.h"'
try "inside a room"             bad  cli/cmd_view.c        '#include "view/guard.h"'
call "down"                     good src/geom/mesh.c       nc_alloc           src/base/memory.c
call "cli calls a room"         good cli/cmd_view.c        nc_view_open       src/view/data.c
call "the exception"            good src/scene/build.c     nc_mesh_load       src/io/meshes.c
call "a source that is gone"    good src/base/error.c      nc_mesh_build      src/geom/mesh.c gone
call "up"                       bad  src/base/error.c      nc_mesh_build      src/geom/mesh.c
call "across"                   bad  src/scene/build.c     nc_export_glb      src/io/glb.c
call "from elsewhere"           bad  src/run/run.c         nc_mesh_load       src/io/meshes.c
call "a room calls cli"         bad  src/view/export.c     nc_complain        cli/message.c
call "exception not needed"     bad  src/scene/build.c     nc_mesh_load       src/io/meshes.c unused

[ "$failed" = 0 ] && echo "layers: 46 small trees judged right"
exit "$failed"
