#!/usr/bin/env bash
# Runs one scene with the exact audit on and judges its `expect` block: scene.sh NACRE SCENE
# A first line `# test: steps=N` bounds the run; without it the scene runs to its end.
# `exit=N` on that line is the exit code it must end with, for scenes that show an error.
# `contact` on that line: bodies must meet in the steps that are made (collisions, resting contacts, kicks of penalty layers), so
# that a scene about contact is not stopped before there is any.
# `pending` on that line: what the scene expects is not met yet. It runs audited for bits=N steps, or to its end, and
# only its expectations are not judged.
# `judged=TEST` on that line: another test runs the scene to its end and judges it; here it runs audited for bits=N steps.
# Under sanitizers (NACRE_SANITIZED) a scene with `bits=N`, fewer steps in which its bodies meet already, stops there,
# too early to be judged: steps take five times as long.
set -u
nacre=$1 scene=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
steps="" bits="" wanted=0 pending="" contact="" judged=""
for word in $(sed -n '1s/^# *test: *//p' "$scene"); do
    case $word in
    steps=*) steps=${word#steps=} ;;
    bits=*) bits=${word#bits=} ;;
    exit=*) wanted=${word#exit=} ;;
    pending) pending=1 ;;
    contact) contact=1 ;;
    judged=*) judged=${word#judged=} ;;
    *) echo "$scene:1: a test line has steps=N, bits=N, exit=N, contact, pending and judged=TEST, not $word"; exit 1 ;;
    esac
done
options=(--audit --expect)
if [ -n "$pending$judged" ]; then
    options=(--audit)
    [ -z "${bits:-$steps}" ] || options+=(--steps "${bits:-$steps}")
    [ -z "$pending" ] || echo "$scene: PENDING, its expectations are not judged"
elif [ -n "${NACRE_SANITIZED:-}" ] && [ -n "$bits" ] && [ "$bits" -lt "${steps:-1000000}" ]; then
    options=(--audit --steps "$bits")
    contact=""
elif [ -n "$steps" ]; then
    options+=(--steps "$steps")
fi
"$nacre" run "$scene" -o "$scratch/run.nacre" "${options[@]}"
got=$?
if [ $got != "$wanted" ]; then
    echo "$scene: exit code $got, wanted $wanted"
    exit 1
fi
[ -n "$contact" ] || exit 0
python3 - "$scratch/run.nacre" <<'PY' || { echo "$scene: nothing met in the steps of this test: choose more (steps=N)"; exit 1; }
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
met, = db.execute("select total(collisions) + total(contacts) from report where frame > 0").fetchone()
kicks, cloth = db.execute("select total(contact_kicks), count(*) from cloth where frame > 0").fetchone()
sys.exit((kicks if cloth else met) == 0)
PY
