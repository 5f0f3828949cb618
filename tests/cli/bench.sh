#!/usr/bin/env bash
# nacre bench measures both sides of each comparison and says so in words and in JSON.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

expect 0 "$nacre" bench --rounds 1 --json
cp out.txt bench.json
silent err.txt
json bench.json '[r["name"] for r in d["results"]] == ["obj load", "obj load, bare", "tree build", "tree build, parallel", "mesh create", "audit"]'
json bench.json 'all(r["ours"]["median_seconds"] > 0 and len(r["ours"]["seconds"]) == 1 for r in d["results"])'
json bench.json 'all(r["peer_measured"] == (r["ratio"] is not None) for r in d["results"])'
# A peer that is not there must be said to be not there.
json bench.json 'all(r["peer_measured"] or r["note"].startswith("this build has no ") for r in d["results"])'
json bench.json 'd["cores"] >= 1 and d["processor"] and d["nacre"]'
# The audit beats brute force by orders of magnitude, and takes well under a second (a sanitizer may cost tenfold).
json bench.json '[r for r in d["results"] if r["name"] == "audit"][0]["ratio"] > 100'
json bench.json '[r for r in d["results"] if r["name"] == "audit"][0]["ours"]["median_seconds"] < 5'

expect 0 "$nacre" bench --rounds 1 audit
says out.txt "1000 boats"
says out.txt "its time is scaled up"
expect 2 "$nacre" bench nothing
says err.txt 'there is no measurement "nothing"'
expect 2 "$nacre" bench --rounds 0
finish
