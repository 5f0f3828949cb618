#!/usr/bin/env bash
# scripts/figures: runs a scene of the table, resumes what was stopped, keeps results of the same commit, and finds a page that
# quotes what the data does not have, and scenes that no row has.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
figures() { "$root/scripts/figures" --nacre "$nacre" --commit "$commit" --json f.json --page f.md --papers papers --out runs "$@"; }
commit=first
mkdir papers

expect 0 figures english/fig06_ricochet
says out.txt "english/fig06_ricochet"
json f.json 'd["scenes"]["english/fig06_ricochet"]["verdict"] == "ok" and d["scenes"]["english/fig06_ricochet"]["frames"] == 2'
says f.md "1 of "
says f.md "not yet measured"
says f.md "| first |"
expect 0 figures --check
# Each paper has a page of its figures, with the sentence about the paper's beside our picture.
says papers/english-figures.md "The first of two collisions counts"
says papers/english-figures.md "](../gallery/fig06_ricochet.png)"
printf 'x' >> papers/su-figures.md
expect 1 figures --check
says err.txt "su-figures.md is not what"
expect 0 figures --page-only
expect 0 figures --check

# Results of the same commit are kept.
expect 0 figures english/fig06_ricochet
[ ! -s out.txt ] || fail "a scene was run again"

# A run that the same commit began is resumed, one of another commit is not. (This one is limited to 2 steps, so it cannot be as
# expected.)
mkdir -p runs
expect 0 "$nacre" run "$root/scenes/english/fig15_dt_6.yaml" -o runs/english_fig15_dt_6.nacre --steps 2 --quiet
printf 'first' > runs/english_fig15_dt_6.nacre.commit
expect 1 figures --keep english/fig15_dt_6
says runs/english_fig15_dt_6.log "resuming at step 2"
json f.json 'd["scenes"]["english/fig15_dt_6"]["verdict"] == "FAIL" and d["scenes"]["english/fig15_dt_6"]["frames"] == 3'
says f.md "**not as expected**"
commit=second
expect 0 figures english/fig15_dt_6
json f.json 'd["scenes"]["english/fig15_dt_6"]["frames"] == 13 and d["scenes"]["english/fig06_ricochet"]["commit"] == "first"'
[ ! -e runs/english_fig15_dt_6.nacre ] || fail "the run was kept"

# A number that is not in the data; a table without a scene; a scene that is not there.
sed 's/frames free of intersections/1 &/' f.md > g.md
expect 1 "$root/scripts/figures" --check --json f.json --page g.md
says err.txt "is not what figures.csv, figures.json and the gallery make"
grep -v fig06_ricochet "$root/docs/results/figures.csv" > t.csv
expect 1 "$root/scripts/figures" --check --table t.csv --json f.json --page f.md
says err.txt "english/fig06_ricochet is in no row"
expect 1 figures english/fig99
says err.txt "english/fig99"
finish
