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
    mkdir -p "$scratch/tree"/{src/{base,math,geom,narrow,broad,world,contact,certify,fracture,step,acm,io,scene,run},cli,include/nacre,examples}
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
try "acm uses step"             bad  src/acm/acm.c         '#include "step/step.h"'
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

[ "$failed" = 0 ] && echo "layers: 29 small trees judged right"
exit "$failed"
