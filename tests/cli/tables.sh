#!/usr/bin/env bash
# Every number that a step reports is in the run file, in the summary as JSON, in exports, among what can be plotted and in
# the documentation; every setting is in the info of a scene. The rows: include/nacre/*.def.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# rows FILE MACRO WHICH: the words that a table has in a place of its rows.
rows() {
    sed -n "s/^$2(//p" "$root/include/nacre/$1.def" | cut -d, -f"$3" | tr -d ' '
}

# same WHAT: the words in wanted.txt are those of found.txt, in the same order.
same() {
    diff wanted.txt found.txt >difference.txt || { fail "$1:"; head -n 5 difference.txt; }
}

# check_run SCENE RUN TABLES: what a run of the scene tells.
check_run() {
    expect 0 "$nacre" run "$1" -o "$2" --steps 2 --json -q
    cp out.txt summary.json
    rows report NC_REPORT 1 >report.txt
    : >cloth.txt
    [ "$3" = report ] || rows cloth_report NC_CLOTH_REPORT 1 >cloth.txt
    cat report.txt cloth.txt >wanted.txt
    python3 -c 'import json, sys; print(*json.load(open("summary.json"))["report"], sep="\n")' >found.txt
    same "the object report of nacre run --json"
    expect 0 "$nacre" export "$2" -o table.csv
    head -n 1 table.csv | tr ',' '\n' | sed 1d | tr -d '\r' >found.txt
    same "columns of a table"
    for table in $3; do
        cp "$table.txt" wanted.txt
        python3 - "$2" "$table" >found.txt <<'PY'
import sqlite3, sys
names = [row[1] for row in sqlite3.connect(sys.argv[1]).execute("pragma table_info(%s)" % sys.argv[2])]
print(*[name for name in names if name not in ("frame", "steps", "sum")], sep="\n")
PY
        same "columns of the table $table in a run file"
    done
}

boxes 4 >boxes.yaml
check_run boxes.yaml boxes.nacre report
cat >sheet.yaml <<'SCENE'
nacre: 1
world: {pipeline: acm, duration: 1}
shapes: {sheet: {generate: sheet}}
bodies: [{shape: sheet, type: cloth}]
SCENE
check_run sheet.yaml sheet.nacre "report cloth"

# Every column can be plotted.
{ rows report NC_REPORT 1; rows cloth_report NC_CLOTH_REPORT 1; } >wanted.txt
expect 0 "$nacre" plot --list
head -n "$(wc -l <wanted.txt)" out.txt | cut -d' ' -f1 >found.txt
same "columns that can be plotted"

# What the viewer plots is in what it is sent.
expect 0 "$nacre" export boxes.nacre -o page.html
python3 - "$root/web/src/plots.ts" page.html report.txt <<'PY' || fail "columns of the viewer"
import json, re, sys
plots, page, rows = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
used = set(re.findall(r'\b(?:at|mean)\("(\w+)", i', plots)) | set(re.findall(r'\bmean\("[^"]*", "(\w+)"', plots))
for three in re.findall(r'length3\(t, i, ([^)]*)\)', plots):
    used |= set(re.findall(r'"(\w+)"', three))
assert len(used) > 15, used
assert used <= set(rows.split()), used - set(rows.split())
sent = json.loads(re.search(r'data-nacre="reports"[^>]*>(.*?)</script>', page, re.S).group(1))
assert set(sent) == set(rows.split()) | {"first", "count"}, set(rows.split()) ^ set(sent)
PY

# all_in PREFIX: the info in out.txt has every name of the standard input.
all_in() {
    json out.txt "[name for name in '$(tr '\n' ' ')'.split() if '$1' + name not in d] == []"
}

# Settings that the pipeline reads.
expect 0 "$nacre" info boxes.yaml --json
all_in "" < <(rows settings NC_SETTING 1,3 | sed -n 's/^WORLD,//p')
expect 0 "$nacre" info boxes.yaml --set world.pipeline=vsp --json
all_in vsp. < <(rows settings NC_SETTING 1,3 | sed -n 's/^VSP,//p')
expect 0 "$nacre" info sheet.yaml --json
all_in "" < <(rows cloth_settings NC_CLOTH_SETTING 3)
finish
