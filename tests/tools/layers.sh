#!/usr/bin/env bash
# Who may include whom. Fails, naming file and line, when
#   a folder of src/ (or cli/) includes a folder that is not below it,
#   a header of another folder other than folder/folder.h is included,
#   the core (everything up to step) includes something that is not C17, but for OpenMP in base and the compiler's own
#     intrinsics (xmmintrin.h and the like),
#   a public header includes anything but the C library and its own siblings,
#   an example includes anything but the public API,
#   src/ has a folder that the list below does not know.
# usage: layers.sh [ROOT]
set -u
root=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$root" || exit 2

# Bottom up. Folders of one line never include each other.
layers="base
math
geom
motion
broad narrow
world
audit contact certify fracture
step acm
io scene run
reel
animation plot render view
export
cli"

files=$(find src cli include examples -name '*.[ch]' -o -name '*.cpp' 2>/dev/null | LC_ALL=C sort)
[ -n "$files" ] || { echo "layers: no sources under $root"; exit 2; }
# shellcheck disable=SC2086
awk -v layers="$layers" '
BEGIN {
    row_count = split(layers, rows, "\n")
    for (r = 1; r <= row_count; r++) {
        n = split(rows[r], names, " ")
        for (i = 1; i <= n; i++) rank[names[i]] = r
    }
    step_rank = rank["step"]
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
    } else if (place == "include" || (place == "src" && rank[folder] <= step_rank))
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
}' $files
