#!/usr/bin/env bash
# The gallery: its page is what scripts/gallery would write, its pictures are there and small.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}
scripts/gallery --page | cmp -s - docs/gallery/README.md || fail "docs/gallery/README.md is not up to date: make gallery"
for picture in docs/gallery/*.png; do
    [ "$(stat -c %s "$picture")" -le 200000 ] || fail "$picture has more than 200000 bytes"
    grep -qF "($(basename "$picture"))" docs/gallery/README.md || fail "$picture is of no scene"
done
[ "$(grep -c '^!\[' docs/gallery/README.md)" -ge 40 ] || fail "the page shows fewer than 40 pictures"
while read -r scene _; do
    [ -e "scenes/$scene.yaml" ] || fail "docs/gallery/scenes.txt names '$scene', which is no scene"
done < <(grep -v '^#' docs/gallery/scenes.txt)
[ "$failures" = 0 ] && echo "gallery: $(ls docs/gallery/*.png | wc -l) pictures"
exit $((failures > 0))
