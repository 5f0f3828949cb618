#!/usr/bin/env bash
# Static checks: lint.sh format|clang-tidy|cppcheck. Each first shows that it can fail, on a file with known mistakes.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/need.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/bad.c" <<'C'
#include <stdlib.h>
int bad(int n);
int bad(int n) { int *p = malloc(sizeof *p); int a[2] = {1, 2}; if (n) p = NULL; *p = a[n > 5 ? 2 : 0] + a[2]; return *p; }
C
must_fail() {
    if "$@" >/dev/null 2>&1; then
        echo "FAIL: $1 finds nothing in a file with known mistakes"
        exit 1
    fi
}
cd "$root" || exit 1
case ${1:?usage: lint.sh format|clang-tidy|cppcheck} in
format)
    need clang-format
    must_fail clang-format --style=file:.clang-format --dry-run --Werror "$scratch/bad.c"
    scripts/format --check && echo "format: clean"
    ;;
clang-tidy)
    need clang-tidy
    must_fail clang-tidy --quiet --config-file=.clang-tidy "$scratch/bad.c" --
    scripts/tidy --clang-tidy
    ;;
cppcheck)
    need cppcheck
    must_fail cppcheck -q --error-exitcode=1 "$scratch/bad.c"
    scripts/tidy --cppcheck
    ;;
esac
