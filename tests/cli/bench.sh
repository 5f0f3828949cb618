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
json joints.json '[r["name"] for r in d["results"]] == ["joints, chain", "joints, gripper", "joints, 10 ragdolls", "joints, ragdolls"]'
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

expect 0 "$nacre" bench --rounds 1 audit
says out.txt "1000 boats"
says out.txt "its time is scaled up"
expect 2 "$nacre" bench nothing
says err.txt 'there is no measurement "nothing"'
expect 2 "$nacre" bench --rounds 0
finish
