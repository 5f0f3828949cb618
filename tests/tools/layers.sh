#!/usr/bin/env bash
# Who may include and call whom. Fails, naming file and line, when
#   a folder of src/ (or cli/, bench/) includes a folder that is not below it,
#   a header of another folder other than folder/folder.h is included,
#   the core (everything up to model) includes something that is not C17, but for OpenMP in base and the compiler's own
#     intrinsics (xmmintrin.h and the like),
#   a public header includes anything but the C library and its own siblings,
#   an example includes anything but the public API,
#   src/ has a folder that the list below does not know.
# With a build folder, also when an object file uses a name that is defined in a folder that is not below its own: a
# public header (nacre/mesh.h) can hide that from the includes. What may do so is listed below, with its reason.
# usage: layers.sh [ROOT [BUILD]]
set -u
root=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${2:-}
cd "$root" || exit 2
root=$PWD

# Bottom up. Folders of one line never include each other.
layers="base
math
geom
motion
broad narrow
world
audit contact certify fracture
step cloth repair
model
io scene run
reel
drive animation plot render view
export python
study
cli
bench"

# "USER OWNER NAME": names that a folder may use although their owner is not below it. One that is not used is complained
# about, so that the list stays short.
# A scene names mesh files, and reads them as any program would: through nacre/mesh.h.
# The table of commands has all of them, and bench is the one command with a place of its own.
exceptions="scene io nc_mesh_load
scene io nc_mesh_load_all
scene io nc_mesh_list_free
cli bench nc_command_bench"

files=$(find src cli bench include examples -name '*.[ch]' -o -name '*.cpp' 2>/dev/null | LC_ALL=C sort)
[ -n "$files" ] || { echo "layers: no sources under $root"; exit 2; }
# shellcheck disable=SC2086
awk -v layers="$layers" '
BEGIN {
    row_count = split(layers, rows, "\n")
    for (r = 1; r <= row_count; r++) {
        n = split(rows[r], names, " ")
        for (i = 1; i <= n; i++) rank[names[i]] = r
    }
    core_rank = rank["model"]
    m = split("assert complex ctype errno fenv float inttypes limits locale math setjmp signal stdalign stdarg " \
              "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype", c17, " ")
    for (i = 1; i <= m; i++) standard[c17[i] ".h"] = 1
}
function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad++ }
function check_quoted(name,   parts, k, other) {
    k = split(name, parts, "/")
    if (place == "include") {
        if (k != 1) complain("a public header includes its siblings by name only, not \"" name "\"")
        return
    }
    if (k == 2 && parts[1] == "nacre") return
    if (place == "examples") { complain("an example uses the public API only, not \"" name "\""); return }
    other = k == 1 ? folder : parts[1]
    if (!(other in rank)) { complain("\"" name "\" is in no known folder"); return }
    if (other == folder) return
    if (rank[other] >= rank[folder]) complain(folder " may not include " other ", which is not below it")
    else if (k != 2 || parts[2] != other ".h") complain("of " other ", only \"" other "/" other ".h\" may be included")
}
function check_angled(name) {
    if (name ~ /^nacre\//) {
        if (place == "src") complain("inside the library write \"" name "\"")
    } else if (place == "include" || (place == "src" && rank[folder] <= core_rank))
        if (!(name in standard) && !(folder == "base" && name == "omp.h") && name !~ /^[a-z]+intrin\.h$/)
            complain("<" name "> is not C17: the core needs nothing but the C library")
}
FNR == 1 {
    split(FILENAME, path, "/")
    place = path[1]
    folder = place == "src" ? path[2] : place
    if (place == "src" && !(folder in rank)) complain("src/" folder " is not in the list of layers")
}
/^[ \t]*#[ \t]*include[ \t]*"/ { split($0, q, "\""); check_quoted(q[2]); seen++ }
/^[ \t]*#[ \t]*include[ \t]*</ { sub(/^[^<]*</, ""); sub(/>.*/, ""); check_angled($0); seen++ }
END {
    if (bad) { printf "layers: %d includes break the order\n", bad; exit 1 }
    printf "layers: %d includes, all downwards\n", seen
}' $files || exit 1
[ -n "$build" ] || exit 0

# Object files of the library, the rooms and the program; not those of sources that are gone.
objects=$(cd "$build" && find CMakeFiles/nacre.dir CMakeFiles/nacre-*.dir -name '*.c.o' 2>/dev/null | LC_ALL=C sort |
    while read -r object; do
        source=${object#CMakeFiles/*.dir/}
        [ -f "$root/${source%.o}" ] && echo "$object"
    done)
[ -n "$objects" ] || { echo "layers: no object files under $build"; exit 2; }
# "PATH.c.o: [address] kind name"
# shellcheck disable=SC2086
names=$(cd "$build" && nm -A $objects) || exit 2
echo "$names" | awk -v layers="$layers" -v exceptions="$exceptions" '
BEGIN {
    row_count = split(layers, rows, "\n")
    for (r = 1; r <= row_count; r++) {
        n = split(rows[r], names, " ")
        for (i = 1; i <= n; i++) rank[names[i]] = r
    }
    exception_count = split(exceptions, allowed, "\n")
    for (i = 1; i <= exception_count; i++) may[allowed[i]] = 1
}
$NF ~ /^nc_/ {
    file = $1
    sub(/:.*/, "", file)
    sub(/^CMakeFiles\/[^\/]*\.dir\//, "", file)
    split(file, path, "/")
    folder = path[1] == "src" ? path[2] : path[1]
    here[folder] = 1
    if ($(NF - 1) ~ /^[Uw]$/) { user[++uses] = file; of[uses] = folder; name[uses] = $NF }
    else if ($(NF - 1) ~ /^[A-Z]$/) owner[$NF] = folder
}
END {
    for (i = 1; i <= uses; i++) {
        if (!(name[i] in owner)) continue
        to = owner[name[i]]
        if (to == of[i] || rank[to] < rank[of[i]]) continue
        key = of[i] " " to " " name[i]
        if (key in may) { used[key] = 1; continue }
        printf "%s: %s may not use %s of %s, which is not below it\n", user[i], of[i], name[i], to
        bad++
    }
    for (key in may) {
        split(key, part, " ")
        if (!(key in used) && part[1] in here && owner[part[3]] == part[2]) {
            printf "layers: the exception \"%s\" is not needed\n", key
            bad++
        }
    }
    if (bad) { printf "layers: %d names break the order\n", bad; exit 1 }
    printf "layers: %d uses of names, all downwards but for %d exceptions\n", uses, exception_count
}'
