#!/usr/bin/env bash
# nacre study: plans, runs, results, plots; what fails, what is limited; and that nothing is lost or counted twice.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
boxes 2 2 >boxes.yaml

# study NAME LINES...: a study file of the scene, with further keys.
study() {
    local name=$1
    shift
    { printf 'nacre_study: 1\ntitle: Boxes\nscene: boxes.yaml\n'; printf '%s\n' "$@"; } >"$name.yaml"
}
# hashes FILE: number, status and hash of every run.
hashes() { sqlite3 "$1" 'select number, status, hash from run order by number'; }

# ---- from the plan to the plot
study a 'parameters:' '  speed: {set: bodies.0.velocity.1, from: 1, to: 4, count: 4}' '  spin: [[0, 1, 0], [0, 2, 0]]' \
    'measure:' '  top: select max(y) from pose' '  energy: kinetic' '  unmet: expect' 'run: {expect: true}'
sed -i 's/  spin: \(.*\)/  spin: {set: bodies.0.spin, values: \1}/' a.yaml
expect 0 "$nacre" study a.yaml --plan
says err.txt "8 runs planned"
expect 0 "$nacre" study status a.nacre-study --json
json out.txt 'd["planned"] == 8 and d["waiting"] == 8 and d["done"] == 0'
expect 0 "$nacre" study a.yaml
says err.txt "8 runs: 8 done, 0 failed, 0 not finished"
silent out.txt
expect 0 "$nacre" study results a.nacre-study --format json
json out.txt 'len(d["runs"]) == 8 and all(r["status"] == "done" and r["unmet"] == 0 and len(r["hash"]) == 16 for r in d["runs"])'
json out.txt 'd["runs"][0]["top"] < d["runs"][7]["top"] and d["runs"][7]["spin"] == "[0, 2, 0]" and d["runs"][7]["speed"] == 4'
json out.txt 'all(r["attempts"] == 1 and r["exit_code"] == 0 and r["steps"] == 48 and r["cpu_seconds"] > 0 for r in d["runs"])'
expect 0 "$nacre" study results a.nacre-study
says out.txt "number  status  speed"
expect 0 "$nacre" study results a.nacre-study --format csv
[ "$(wc -l <out.txt)" = 9 ] || fail "CSV has $(wc -l <out.txt) lines"
says out.txt '"[0, 2, 0]"'
# A run is what nacre run makes of the same values.
expect 0 "$nacre" run boxes.yaml -o alone.nacre -q --json --set bodies.0.velocity.1=4 --set 'bodies.0.spin=[0, 2, 0]'
[ "$(value out.txt hash)" = "$(sqlite3 a.nacre-study 'select hash from run where number = 8')" ] ||
    fail "run 8 has another hash than the same run alone"
expect 0 "$nacre" study plot a.nacre-study -x speed -y top --by spin --mean
says err.txt "8 runs"
says a.svg "spin = [0, 1, 0]"
expect 2 "$nacre" study plot a.nacre-study -y tpo
says err.txt "Did you mean 'top'?"
# All is there already; another study or scene is not mixed with it.
expect 0 "$nacre" study a.yaml
says err.txt "8 done"
echo '# changed' >>boxes.yaml
expect 2 "$nacre" study a.yaml
says err.txt "another scene"
sed -i '$d' boxes.yaml
sed -i 's/count: 4/count: 5/' a.yaml
expect 2 "$nacre" study a.yaml
says err.txt "--force"
# Run 3 again, from its start.
before=$(hashes a.nacre-study)
expect 0 "$nacre" study rerun a.nacre-study 3
[ "$(hashes a.nacre-study)" = "$before" ] || fail "run 3 came out different"

# ---- mistakes
study bad 'parameters: {world.frictoin: [1]}'
expect 3 "$nacre" study bad.yaml
says err.txt "frictoin"
study bad 'parameters:' '  world.friction: {low: 0, high: 1}'
expect 3 "$nacre" study bad.yaml
says err.txt "bad.yaml:5:"
expect 2 "$nacre" study a.yaml --on moon
expect 2 "$nacre" study view a.nacre-study 9
says err.txt "1 to 8"
expect 6 "$nacre" study status nothing.nacre-study
expect 2 "$nacre" study statsu a.nacre-study
expect 2 "$nacre" study rerun a.nacre-study

# ---- what fails, what is limited
study mixed 'parameters:' '  gap: {set: bodies.0.grid.spacing, values: [2, 0.5, 3]}' 'keep: none'
expect 1 "$nacre" study mixed.yaml
says err.txt "2 done, 1 failed"
expect 0 "$nacre" study results mixed.nacre-study
says out.txt "the scene starts intersecting"
ls mixed.runs/*.nacre >/dev/null 2>&1 && fail "keep: none keeps run files"
expect 2 "$nacre" study view mixed.nacre-study 1
says err.txt "--set 'bodies.0.grid.spacing=2'"
boxes 40 4000 >long.yaml
study slow 'repeat: {count: 1}' 'limits: {time: 1.5}'
sed -i 's/boxes.yaml/long.yaml/' slow.yaml
expect 1 "$nacre" study slow.yaml
steps() { sqlite3 slow.runs/000001.nacre 'select last_step from progress'; }
first=$(steps)
expect 1 "$nacre" study rerun slow.nacre-study --failed
says err.txt "1 run to be made again"
[ "$(steps)" -gt "$first" ] || fail "a run that was stopped by its limit starts from its beginning: $first, $(steps)"
[ "$(sqlite3 slow.nacre-study "select count(*) from run where message like '%limit of the study%' and status = 'failed'")" = 1 ] ||
    fail "no message about the limit of time"
study fat 'repeat: {count: 1}' 'limits: {memory: 2}'
sed -i 's/boxes.yaml/long.yaml/' fat.yaml
expect 1 "$nacre" study fat.yaml
[ "$(sqlite3 fat.nacre-study "select message like '%MB of memory%' from run")" = 1 ] || fail "no message about memory"

# ---- kills: of the coordinator, a worker, a run; Ctrl-C. Checkpoints are continued, and the hashes are the same.
boxes 30 60 >boxes.yaml
study k 'parameters: {world.gravity.1: {from: -1, to: -4, count: 4}}'
expect 0 "$nacre" study k.yaml -o calm.nacre-study -n 2
"$nacre" study k.yaml -n 2 -q &
coordinator=$!
# worker_of RUN: the process that makes it, once it does.
worker_of() {
    for _ in $(seq 100); do
        set -- "$1" $(tail -n 1 "k.runs/locks/00000$1.lock" 2>/dev/null)
        [ -n "${4:-}" ] && pgrep -P "$4" >/dev/null && [ -e "k.runs/00000$1.nacre" ] && { echo "$4"; return; }
        sleep 0.02
    done
}
worker=$(worker_of 1)
kill -9 $(pgrep -P "$worker") # nacre run
kill -9 "$(worker_of 2)"
sleep 0.2
kill -9 $coordinator
wait $coordinator 2>/dev/null
expect 0 "$nacre" study status k.nacre-study --json
json out.txt 'd["done"] < 4 and d["failed"] == 0'
"$nacre" study k.yaml -n 2 2>err.txt &
coordinator=$!
for _ in $(seq 200); do
    "$nacre" study status k.nacre-study | grep -q ' 0 running' || break
    sleep 0.05
done
kill -INT $coordinator
wait $coordinator
[ $? = 130 ] || fail "Ctrl-C does not end a study with exit code 130"
says err.txt "To continue: nacre study"
expect 0 "$nacre" study k.nacre-study -n 2
[ "$(hashes k.nacre-study)" = "$(hashes calm.nacre-study)" ] || fail "other hashes after kills"
[ "$(sqlite3 k.nacre-study 'select max(attempts) > 1 from run')" = 1 ] || fail "nothing was killed"
[ -z "$(ls k.runs/locks k.runs/results | grep '[0-9]')" ] || fail "locks or results are left: $(ls k.runs/*/)"

# ---- a disk that is full: run files may not grow beyond 100 KB
(ulimit -f 200; expect 6 "$nacre" study k.yaml -o full.nacre-study -n 1)
says err.txt "the same command continues the study"
[ "$(hashes full.nacre-study | grep -c planned)" = 4 ] || fail "runs on a full disk have results"
expect 0 "$nacre" study full.nacre-study --scratch /tmp
[ "$(hashes full.nacre-study)" = "$(hashes calm.nacre-study)" ] || fail "other hashes after a full disk, or with --scratch"
ls /tmp/nacre-"$(sqlite3 full.nacre-study 'select id from study')"* >/dev/null 2>&1 && fail "files are left in the scratch folder"

# ---- ten thousand planned runs
study many 'parameters: {world.gravity.1: {low: -9, high: -1}, world.gravity.0: {low: 0, high: 1}}' 'sample: {method: sobol, count: 10000}'
expect 0 "$nacre" study many.yaml --plan -q
TIMEFORMAT=%R
best=$(for _ in 1 2 3 4 5; do { time "$nacre" study status many.nacre-study >/dev/null 2>&1; } 2>&1; done | sort -n | head -n 1)
[ -n "${NACRE_SANITIZED:-}" ] || awk -v t="${best:-9}" 'BEGIN { exit !(t + 0 > 0 && t < 0.1) }' || fail "status of 10,000 runs takes $best s"
finish
