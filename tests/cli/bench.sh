#!/usr/bin/env bash
# nacre bench measures both sides of each comparison and says so in words and in JSON.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

expect 0 "$nacre" bench --rounds 1 --json
cp out.txt bench.json
silent err.txt
json bench.json '[r["name"] for r in d["results"]] [:6] == ["obj load", "obj load, bare", "tree build", "tree build, parallel", "mesh create", "audit"]'
json bench.json 'all(r["ours"]["median_seconds"] > 0 and len(r["ours"]["seconds"]) == 1 for r in d["results"])'
json bench.json 'all(r["peer_measured"] == (r["ratio"] is not None) for r in d["results"])'
# A peer that is not there must be said to be not there.
json bench.json 'all(r["peer_measured"] or r["note"].startswith(("this build has no ", "no peer program ")) for r in d["results"])'
json bench.json 'd["cores"] >= 1 and d["processor"] and d["nacre"]'
# The audit beats brute force by orders of magnitude, and takes well under a second (a sanitizer may cost tenfold).
json bench.json '[r for r in d["results"] if r["name"] == "audit"][0]["ratio"] > 100'
json bench.json '[r for r in d["results"] if r["name"] == "audit"][0]["ours"]["median_seconds"] < 5'

# The kernels: the features' tests never miss, and both ways of finding near pairs find the same.
result() { echo "{r[\"name\"]: r for r in d[\"results\"]}[\"$1\"]"; }
json bench.json "$(result "features, straight paths")"'["figures"]["missed"] == 0'
json bench.json "$(result "features, straight paths")"'["figures"]["worst_over_mean"] > 1'
json bench.json "$(result "features, curved paths")"'["figures"]["curved_over_straight"] > 0'
json bench.json "$(result "boats, proximity")"'["ratio"] > 10'
near=$(result "boats, proximity")'["figures"]'
json bench.json "$near[\"near_pairs_in_those_cases\"] == $near[\"near_pairs_by_brute_force\"] > 0"
times=$(result "boats, sweep against brute force")'["figures"]'
json bench.json "$times[\"sum_of_times\"] <= $times[\"sum_of_times_by_brute_force\"] + 1e-9 < 8"
json bench.json "$(result "broad phase, one body of 10,000")"'["ratio"] > 2'
json bench.json "$(result "broad phase, 100,000 bodies")"'["figures"]["pairs"] > 1e6'

# Finer costs boxes little and straight pieces much.
coarse=$(result "trajectory, epsilon 1e-2")'["figures"]' fine=$(result "trajectory, epsilon 1e-6")'["figures"]'
json bench.json "$fine[\"box_queries\"] < 2 * $coarse[\"box_queries\"] and $fine[\"hits_of_boxes\"] > 0"
json bench.json "$fine[\"segment_queries\"] > 20 * $coarse[\"segment_queries\"]"

# Queries of the public format are read; a folder without any is an error.
mkdir -p queries/one/vertex-face empty
printf '%s\n' 1,4,1,4,1,1,1 0,1,0,1,0,1,1 1,1,0,1,0,1,1 0,1,1,1,0,1,1 \
    1,4,1,4,-1,1,1 0,1,0,1,0,1,1 1,1,0,1,0,1,1 0,1,1,1,0,1,1 >queries/one/vertex-face/a.csv
expect 0 "$nacre" bench --rounds 1 --json features meshes --queries queries --peers empty
cp out.txt queries.json
json queries.json "$(result "features, straight paths")"'["note"].startswith("1 queries (the public benchmark")'
json queries.json "$(result "features, straight paths")"'["figures"]["missed"] == 0'
json queries.json "$(result "boats, distance")"'["peer_measured"] is False'
expect 6 "$nacre" bench --rounds 1 features --queries empty
says err.txt "there are no queries in 'empty'"

# A peer program that falls silent is an error, not a hang.
mkdir -p peers
printf '#!/bin/sh\necho "ready Nothing 1.0"\n' >peers/fcl_meshes
chmod +x peers/fcl_meshes
expect 6 "$nacre" bench --rounds 1 meshes --peers peers
says err.txt "gave no answer"

# Boats into a bowl: without a peer, Nacre alone; nothing crosses and nothing escapes.
expect 0 "$nacre" bench boats --boats 9 --steps 32 --rounds 2 --json --peers empty
cp out.txt boats.json
boats=$(result "boats into a bowl")
json boats.json "$boats[\"peer_measured\"] is False and len($boats[\"ours\"][\"seconds\"]) == 2 and $boats[\"items\"] == 32"
json boats.json "all($boats[\"figures\"][k] == 0 for k in ('escaped', 'intersecting_pairs', 'in_bowl_or_ground'))"
json boats.json "$boats[\"figures\"][\"seconds_separate\"] > 0 and $boats[\"figures\"][\"collisions\"] > 0"
says err.txt "ms per step"

# What a peer says of its end is judged: nine boats in one place, then below the bowl and half in the ground.
cat >peers/bullet_world <<'PEER'
#!/bin/sh
echo "ready Fake 1.0"
y=-5
while read -r line; do
    [ "$line" = "run 3" ] || exit 1
    printf '0.25 7\n0 -12 0 1 0 0 0\n0 0 0 1 0 0 0\n'
    for i in 1 2 3 4 5 6 7 8 9; do echo "0 $y 0 1 0 0 0"; done
    y=-12
done
PEER
chmod +x peers/bullet_world
expect 0 "$nacre" bench boats --boats 9 --steps 3 --rounds 1 --json --peers peers --peer bullet
cp out.txt fake.json
json fake.json "$boats[\"peer\"][\"seconds\"] == [0.25] and $boats[\"note\"].startswith('Fake 1.0')"
json fake.json "$boats[\"figures\"][\"intersecting_pairs_of_peer\"] == 36 and $boats[\"figures\"][\"escaped_of_peer\"] == 0"
expect 0 "$nacre" bench boats --boats 9 --steps 3 --rounds 2 --json --peers peers --peer bullet
cp out.txt fake.json
json fake.json "$boats[\"figures\"][\"in_bowl_or_ground_of_peer\"] == 9 and $boats[\"figures\"][\"escaped_of_peer\"] == 9"
printf '#!/bin/sh\necho "ready Fake 1.0"\nread -r line\necho "1 1"\necho nonsense\n' >peers/bullet_world
expect 6 "$nacre" bench boats --boats 9 --steps 3 --rounds 1 --peers peers
says err.txt "said 'nonsense' where 7 numbers were due"
expect 2 "$nacre" bench boats --peer nobody
says err.txt 'there is no peer "nobody": bullet and ode are there'
# Joints beside a peer: every scene is there, Nacre's joints hold and nothing crosses; without a peer the page says so.
mkdir -p results
expect 0 "$nacre" bench joints --boats 2 --steps 20 --rounds 1 --json --peers empty --scenes "$root/scenes/joints" --output results
cp out.txt joints.json
json joints.json '[r["name"] for r in d["results"]] == ["joints, chain", "joints, gripper", "joints, ragdolls"]'
json joints.json 'all(r["figures"]["joint_error"] < 1e-9 and r["figures"]["intersecting_pairs"] == 0 for r in d["results"])'
says results/joints.md "No other simulator: no peer program bullet_joints"
says results/joints.md "Cut short"
# What a peer says is measured: every body in one place, so that the anchors of the chain are apart.
cat >peers/bullet_joints <<'PEER'
#!/bin/sh
bodies=$(awk 'NR == 1 {print $7; exit}' "$1") # before "ready": then the task is gone
echo "ready Fake 1.0"
while read -r job steps; do
    [ "$job" = run ] && steps=1
    for step in $(seq "$steps"); do
        echo "0.5 7"
        for i in $(seq "$bodies"); do echo "0 0 0 1 0 0 0"; done
    done
done
PEER
chmod +x peers/bullet_joints
expect 0 "$nacre" bench joints --boats 1 --steps 2 --rounds 1 --json --peers peers --scenes "$root/scenes/joints" --output results
cp out.txt joints.json
chain=$(result "joints, chain")
json joints.json "$chain[\"peer\"][\"seconds\"] == [0.5] and $chain[\"note\"].startswith('Fake 1.0')"
json joints.json "0.09 < $chain[\"figures\"][\"joint_error_of_peer\"] < 0.4 and $chain[\"figures\"][\"intersecting_pairs_of_peer\"] > 1000"
says results/joints.md "| Fake 1.0 | 250 |"
# A scene of one's own.
crossing >own.yaml
expect 0 "$nacre" bench boats --steps 12 --rounds 1 --scene own.yaml --peers empty
says out.txt "2 bodies, 12 steps"
sed 's/-1.95/0.5/' own.yaml >touching.yaml
expect 4 "$nacre" bench boats --steps 1 --rounds 1 --scene touching.yaml --peers empty

# The paper's tables, made small: every file is written, with its rows and the machine.
mkdir -p results
expect 0 "$nacre" bench english --boats 8 --steps 1 --json --scenes "$root/scenes/english" --output results
cp out.txt english.json
json english.json 'len(d["results"]) == 26 and all(r["figures"]["intersecting_pairs"] == 0 for r in d["results"])'
json english.json '[r["peer"]["median_seconds"] for r in d["results"] if r["name"] == "boats, 1002 bodies"] == [20.9]'
json english.json 'all(r["figures"]["megabytes"] > 0.01 for r in d["results"])'
for rows in 17:6 18:5 19:8; do
    [ "$(grep -c '^| ' "results/english-fig${rows%:*}.md")" = $((${rows#*:} + 2)) ] ||
        fail "english-fig${rows%:*}.md does not have ${rows#*:} rows"
done
says results/english-fig17.md "| Hanging Rings | 2003 | 1 |"
says results/english-fig17.md "Cut short: at most 1 steps per run."
says results/english-fig17.md "one thread used"
says results/english-fig18.md "(215 ms)"
says results/english-failsafe.md "| Stack Hit by a Sphere | full |"
[ "$(head -n 1 results/english-fig16.csv)" = time,seconds,collisions,contacts ] || fail "english-fig16.csv has another head"
for chart in time counts; do
    grep -q '</svg>' "results/english-fig16-$chart.svg" || fail "english-fig16-$chart.svg is not whole"
done
[ "$(wc -l <results/english-fig16.csv)" = 2 ] || fail "english-fig16.csv has not one line per step"
expect 0 "$nacre" bench english --figure 18 --steps 1 --scenes "$root/scenes/english" --output results
expect 6 "$nacre" bench english --figure 18 --steps 1 --scenes "$root/scenes/english" --output nowhere
says err.txt "cannot write 'nowhere/english-fig18.md'"
expect 2 "$nacre" bench english --figure 21
says err.txt 'figure "21" is not measured'

expect 0 "$nacre" bench erleben --figure 5 --figure 8 --figure 9 --steps 2 --scenes "$root/scenes/erleben" --output results
says results/erleben.md "| stack of 25 | 100 |"
says results/erleben.md "| wall of 200 | 6612 | 5412 |"
says results/erleben.md "| grid of 125 balls | 975 | 230 |"
# by degrees of freedom and by rows: the same spectrum
[ "$(sed -n 's/^| stack of 25 | \(300 .*\)/\1/p' results/erleben.md)" = "$(sed -n 's/^| stack of 25, by rows | //p' results/erleben.md)" ] ||
    fail "the spectrum of the stack depends on how it is computed"
says results/erleben.md "Cut short: at most 2 steps per run."
for chart in convergence damping spectrum-a spectrum-t; do
    grep -q '</svg>' "results/erleben-$chart.svg" || fail "erleben-$chart.svg is not whole"
done
expect 6 "$nacre" bench erleben --figure 9 --steps 1 --scenes "$root/scenes/erleben" --output nowhere
says err.txt "cannot write 'nowhere/erleben.md'"

# Scenes and sizes, cut short; then beside what was measured before: as it was, and as if it had been much slower or faster.
expect 0 "$nacre" bench scenes --steps 1 --rounds 2 --json --scenes "$root/scenes"
cp out.txt scenes.json
json scenes.json 'len(d["results"]) == 13 and all(r["figures"]["milliseconds_per_step"] > 0 and r["peer_measured"] for r in d["results"])'
json scenes.json 'all(r["figures"]["megabytes"] > 0.1 and "compared" not in r for r in d["results"])'
expect 0 "$nacre" bench scale --boats 300 --steps 1 --json
json out.txt '[r["name"] for r in d["results"]] == ["boats, 100", "boats, 300"] and -1 < d["results"][1]["figures"]["exponent_of_boats"] < 4'
changed() { python3 -c 'import json, sys
d = json.load(open("scenes.json"))
for r in d["results"]: r["ratio"] *= float(sys.argv[1])
del d["results"][0]
json.dump(d, open("changed.json", "w"))' "$1"; }
changed 1e-4
expect 0 "$nacre" bench scenes --steps 1 --rounds 2 --json --scenes "$root/scenes" --compare changed.json
json out.txt '[r["compared"]["verdict"] for r in d["results"]] == ["new"] + 12 * ["faster"]'
changed 1e4
expect 1 "$nacre" bench scenes --steps 1 --rounds 2 --scenes "$root/scenes" --compare changed.json
says out.txt "1000 boats: SLOWER"
says out.txt "stack of 25 boxes: not measured before"
expect 6 "$nacre" bench scenes --compare nothing.json
printf '{"results": 3}' >changed.json
expect 3 "$nacre" bench scenes --compare changed.json
says err.txt 'changed.json:1:1: there is no list "results"'

expect 0 "$nacre" bench --rounds 1 audit
says out.txt "1000 boats"
says out.txt "its time is scaled up"
expect 2 "$nacre" bench nothing
says err.txt 'there is no measurement "nothing"'
expect 2 "$nacre" bench --rounds 0
expect 0 "$nacre" bench su --figure 4 --figure 5 --steps 12 --json --scenes "$root/scenes/su" --output results
json out.txt 'len(d["results"]) == 5 and all(r["figures"]["intersecting_pairs"] == 0 for r in d["results"])'
json out.txt 'd["results"][0]["figures"]["broke"] == 1 and d["results"][0]["figures"]["bodies_at_the_end"] > 20'
says results/su.md "Cut short: at most 12 steps per run."
grep -q '</svg>' results/su-pieces.svg || fail "su-pieces.svg is not whole"
expect 6 "$nacre" bench su --figure 5 --steps 1 --scenes "$root/scenes/su" --output nowhere
says err.txt "cannot write 'nowhere/su.md'"
expect 0 "$nacre" bench harmon --figure bowline --steps 1 --json --scenes "$root/scenes/harmon" --output results
json out.txt 'd["results"][0]["figures"]["intersections"] == 0 and d["results"][0]["figures"]["frames"] == 1'
says results/harmon-times.md "| Bowline knot | 3995 | 1 |"
expect 0 "$nacre" bench shell --json --output results
json out.txt 'len(d["results"]) == 5 and all(r["figures"]["hits"] == d["results"][0]["figures"]["hits"] > 8 for r in d["results"])'
json out.txt 'all(r["figures"]["box_queries_1e_8"] < 4 * r["figures"]["box_queries_1e_4"] for r in d["results"])' # no root of epsilon
says results/shell.md "| 1e-8 |"
finish
