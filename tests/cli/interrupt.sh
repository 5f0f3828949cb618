#!/usr/bin/env bash
# A signal ends a run within a second, also inside a step that takes longer; the step is given up, the run resumable.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
# Rods that spin in ducts which they nearly fill: every sweep uses its whole budget.
cat >rods.yaml <<SCENE
nacre: 1
world: {timestep: 1/60, duration: 1/30}
shapes:
  duct: {generate: tube, radius: 0.6, height: 3}
  rod: {generate: box, width: 0.05, height: 1, depth: 0.05}
bodies:
SCENE
for i in $(seq 60); do
    echo "  - {shape: duct, type: static, position: [$((3 * i)), 0, 0]}"
    echo "  - {shape: rod, position: [$((3 * i)), 0, 0], spin: [0, 0, 1e7]}"
done >>rods.yaml
expect 0 "$nacre" run rods.yaml -o whole.nacre --threads 1 --json -q
hash=$(value out.txt hash)
python3 - whole.nacre <<'PY' || fail "the steps are too short for this test"
import sqlite3, sys
sys.exit(0 if sqlite3.connect(sys.argv[1]).execute("select min(seconds_total) from report where steps > 0").fetchone()[0] > 1.2 else 1)
PY

for signal in INT TERM; do
    "$nacre" run rods.yaml -o cut.nacre --threads 1 >out.txt 2>err.txt &
    child=$!
    until [ -e cut.nacre ] && [ -n "$("$nacre" info cut.nacre 2>/dev/null)" ]; do sleep 0.02; done
    sleep 0.3
    begin=$(date +%s%N)
    kill "-$signal" $child 2>/dev/null || fail "the run ended before signal $signal came"
    wait $child 2>/dev/null
    code=$?
    passed=$((($(date +%s%N) - begin) / 1000000))
    echo "SIG$signal: ended after $passed ms"
    [ $code = 130 ] || fail "exit code $code after SIG$signal, wanted 130"
    [ $passed -lt 2000 ] || fail "SIG$signal took $passed ms"
    says err.txt "resume"
    expect 0 "$nacre" run --resume cut.nacre --threads 1 --json -q
    json out.txt 'd["status"] == "finished" and d["steps"] == 2'
    [ "$(value out.txt hash)" = "$hash" ] || fail "another hash after SIG$signal inside a step and resume"
    rm -f cut.nacre*
done

finish
