#!/usr/bin/env bash
# nacre bench scenes and scale, and what a measurement says beside an earlier one.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# Scenes and sizes, cut short; then beside what was measured before: as it was, and as if it had been much slower or faster.
expect 0 "$nacre" bench scenes --steps 1 --rounds 2 --json --scenes "$root/scenes"
cp out.txt scenes.json
json scenes.json 'len(d["results"]) == 13 and all(r["figures"]["milliseconds_per_step"] > 0 and r["peer_measured"] for r in d["results"])'
json scenes.json 'all(r["figures"]["megabytes"] > 0.1 and "compared" not in r for r in d["results"])'
expect 0 "$nacre" bench scale --boats 300 --steps 1 --json
json out.txt '[r["name"] for r in d["results"]] == ["boats, 100", "boats, 300"] and -1 < d["results"][1]["figures"]["exponent_of_boats"] < 4'
# What was measured before, made much faster and slower in turns, and without its first scene.
python3 -c 'import json
d = json.load(open("scenes.json"))
for i, r in enumerate(d["results"]): r["ratio"] *= (1e-4, 1e4)[i % 2]
del d["results"][0]
json.dump(d, open("changed.json", "w"))'
expect 1 "$nacre" bench scenes --steps 1 --rounds 2 --json --scenes "$root/scenes" --compare changed.json
json out.txt '[r["compared"]["verdict"] for r in d["results"]] == ["new"] + 6 * ["slower", "faster"]'
# The same in words; a sanitizer has seen all of it but these.
if [ -z "${NACRE_SANITIZED:-}" ]; then
    expect 1 "$nacre" bench scenes --steps 1 --rounds 2 --scenes "$root/scenes" --compare changed.json
    says out.txt "1000 boats: SLOWER"
    says out.txt "100 boats: faster"
    says out.txt "stack of 25 boxes: not measured before"
fi
expect 6 "$nacre" bench scenes --compare nothing.json
printf '{"results": 3}' >changed.json
expect 3 "$nacre" bench scenes --compare changed.json
says err.txt 'changed.json:1:1: there is no list "results"'
finish
