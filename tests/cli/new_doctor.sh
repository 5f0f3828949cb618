#!/usr/bin/env bash
# nacre new writes a scene that runs and meets its own expectations; nacre doctor finds nothing wrong.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

expect 0 "$nacre" new
[ -f scene.yaml ] || fail "no scene.yaml"
expect 0 "$nacre" run scene.yaml --expect --json
json out.txt 'd["status"] == "finished" and d["expect"]["failed"] == 0 and d["bodies"] == 24 and d["contact"]["contacts"] > 1000'
expect 0 "$nacre" check scene.nacre
expect 0 "$nacre" new -
cmp -s out.txt scene.yaml || fail "new - differs from new"
silent err.txt
echo mine >scene.yaml
expect 2 "$nacre" new
expect 2 "$nacre" new scene.yaml
[ "$(cat scene.yaml)" = mine ] || fail "new overwrote a file"
expect 0 "$nacre" new scene.yaml --force
cmp -s out.txt /dev/null || fail "new prints data"
expect 6 "$nacre" new no/such/folder.yaml

mkdir empty
(cd empty && "$nacre" doctor) >out.txt 2>err.txt || fail "doctor: exit code $?"
says out.txt "All tests passed."
[ -z "$(ls -A empty)" ] || fail "doctor leaves files: $(ls -A empty)"
expect 0 "$nacre" doctor --json
json out.txt 'd["failed"] == 0 and {f["about"] for f in d["findings"]} >= {"oracle", "energy", "disk", "determinism"}'
# A folder that cannot be written to is a finding (root writes everywhere, so the folder is taken away instead).
mkdir gone
(cd gone && rmdir ../gone && "$nacre" doctor) >out.txt 2>err.txt
[ $? = 1 ] || fail "doctor does not notice a folder that is gone"
says out.txt "FAILED"
finish
