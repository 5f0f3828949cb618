#!/usr/bin/env bash
# The gallery: its page is what scripts/gallery would write, its pictures are there and small. The same of the cookbook and of the
# moving picture of README.md.
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
while IFS=';' read -r name scene _; do
    [ -e "scenes/$(xargs <<<"$scene").yaml" ] || fail "docs/gallery/best.txt names '$scene', which is no scene"
done < <(grep -v '^#' docs/gallery/best.txt)
while IFS=';' read -r name _; do
    for file in "${name}_event.jpg" "${name}_end.jpg" "$name.mp4"; do
        [ -s "docs/gallery/best/$file" ] || fail "docs/gallery/best/$file is missing: scripts/gallery --best $name"
    done
    ! command -v ffprobe >/dev/null || [ "$(ffprobe -v error -count_packets -show_entries stream=nb_read_packets -of csv=p=0 "docs/gallery/best/$name.mp4")" -ge 20 ] ||
        fail "docs/gallery/best/$name.mp4 has fewer than 20 pictures"
done < <(grep -v '^#' docs/gallery/best.txt)
for picture in docs/gallery/best/* docs/gallery/sheet.jpg; do
    [ "$(stat -c %s "$picture")" -le 600000 ] || fail "$picture has more than 600000 bytes"
    grep -qF "(${picture#docs/gallery/})" docs/gallery/README.md || fail "$picture is not on the page"
done
[ "$(du -sk docs | cut -f1)" -le 40960 ] || fail "docs/ has more than 40 MB"
while read -r scene _; do
    [ -e "scenes/$scene.yaml" ] || fail "docs/gallery/scenes.txt names '$scene', which is no scene"
done < <(grep -v '^#' docs/gallery/scenes.txt)
for scene in scenes/cookbook/*.yaml; do
    name=$(basename "$scene" .yaml)
    grep -qF "(pictures/cookbook/$name.jpg)" docs/cookbook.md || fail "docs/cookbook.md has no picture of $name"
    grep -q "^nacre render $name\.nacre -o $name\.png" docs/cookbook.md || fail "docs/cookbook.md does not say how the picture of $name is made"
    [ -s "docs/pictures/cookbook/$name.jpg" ] || fail "no picture of $name: scripts/cookbook $name"
done
[ "$(cat docs/pictures/cookbook/*.jpg | wc -c)" -le 3000000 ] || fail "the pictures of the cookbook have more than 3 MB"
[ "$(stat -c %s docs/pictures/hero.webp)" -le 4000000 ] || fail "docs/pictures/hero.webp has more than 4 MB"
[ "$(grep -ao ANMF docs/pictures/hero.webp | wc -l)" -ge 24 ] || fail "docs/pictures/hero.webp does not move"
# The tests that docs/viewer.md names are there.
while IFS='|' read -r _ _ file tests _; do
    for name in ${tests//[\`,]/ }; do
        grep -q "^async function $name(" "tests/web/$(tr -d '\` ' <<<"$file")" || fail "docs/viewer.md names the test $name, which is not in$file"
    done
done < <(grep '^|.*`viewer[a-z_]*\.mjs`' docs/viewer.md)
[ "$failures" = 0 ] && echo "gallery: $(ls docs/gallery/*.png | wc -l) pictures"
exit $((failures > 0))
