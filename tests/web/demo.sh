#!/usr/bin/env bash
# scripts/demo ends with a verdict, a picture and a page; the page opens in Chromium and plays.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/../tools/need.sh"
packages=${NACRE_WEB_PACKAGES:-$root/web}
need node chromium "$packages/node_modules/playwright-core"
if ! "$NACRE" doctor | grep -q '^ok *viewer'; then
    [ "${NACRE_REQUIRE_ALL:-0}" = 1 ] && { echo "FAIL: this build has no viewer"; exit 1; }
    echo "SKIPPED because this build has no viewer (npm or civetweb was absent)"
    exit 77
fi
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$scratch"' EXIT
OUT=$scratch "$root/scripts/demo" >"$scratch/said.txt" 2>"$scratch/errors.txt" || { cat "$scratch"/*.txt; echo "FAIL: scripts/demo"; exit 1; }
says() { grep -qF "$1" "$scratch/said.txt" || { cat "$scratch/said.txt"; echo "FAIL: the demo does not say '$1'"; exit 1; }; }
says "no intersections in 121 frames"
says "587 steel rings fell on a sphere"
says "no two triangles that share a point"
says "lies still, as the scene expects"
says "$scratch/chainmail.html"
cd "$scratch" || exit 1
node "$here/demo.mjs" "$packages" "$scratch/chainmail.html" "${NACRE_BUILD:-$scratch}/web"
