#!/usr/bin/env bash
# Random sequences of calls from Python: no crash, no leak. Under the address sanitizer as well (build asan).
set -u
. "$(dirname "$0")/common.bash"
need_module numpy
count=$(awk "BEGIN { print int(1000 * ${NACRE_EFFORT:-1}) }")
if [[ ${NACRE_SANITIZED:-} == *address* ]]; then
    LD_PRELOAD=$(cc -print-file-name=libasan.so):$(cc -print-file-name=libubsan.so)
    export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc # Python keeps what it has until it ends
    count=$((count / 10))
fi
exec "$python" "$root/python/tests/random_calls.py" "$count"
