#!/usr/bin/env bash
# python/tests, by pytest. Arguments go to pytest.
set -u
. "$(dirname "$0")/common.bash"
need_module numpy
need_module pytest

exec "$python" -m pytest -q -p no:cacheprovider "$@" "$root/python/tests"
