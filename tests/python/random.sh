#!/usr/bin/env bash
# Random sequences of calls from Python: no crash, no leak. Under the address sanitizer as well (build asan).
set -u
. "$(dirname "$0")/common.bash"
need_module numpy
count=$(awk "BEGIN { print int(1000 * ${NACRE_EFFORT:-1}) }")
if [[ ${NACRE_SANITIZED:-} != *address* ]]; then
    exec "$python" "$root/python/tests/random_calls.py" "$count"
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# What Python itself keeps until it ends is no leak of ours: only blocks that the library or the extension asked for count.
LD_PRELOAD=$(cc -print-file-name=libasan.so):$(cc -print-file-name=libubsan.so) \
    ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=exitcode=0 PYTHONMALLOC=malloc \
    "$python" "$root/python/tests/random_calls.py" $((count / 10)) "$@" >"$scratch/log" 2>&1
status=$?
cat "$scratch/log"
[ $status = 0 ] || exit 1
! grep -E '#[0-9]+ .* in (nc_|core_|resize)' "$scratch/log" || { echo "FAIL: memory of the library was not freed"; exit 1; }
