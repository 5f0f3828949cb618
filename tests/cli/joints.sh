#!/usr/bin/env bash
# What joints do that a user must know of is said, and stored: pairs that they exempt, joints that break.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# scene COLLIDE: two rods that overlap at their elbow; the upper one's hinge bears no more than 12 N.
scene() {
    cat <<END
nacre: 1
world: {timestep: 1/240, duration: 0.5}
shapes:
  rod: {generate: box, width: 1, height: 0.04, depth: 0.04, mass: 1}
bodies:
  - {shape: rod, name: upper, position: [0.5, 0, 0]}
  - {shape: rod, name: lower, position: [1.5, 0, 0.02]}
joints:
  - {kind: hinge, name: top, body: upper, anchor: [0, 0, 0], axis: [0, 0, 1], break_force: 12}
  - {kind: hinge, name: elbow, body: lower, to: upper, anchor: [1, 0, 0.01], axis: [0, 0, 1]$1}
END
}
events() {
    python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("select kind, step, text from event order by id"): print(*row)' "$1"
}

# By default the pair is exempt, with a warning and an event that name bodies and joint.
scene "" >auto.yaml
"$nacre" run auto.yaml -o auto.nacre -f >out.txt 2>err.txt || fail "the overlapping pair was refused"
says err.txt 'warning: "lower" and "upper" share points where they start, so joint "elbow" (hinge)'
events auto.nacre >events.txt
says events.txt 'exempt 0 "lower" and "upper"'
says events.txt 'joint_break 46 joint "top" (hinge) of "upper" and the world broke at 0.191667 s: it bore 12.1'

# The same events after a stop and a resume, none twice.
"$nacre" run auto.yaml -o half.nacre -f --steps 60 >out.txt 2>err.txt || fail "half a run"
"$nacre" run half.nacre --resume --steps 120 >out.txt 2>err.txt || fail "the other half"
events half.nacre | grep -v '^resumed' >again.txt
cmp -s events.txt again.txt || fail "a resumed run has other events: $(cat again.txt)"

# Who says what is meant is not warned, and who wants no overlap is refused.
scene ", collide: false" >meant.yaml
"$nacre" run meant.yaml -o meant.nacre -f >out.txt 2>err.txt || fail "collide: false was refused"
grep -q "share points" err.txt && fail "collide: false is warned of"
scene ", collide: true" >refused.yaml
"$nacre" run refused.yaml -o refused.nacre -f >out.txt 2>err.txt && fail "an overlap with collide: true was taken"
says err.txt 'intersect'
finish
