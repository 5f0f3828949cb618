#!/usr/bin/env bash
# One state, bit by bit, on 1 and 8 threads, and on 2 until a stop half way and 3 from there: scene_bits.sh NACRE SCENE...
# Compared are the hashes of all steps of the run that scene.sh does: `steps=N` on the scene's first line. `bits=N` there
# is another number of steps for this test, where steps take long or bodies meet late. NACRE_BITS=whole takes no notice
# of it, and makes whole runs on 2 and on 3 threads too.
set -u
nacre=$1
shift
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) # in memory where possible: a thousand syncs take long
trap 'rm -rf "$scratch"' EXIT
# Tests share the machine: waiting threads sleep.
export OMP_WAIT_POLICY=passive
failures=0 others=8
[ "${NACRE_BITS:-}" != whole ] || others="2 3 8"

fail() {
    echo "FAIL: $scene: $*"
    failures=$((failures + 1))
}

# read_test_line: sets `options`, which bound the scene's run, and `wanted`, its exit code.
read_test_line() {
    local word steps="" bits=""
    wanted=0 options=()
    for word in $(sed -n '1s/^# *test: *//p' "$scene"); do
        case $word in
        steps=*) steps=${word#steps=} ;;
        bits=*) bits=${word#bits=} ;;
        exit=*) wanted=${word#exit=} ;;
        esac
    done
    [ "${NACRE_BITS:-}" = whole ] || steps=${bits:-$steps}
    [ -z "$steps" ] || options=(--steps "$steps")
}

# simulate CODE OPTIONS...: `nacre run` with them ends with the exit code.
simulate() {
    local code=$1 got
    shift
    "$nacre" run --quiet "$@" >"$scratch/out.txt" 2>&1
    got=$?
    [ $got = "$code" ] || { fail "exit code $got, wanted $code: nacre run $*"; tail -n 5 "$scratch/out.txt"; return 1; }
}

# facts RUN: its wanted steps, last step, first step in which bodies met (- for none), last hash.
facts() {
    python3 - "$1" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
(wanted,) = db.execute("select steps_wanted from run").fetchone()
last, state = db.execute("select step, printf('%016x', hash) from frame order by id desc").fetchone()
(met,) = db.execute("select min(step) from report where collisions + contacts + dynamic_contacts > 0").fetchone()
print(wanted, last, met or "-", state)
PY
}

# same RUN HOW: every step of the run has the hash that it has on one thread.
same() {
    local difference
    difference=$(python3 - "$scratch/1.nacre" "$1" <<'PY'
import itertools, sqlite3, sys
def hashes(path):
    return sqlite3.connect(path).execute("select step, printf('%016x', hash) from frame order by id").fetchall()
for a, b in itertools.zip_longest(*map(hashes, sys.argv[1:])):
    if a != b:
        print("step %d has hash %s, on one thread %s" % ((a or b)[0], b and b[1], a and a[1]))
        sys.exit(1)
PY
    ) || fail "$2: $difference"
}

# compare: the scene on 1 thread and on others, and stopped half way.
compare() {
    local run=$scratch/1.nacre threads steps last met state
    simulate "$wanted" "$scene" -o "$run" --every 1 --threads 1 "${options[@]}" || return
    read -r steps last met state < <(facts "$run")
    for threads in $others; do
        run=$scratch/$threads.nacre
        simulate "$wanted" "$scene" -o "$run" --every 1 --threads $threads "${options[@]}" && same "$run" "$threads threads"
    done
    run=$scratch/half.nacre
    simulate 0 "$scene" -o "$run" --every 1 --threads 2 --steps $((last / 2)) &&
        simulate "$wanted" --resume "$run" --threads 3 --steps "$steps" && same "$run" "resumed at step $((last / 2))"
    printf '%-44s %5s %8s   %s\n' "$(basename "$(dirname "$scene")")/$(basename "$scene")" "$last" "$met" "$state"
}

printf '%-44s %5s %8s   %s\n' scene steps meeting "hash at the end"
for scene in "$@"; do
    read_test_line
    [ "${options[*]}" = "--steps 0" ] && continue # nothing moves
    compare
    rm -f "$scratch"/*
done
[ $failures = 0 ] && echo "$# scenes: one hash per step on 1 and 8 threads, and on 2 and 3 before and after a stop" || echo "$failures differences"
[ $failures = 0 ]
