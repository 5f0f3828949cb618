#!/usr/bin/env bash
# Every example of examples/python runs to its end, in its quick form.
set -u
. "$(dirname "$0")/common.bash"
need_module numpy
need_module matplotlib
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0
for example in "$root"/examples/python/*.py; do
    echo "== $(basename "$example")"
    "$python" "$example" --quick || { echo "FAIL: $example"; status=1; }
done
exit $status
