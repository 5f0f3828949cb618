#!/usr/bin/env bash
# nacre bench english, erleben, su, harmon and shell write the tables and charts of the papers.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

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
