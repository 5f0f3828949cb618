#!/usr/bin/env bash
# No multiplication and addition of the library are fused, in none of the copies of its loops: not_fused.sh LIBRARY
# gcc 12 makes vfmaddsub and vfmsubadd of pairs of products even with -ffp-contract=off, where the processor that it
# compiles for has them; results would then depend on the copy.
set -u
library=${1:?usage: not_fused.sh LIBRARY}
[ "$(uname -m)" = x86_64 ] || { echo "SKIPPED: only x86-64 has copies"; exit 77; }
listing=$(mktemp) || exit 1
trap 'rm -f "$listing"' EXIT
objdump -d --no-show-raw-insn "$library" >"$listing" 2>/dev/null
grep -q '\bv\?mulsd\b' "$listing" || { echo "FAIL: $library has no code"; exit 1; }
grep -q '\bvmulpd\b.*%ymm' "$listing" || { echo "FAIL: $library has no copy with wide registers"; exit 1; }
fused=$(awk '/^[0-9a-f]+ </ { name = $2 } /\tvfn?m(add|sub)/ { print name, $2 }' "$listing" | sort | uniq -c)
if [ -n "$fused" ]; then
    echo "$fused" | head -n 20
    echo "FAIL: fused products in $library"
    exit 1
fi
echo "ok    no fused products in $library"
