# What the tests of the Python package share: the interpreter that has what they need, and the package of this build.
. "$(dirname "${BASH_SOURCE[0]}")/../tools/need.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
python=/usr/bin/python3
[ -x $python ] || python=python3
# need_module MODULE: skips the test, or fails where everything must be there.
need_module() {
    "$python" -c "import $1" 2>/dev/null && return
    echo "SKIPPED: $python has no module $1 (scripts/bootstrap --full installs it)"
    [ "${NACRE_REQUIRE_ALL:-0}" = 1 ] && exit 1
    exit 77
}
export PYTHONPATH=${NACRE_BUILD:?}/python PYTHONDONTWRITEBYTECODE=1
