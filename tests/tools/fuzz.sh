#!/usr/bin/env bash
# A short fuzz of every parser: NACRE_FUZZ_SECONDS (30) in all.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/need.sh"
need clang
exec bash "$here/../../scripts/fuzz" "${NACRE_FUZZ_SECONDS:-30}"
