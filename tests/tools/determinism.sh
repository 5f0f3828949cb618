#!/usr/bin/env bash
# The same bits from gcc and clang, at -O3 on 1, 2, 3 and 8 threads, at -O0 (which is slow) on 1 and 8: determinism.sh BUILD_FOLDER [PROGRAM]
# PROGRAM is hash_bodies as gcc makes it at -O3, where there is one already. Each other build is of the core alone (NACRE_CORE_ONLY), with the flags that every build of Nacre has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/need.sh"
build=${1:?usage: determinism.sh BUILD_FOLDER [PROGRAM]}
made=${2:-}
need gcc clang
mkdir -p "$build"
reference="" status=0
echo "-O0: 1 and 8 threads; -O3: 1, 2, 3 and 8"
for compiler in gcc clang; do
    for level in -O0 -O3; do
        folder=$build/$compiler$level program=$build/$compiler$level/hash_bodies
        if [ "$compiler$level" = gcc-O3 ] && [ -n "$made" ]; then
            program=$made
        elif ! { cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_C_COMPILER=$compiler -DNACRE_CORE_ONLY=ON \
            -DNACRE_TESTS=ON -DCMAKE_BUILD_TYPE=Release -DNACRE_OPTIMIZE=$level &&
            cmake --build "$folder" --target hash_bodies; } >"$build/build.log" 2>&1; then
            grep -vE '^\[[0-9]+/[0-9]+\] ' "$build/build.log" | tail -n 40
            echo "FAIL: no build with $compiler $level"
            exit 1
        fi
        printf '%-14s' "$compiler $level"
        [ $level = -O0 ] && counts="1 8" || counts="1 2 3 8"
        for threads in $counts; do
            hash=$("$program" $threads) || exit 1
            printf '%18s' "$hash"
            : "${reference:=$hash}"
            [ "$hash" = "$reference" ] || status=1
        done
        echo
    done
done
[ $status = 0 ] && echo "1,000 bodies, 200 steps: one hash" || echo "FAIL: the hashes differ"
exit $status
