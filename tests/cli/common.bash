# For the scripts of this folder: `. common.bash`. The program is the first argument or $NACRE.
nacre=$(realpath "${1:-${NACRE:?the program to test: as first argument or in NACRE}}")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) # in memory where possible: a thousand syncs take long
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
# Tests share the machine: waiting threads sleep.
export OMP_WAIT_POLICY=passive
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect CODE COMMAND...: runs it, keeps its output in out.txt and err.txt, and complains about another exit code.
expect() {
    local wanted=$1 got
    shift
    "$@" >out.txt 2>err.txt
    got=$?
    if [ "$got" != "$wanted" ]; then
        fail "exit code $got, wanted $wanted: $*"
        sed 's/^/    /' err.txt | head -n 5
        return 1
    fi
}

# says FILE WORDS: the file holds the words.
says() {
    grep -qF -- "$2" "$1" || { fail "no '$2' in $1 of the last command:"; head -n 8 "$1" | sed 's/^/    /'; }
}

# silent FILE: the file is empty.
silent() {
    [ ! -s "$1" ] || { fail "$1 of the last command is not empty:"; head -n 8 "$1" | sed 's/^/    /'; }
}

# json FILE EXPRESSION: the file is JSON, and the Python expression over it (as `d`) is true.
json() {
    python3 - "$1" "$2" <<'PY' || fail "$1: $2"
import json, sys
try:
    d = json.load(open(sys.argv[1]))
except ValueError as error:
    sys.exit("    not JSON: %s" % error)
if not eval(sys.argv[2]):
    print("   ", json.dumps(d)[:400])
    sys.exit(1)
PY
}

# value FILE KEY: a value of a JSON object.
value() {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2" 2>/dev/null
}

# boxes COUNT SECONDS: a scene of tumbling boxes that never meet.
boxes() {
    cat <<SCENE
nacre: 1
title: Tumbling boxes
world: {gravity: [0, -9.8, 0], timestep: 1/24, duration: ${2:-1}, bounds: {low: [-1e6, -1e6, -1e6], high: [1e6, 1e6, 1e6]}}
shapes:
  brick: {generate: box, width: 1, height: 0.6, depth: 0.3, density: 700}
bodies:
  - {name: brick, shape: brick, spin: [0.1, 7, 0.2], velocity: [0, 4, 0], grid: {count: [${1:-4}, 1, 1], spacing: 2}}
expect: {separation: true, escaped: 0, not_finite: 0}
SCENE
}

# A box flies at another one.
crossing() {
    cat <<SCENE
nacre: 1
world: {gravity: [0, 0, 0], timestep: 1/24, duration: 1}
shapes: {brick: {generate: box, size: 1}}
bodies:
  - {name: left, shape: brick, position: [-1.95, 0.1, 0.2], velocity: [4, 0, 0]}
  - {name: right, shape: brick, position: [1, 0, 0]}
expect: {separation: true}
SCENE
}

# crossing_run RUN STEPS: a run of the scene `crossing` in which the box flew through the other one. Nacre makes no such
# run; it is made of two: the meshes and bodies of one, and the frames of one whose scene lets the pair pass.
crossing_run() {
    crossing >made.yaml
    (cat made.yaml; echo 'filters: [[left, right]]') >passing.yaml
    "$nacre" run made.yaml -o "$1" --steps "$2" -q >made.txt && "$nacre" run passing.yaml -o passing.nacre --force --steps "$2" -q >made.txt
    python3 - "$1" <<'PY' || fail "the run file could not be made"
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("attach 'passing.nacre' as other")
for table in "frame", "pose", "report", "checkpoint":
    db.execute(f"delete from {table}")
    db.execute(f"insert into {table} select * from other.{table}")
db.commit()
PY
}

finish() {
    [ "$failures" = 0 ] && exit 0
    echo "$failures failed"
    exit 1
}
