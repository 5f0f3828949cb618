#!/usr/bin/env bash
# make check installs everything that tests need and skips nothing; LIGHT=1 installs less and names what is skipped;
# make bench installs its peers. In a copy of the scripts, with stand-ins for what installs, builds and tests.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}
mkdir -p "$scratch/scripts" "$scratch/.ci" "$scratch/bin" "$scratch/build/release/Testing/Temporary"
cp "$root/Makefile" "$scratch"
cp "$root/scripts/check" "$scratch/scripts"
cp "$root/.ci/run" "$scratch/.ci"
cd "$scratch" || exit 1
export PATH=$scratch/bin:$PATH
unset MAKEFLAGS MAKELEVEL LIGHT NACRE_REQUIRE_ALL

# stand_in FILE LINES: a script that notes how it was called.
stand_in() {
    printf '#!/usr/bin/env bash\necho "%s $*" >>calls.txt\n%s\n' "$1" "$2" >"$1"
    chmod +x "$1"
}
stand_in scripts/bootstrap "exit 0"
stand_in scripts/build 'mkdir -p "build/$1"'
stand_in build/release/nacre "exit 0"
# ctest with a test that is skipped when $SKIPS is set; it notes whether tests may be skipped.
cat >bin/ctest <<'SH'
#!/usr/bin/env bash
echo "tests with NACRE_REQUIRE_ALL=$NACRE_REQUIRE_ALL" >>calls.txt
[ -z "${SKIPS:-}" ] || echo '1/2 Test #1: web_viewer ......***Skipped 0.01 sec'
echo '2/2 Test #2: test_mesh .......   Passed 0.01 sec'
echo '100% tests passed, 0 tests failed out of 2'
SH
chmod +x bin/ctest

# called CODE COMMAND...: runs it; its calls are in calls.txt, its words in out.txt.
called() {
    local wanted=$1
    shift
    : >calls.txt
    "$@" >out.txt 2>&1
    local got=$?
    [ $got = "$wanted" ] || fail "exit code $got, wanted $wanted: $* $(tail -n 5 out.txt)"
}
called 0 make check
grep -qx 'scripts/bootstrap --full' calls.txt || fail "make check does not install everything: $(cat calls.txt)"
grep -qx 'tests with NACRE_REQUIRE_ALL=1' calls.txt || fail "make check lets tests be skipped"
SKIPS=1 called 2 make check
grep -q 'web_viewer skipped' out.txt || fail "a skipped test is not named"
called 0 env SKIPS=1 make check LIGHT=1
grep -qx 'scripts/bootstrap ' calls.txt || fail "LIGHT=1 installs everything: $(cat calls.txt)"
grep -q 'TESTS WERE SKIPPED' out.txt || fail "LIGHT=1 hides that a test was skipped"
called 2 env SKIPS=1 make check LIGHT=0
called 0 env SKIPS=1 make quick
called 2 env SKIPS=1 .ci/run
grep -qx 'scripts/bootstrap --full' calls.txt || fail "the build machine does not install everything"
called 0 make bench
printf 'scripts/bootstrap --peers\nscripts/build release\nscripts/build release nacre-peers\nbuild/release/nacre bench\n' | cmp -s - calls.txt ||
    fail "make bench does not install its peers before it builds: $(cat calls.txt)"

# A build that was configured before something was installed looks for it again.
cp "$root/scripts/build" scripts/build
printf '#!/usr/bin/env bash\necho "cmake $*" >>calls.txt\n[ "$1" != --preset ] || touch "build/$2/build.ninja"\n' >bin/cmake
chmod +x bin/cmake
called 0 scripts/build release
grep -q 'cmake --preset release' calls.txt || fail "a new build is not configured"
called 0 scripts/build release
grep -q 'cmake --preset release' calls.txt && fail "a build is configured again without a reason"
touch -d '+2 seconds' build/.bootstrapped
called 0 scripts/build release
grep -q 'cmake --preset release' calls.txt || fail "a build does not look for what was installed after it was configured"

# What tests ask for, bootstrap --full knows.
for tool in $(grep -hoE --exclude=make_check.sh '^ *need .*' "$root"/tests/*/*.sh | tr ' "' '\n\n' | grep -E '^[a-z][a-z0-9-]+$' | sort -u); do
    case $tool in
    need | python | node) continue ;; # of npm
    esac
    grep -q "command_is_there $tool\$" "$root/scripts/bootstrap" || [ "$tool" = gcc ] || fail "a test needs $tool, and scripts/bootstrap does not install it"
done
[ $failures = 0 ] || exit 1
