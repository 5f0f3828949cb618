#!/usr/bin/env bash
# scripts/tight: the table of tight contact, with an older program's numbers beside it; what is not as expected; mistakes.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
tight() { "$root/scripts/tight" --nacre "$nacre" --json now.json --before before.json --page page.md "$@"; }

expect 0 "$root/scripts/tight" --nacre "$nacre" --commit older --json before.json --no-page drawer
[ ! -e page.md ] || fail "--no-page wrote a page"
expect 0 tight --commit newer drawer wedge_holds
says out.txt "drawer                   ok    1 "
json now.json 'd["commit"] == "newer" and d["scenes"]["drawer"]["steps"] == 100 and len(d["scenes"]) == 2'
json now.json 'd["scenes"]["wedge_holds"]["energy_gained"] < 1e-3 and d["scenes"]["wedge_holds"]["residual"] is not None'
says page.md "now: commit newer"
says page.md "before: commit older"
says page.md "| drawer | drawer.speed: min: 0.99, max: 1.01 | 1 | ok | 100 | 0 |"
says page.md "| &nbsp;&nbsp;before |  | 1 | ok | 100 |"
says page.md "| wedge_holds | kinetic: max: 3.34e-05 |"

# A scene that takes too long is not as expected, and the others keep their numbers.
expect 0 tight --commit newest --limit 0.001 drawer
json now.json 'd["scenes"]["drawer"]["verdict"] == "FAIL" and d["scenes"]["wedge_holds"]["verdict"] == "ok"'
says page.md "## Not as expected"
says page.md "- drawer: "

expect 2 tight drawr
says err.txt "there is no scene drawr in scenes/tight"
finish
