#!/usr/bin/env bash
# nacre bench: one round of each measurement, as text and as JSON. What the ratios are is not for a test to say.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
expect 0 "$nacre" bench --rounds 1 tree
says out.txt "ratio"
expect 0 "$nacre" bench --rounds 1 audit --json
json out.txt 'd["rounds"] == 1 and d["results"][0]["name"] == "audit" and d["results"][0]["ratio"] > 0'
expect 2 "$nacre" bench nonsense
says err.txt "nonsense"
expect 2 "$nacre" bench --rounds 0
finish
