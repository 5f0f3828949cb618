#!/usr/bin/env bash
# Installs a build into a scratch prefix and uses it as a stranger would: install.sh BUILD_FOLDER
#   every public header compiles alone, as C and as C++
#   the examples build and run, found by find_package(nacre) and by pkg-config
#   the wrong version is refused; the installed program runs
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${1:?usage: install.sh BUILD_FOLDER}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
fail() { echo "FAIL: $*"; exit 1; }

cmake --install "$build" --prefix "$prefix" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "install"; }
for file in bin/nacre include/nacre/nacre.h; do
    [ -e "$prefix/$file" ] || fail "$file was not installed"
done
"$prefix/bin/nacre" --version >/dev/null || fail "the installed nacre does not run"
"$prefix/bin/nacre" bench --rounds 1 obj >/dev/null || fail "the installed nacre does not measure"
# Nothing of the place it was built in may be left in what others read.
if grep -rlF "$root" "$prefix/lib" --include='*.cmake' --include='*.pc'; then fail "the files above name the source folder"; fi

strict=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
for header in "$prefix"/include/nacre/*.h; do
    name=nacre/$(basename "$header")
    for language in "c -std=c17" "c -std=c11" "c++ -std=c++11" "c++ -std=c++20"; do
        # shellcheck disable=SC2086
        printf '#include <%s>\n#include <%s>\n' "$name" "$name" | cc "${strict[@]}" -x $language -I "$prefix/include" -fsyntax-only - ||
            fail "$name does not stand alone in $language"
    done
done

# run_examples FOLDER HOW: runs all six and looks at what they say.
run_examples() {
    local folder=$1
    (
        cd "$folder" || exit 1
        ./hello_world >hello_world.txt && grep -q '^turned over [1-9]' hello_world.txt || fail "$2: hello_world"
        ./mesh_query >mesh_query.txt && grep -q 'apart by' mesh_query.txt && grep -q 'they meet' mesh_query.txt ||
            fail "$2: mesh_query"
        ./sweep_query >sweep_query.txt && grep -q 'they never meet' sweep_query.txt &&
            grep -q 'they first meet at t = 0.5' sweep_query.txt || fail "$2: sweep_query"
        ./run_file >run_file.txt && grep -q '49 frames, finished' run_file.txt && [ -s five_boxes.nacre ] ||
            fail "$2: run_file"
        ./drive >drive.txt && grep -q 'interrupted after 20 steps' drive.txt && grep -q 'has the same bits' drive.txt ||
            fail "$2: drive"
        ./embed >embed.txt && grep -q 'now: 0$' embed.txt && grep -q 'did you mean\|boat' embed.txt || fail "$2: embed"
    )
}

cmake -S "$root/examples" -B "$scratch/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" 2>&1 &&
    cmake --build "$scratch/cmake" >>"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; fail "find_package(nacre)"; }
run_examples "$scratch/cmake" "find_package" || exit 1

# A program in C++ only, and a version that is not there.
mkdir -p "$scratch/cxx" "$scratch/wrong"
cat >"$scratch/cxx/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(only_cxx LANGUAGES CXX)
find_package(nacre \${WANTED} REQUIRED)
add_executable(embed $root/examples/embed.cpp)
target_link_libraries(embed PRIVATE nacre::nacre)
CMAKE
cmake -S "$scratch/cxx" -B "$scratch/cxx/b" -G Ninja -DWANTED=0.2 -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" 2>&1 &&
    cmake --build "$scratch/cxx/b" >>"$scratch/log" 2>&1 && "$scratch/cxx/b/embed" >/dev/null ||
    { tail -n 40 "$scratch/log"; fail "find_package(nacre) in a project of C++ only"; }
if cmake -S "$scratch/cxx" -B "$scratch/wrong/b" -G Ninja -DWANTED=99 -DCMAKE_PREFIX_PATH="$prefix" >/dev/null 2>&1; then
    fail "find_package(nacre 99) was satisfied"
fi

mkdir -p "$scratch/pc"
pc=$(dirname "$(find "$prefix" -name nacre.pc)")
export PKG_CONFIG_PATH=$pc
pkg-config --exists 'nacre >= 0.1' || fail "pkg-config does not find nacre"
pkg-config --exists 'nacre >= 99' && fail "pkg-config finds a nacre 99"
flags=$(pkg-config --static --cflags --libs nacre)
for example in hello_world mesh_query sweep_query run_file drive; do
    # shellcheck disable=SC2086
    cc -std=c17 "${strict[@]}" "$root/examples/$example.c" $flags -o "$scratch/pc/$example" || fail "pkg-config: $example"
done
# shellcheck disable=SC2086
c++ -std=c++17 "${strict[@]}" "$root/examples/embed.cpp" $flags -o "$scratch/pc/embed" || fail "pkg-config: embed"
run_examples "$scratch/pc" "pkg-config" || exit 1
tail -n 1 "$scratch/pc/hello_world.txt"
echo "install: 6 examples, found in two ways, run"
