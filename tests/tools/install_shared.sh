#!/usr/bin/env bash
# Nacre as a shared library: builds, installs, and an example links with it by plain `pkg-config --libs`.
# usage: install_shared.sh BUILD_FOLDER
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${1:?usage: install_shared.sh BUILD_FOLDER}
mkdir -p "$build"
if ! { cmake -S "$root" -B "$build" -G Ninja -DBUILD_SHARED_LIBS=ON -DNACRE_TESTS=OFF -DNACRE_CLI=OFF \
    -DCMAKE_BUILD_TYPE=Release -DNACRE_OPTIMIZE=-O0 && cmake --build "$build" &&
    cmake --install "$build" --prefix "$build/prefix"; } >"$build/build.log" 2>&1; then
    grep -vE '^\[[0-9]+/[0-9]+\] ' "$build/build.log" | tail -n 40
    echo "FAIL: no shared build"
    exit 1
fi
PKG_CONFIG_PATH=$(dirname "$(find "$build/prefix" -name nacre.pc)")
libraries=$(dirname "$(find "$build/prefix" -name libnacre.so)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
cc -std=c17 "$root/examples/hello_world.c" $(pkg-config --cflags --libs nacre) -o "$build/hello_world" || exit 1
LD_LIBRARY_PATH=$libraries "$build/hello_world" | tail -n 1 || exit 1
ldd "$build/hello_world" | grep -q 'libnacre.so.0' || { echo "FAIL: not linked with libnacre.so.0"; exit 1; }
echo "install: shared library links and runs"
