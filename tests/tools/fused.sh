#!/usr/bin/env bash
# Detection cannot miss when the compiler fuses multiplications and additions either: fused.sh BUILD_FOLDER
# The bits differ from every other build's; the one-sided tests of swept features, meshes and trajectories must pass.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/need.sh"
build=${1:?usage: fused.sh BUILD_FOLDER}
grep -qw fma /proc/cpuinfo || { echo "SKIPPED: this processor has no fused multiply-add"; exit 77; }
mkdir -p "$build"
tests="test_ccd test_sweep test_trajectory test_certify test_path"
# shellcheck disable=SC2086
if ! { cmake -S "$root" -B "$build/fused" -G Ninja -DCMAKE_BUILD_TYPE=Release -DNACRE_TESTS=ON -DNACRE_CLI=OFF \
    "-DNACRE_OPTIMIZE=-mfma;-ffp-contract=fast" && cmake --build "$build/fused" --target $tests; } >"$build/build.log" 2>&1; then
    grep -vE '^\[[0-9]+/[0-9]+\] ' "$build/build.log" | tail -n 40
    echo "FAIL: no build with -mfma -ffp-contract=fast"
    exit 1
fi
objdump -d "$build/fused/libnacre.a" 2>/dev/null | grep -q vfmadd || { echo "FAIL: nothing was fused"; exit 1; }
status=0
for test in $tests; do
    if "$build/fused/$test" >"$build/$test.log" 2>&1; then
        echo "ok    $test"
    else
        grep -E 'ERROR|LINE|FAILED|seed' "$build/$test.log" | head -n 20
        echo "FAIL  $test"
        status=1
    fi
done
exit $status
