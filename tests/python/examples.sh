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
# One of them judges Bullet, whose program is made here where Bullet is there.
if ! cmake --build "$NACRE_BUILD" --target bullet_world >"$scratch/peer.log" 2>&1; then
    echo "SKIPPED: judge_bullet.py: no Bullet (scripts/bootstrap --peers installs it)"
    [ "${NACRE_REQUIRE_ALL:-0}" = 1 ] && exit 1
fi
for example in "$root"/examples/python/*.py; do
    [[ $example == */judge_bullet.py && ! -x $NACRE_BUILD/peers/bullet_world ]] && continue
    echo "== $(basename "$example")"
    "$python" "$example" --quick || { echo "FAIL: $example"; status=1; }
done
exit $status
