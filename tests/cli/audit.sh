#!/usr/bin/env bash
# nacre run --audit: what it says of a clean run; exit code 5, a dump and its replay when the guarantee is violated.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
crossed=${NACRE_BUILD:?the build folder, which has crossed_run}/crossed_run
[ -x "$crossed" ] || crossed=$(dirname "$nacre")/crossed_run

# Frames, and the way of every step, also of those that are not stored.
crossing >crossing.yaml
expect 0 "$nacre" run crossing.yaml -o clean.nacre --audit --every 5
says out.txt "audit: no intersections in 6 frames and during 24 steps"
expect 0 "$nacre" run crossing.yaml -o clean.nacre --force --audit --every 5 --json
json out.txt 'd["audit"]["frames"] == 6 and d["audit"]["steps"] == 24'
expect 0 "$nacre" run crossing.yaml -o clean.nacre --force --expect --json
json out.txt 'd["audit"]["frames"] == 25 and d["audit"]["steps"] == 0'

# A step of bodies that cross is a broken promise. The step before the first frame is seen, and nothing of it is stored.
"$crossed" crossed.nacre || fail "crossed_run"
expect 5 "$nacre" run --resume crossed.nacre --audit
cp err.txt first.txt
says err.txt "of left intersects"
says err.txt "during step 3"
says err.txt "This is a defect in Nacre."
says err.txt "Step 3 alone is in crossed.step-3.nacre. To repeat it: nacre run --resume crossed.step-3.nacre --audit"
expect 0 "$nacre" info crossed.nacre --json
json out.txt 'd["frames"] == 1 and d["steps"] == 2'

# The dump does the same step again, to the same end, as often as it is asked; it makes no second dump.
expect 0 "$nacre" info crossed.step-3.nacre --json
json out.txt 'd["frames"] == 1 and d["steps"] == 2 and d["steps_wanted"] == 3 and d["title"] == "Two boxes that cross"'
for round in 1 2; do
    expect 5 "$nacre" run --resume crossed.step-3.nacre --audit
    [ "$(grep 'of left meets' err.txt)" = "$(grep 'of left meets' first.txt)" ] || fail "the replay found something else"
    says err.txt "To repeat it: nacre run --resume crossed.step-3.nacre --audit"
done
[ "$(echo crossed*.nacre)" = "crossed.nacre crossed.step-3.nacre" ] || fail "more files than one dump: $(echo crossed*)"

# A frame that intersects is a broken promise too, without a look at the way there.
expect 5 "$nacre" run --resume crossed.nacre --expect
says err.txt "1 pair of bodies intersect after step 4"
says err.txt "crossed.step-4.nacre"
expect 5 "$nacre" run --resume crossed.step-4.nacre --audit

# Without an audit nobody looks.
expect 0 "$nacre" run --resume crossed.nacre -q
finish
