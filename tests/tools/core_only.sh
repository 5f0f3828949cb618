#!/usr/bin/env bash
# The core alone, without OpenMP: it builds, and a program that uses it links with nothing but libm.
# usage: core_only.sh BUILD_FOLDER
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${1:?usage: core_only.sh BUILD_FOLDER}
mkdir -p "$build"
# pkg-config and the packages of the other libraries must not even be looked for.
if ! { cmake -S "$root" -B "$build" -G Ninja -DNACRE_CORE_ONLY=ON -DNACRE_OPENMP=OFF -DNACRE_TESTS=OFF \
    -DCMAKE_BUILD_TYPE=Release -DNACRE_OPTIMIZE=-O0 -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON -DCMAKE_DISABLE_FIND_PACKAGE_assimp=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_embree=ON && cmake --build "$build"; } >"$build/build.log" 2>&1; then
    grep -vE '^\[[0-9]+/[0-9]+\] ' "$build/build.log" | tail -n 40
    echo "FAIL: the core does not build by itself"
    exit 1
fi
cc -std=c17 -I "$root/include" "$root/examples/hello_world.c" "$build/libnacre.a" -lm -o "$build/hello_world" || exit 1
"$build/hello_world" >"$build/hello_world.txt" || exit 1
libraries=$(ldd "$build/hello_world" | awk '{ print $1 }' | grep -vE '^(linux-vdso|libm|libc|/lib.*ld-linux|ld-linux)' || true)
if [ -n "$libraries" ]; then
    echo "FAIL: the core needs $libraries"
    exit 1
fi
tail -n 1 "$build/hello_world.txt"
echo "core: builds and links with libm alone"
