#!/usr/bin/env bash
# nacre plot: SVG with the numbers of the reports in it, for one run and for two.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
boxes 3 >boxes.yaml
expect 0 "$nacre" run boxes.yaml -q
crossing >meet.yaml
expect 0 "$nacre" run meet.yaml -q --every 2

expect 0 "$nacre" plot meet.nacre
says err.txt "meet.svg: 9 panels"
silent out.txt
expect 0 "$nacre" plot meet.nacre -o - -q
cmp -s out.txt meet.svg || fail "SVG on the standard output differs"
silent err.txt
# The lines go through the stored numbers: read back by the ticks of the axes.
cat >read.py <<'PY'
import re, sqlite3, sys
import xml.etree.ElementTree as xml
NS = "{http://www.w3.org/2000/svg}"
UP = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def number(text):
    text = text.replace("−", "-")
    m = re.fullmatch(r"(?:(\d)·)?10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", text)
    return float(m[1] or 1) * 10.0 ** int(m[2].translate(UP)) if m else float(text)


def panel(path, name):
    """Every line of a panel as (x, y) of its points, in the units of the axes."""
    group = next(g for g in xml.parse(path).getroot().iter(NS + "g") if g.get("id") == name)
    title = "".join(group.find(NS + "text").itertext())
    power = re.search(r"\[10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", title)
    scale = 10.0 ** int(power[1].translate(UP)) if power else 1
    ticks = [(float(t.get("x")), float(t.get("y")), t) for t in group.iter(NS + "text") if t.get("class", "").startswith("n ")]
    xs = [(x, number(t.text)) for x, y, t in ticks if t.get("class") == "n mid"]
    ys = [(y - 3.5, t.text) for x, y, t in ticks if t.get("class") == "n end"]
    log = any("10" == t[:2] and t[2:3] in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻" for _, t in ys if len(t) > 2)
    import math
    f = (lambda v: math.log10(v)) if log else (lambda v: v)
    g = (lambda v: 10**v) if log else (lambda v: v)
    (x0, u0), (x1, u1) = xs[0], xs[-1]
    (y0, v0), (y1, v1) = [(y, f(number(t))) for y, t in (ys[0], ys[-1])]
    lines = []
    for p in group.iter(NS + "path"):
        if not (p.get("class") or "").startswith("line"):
            continue
        points = [tuple(map(float, m)) for m in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", p.get("d"))]
        lines.append([(u0 + (x - x0) / (x1 - x0) * (u1 - u0), scale * g(v0 + (y - y0) / (y1 - y0) * (v1 - v0))) for x, y in points])
    return lines


def near(a, b, room):
    return abs(a - b) <= room


def stored(run, columns):
    return sqlite3.connect(run).execute(f"select {columns} from report order by frame").fetchall()
PY
python3 - <<'PY' || fail "meet.svg is not as the run says"
exec(open("read.py").read())
rows = stored("meet.nacre", "time, kinetic, potential, kinetic + potential")
lines = panel("meet.svg", "energy")
assert len(lines) == 3 and all(len(line) == len(rows) for line in lines), [len(line) for line in lines]
size = max(abs(v) for row in rows for v in row[1:])
for k, line in enumerate(lines):
    for (x, y), row in zip(line, rows):
        assert near(x, row[0], 2e-3) and near(y, row[k + 1], 5e-3 * size), (k, x, y, row)
# Sums are shown as means a step, from the first step on.
rows = stored("meet.nacre", "time, steps, collisions")[1:]
line = panel("meet.svg", "contacts")[1]
assert len(line) == len(rows)
for (x, y), (time, steps, collisions) in zip(line, rows):
    assert steps == 2 or time > 0.99
    assert near(y, collisions / steps, 0.02), (time, y, collisions, steps)
assert any(c for _, _, c in rows)
# Distances on a logarithmic scale.
rows = [r for r in stored("meet.nacre", "time, smallest_distance") if r[1] is not None]
line = panel("meet.svg", "distance")[0]
assert len(line) == len(rows) > 2
for (x, y), (time, distance) in zip(line, rows):
    assert near(x, time, 2e-3) and near(y / distance, 1, 0.1), (x, y, distance)
PY

# Two runs: the second one dashed, both on the same axes.
expect 0 "$nacre" plot meet.nacre boxes.nacre -o two.svg --panels momentum,energy --title 'A & <B>'
says err.txt "2 panels"
says two.svg 'A &amp; &lt;B&gt;'
says two.svg boxes.nacre
python3 - <<'PY' || fail "two.svg is not as the runs say"
exec(open("read.py").read())
lines = panel("two.svg", "energy")
assert len(lines) == 6
other = stored("boxes.nacre", "time, kinetic")
size = max(k for _, k in other)
for (x, y), (time, kinetic) in zip(lines[0], other):
    assert near(x, time, 2e-3) and near(y, kinetic, 0.02 * size), (x, y, time, kinetic)
assert len([p for p in xml.parse("two.svg").getroot().iter(NS + "path") if "other" in (p.get("class") or "").split()]) == 1 + 7
PY

# Chosen columns share a panel when they share a unit; they show what is stored.
expect 0 "$nacre" plot meet.nacre --columns kinetic,contacts,turn_loss,seconds_total,energy,sweeps -o chosen.svg
says err.txt "3 panels"
python3 - <<'PY' || fail "chosen.svg is not as the run says"
exec(open("read.py").read())
assert len(panel("chosen.svg", "kinetic")) == 3 and len(panel("chosen.svg", "contacts")) == 2
rows = stored("meet.nacre", "sweeps")[1:]
line = panel("chosen.svg", "contacts")[1]
assert all(near(y, sweeps, 0.02 * max(rows)[0]) for (x, y), (sweeps,) in zip(line, rows)), line
PY
expect 0 "$nacre" plot meet.nacre --columns kinetic --log -o log.svg --frames 1:
says log.svg "10³"
expect 0 "$nacre" plot --list
says out.txt "smallest_distance    m"
# Many frames are drawn by the extremes of those that share a pixel.
boxes 1 100 >long.yaml
expect 0 "$nacre" run long.yaml -q
expect 0 "$nacre" plot long.nacre --columns potential
python3 - <<'PY' || fail "long.svg is not as the run says"
exec(open("read.py").read())
rows = stored("long.nacre", "potential")
line = panel("long.svg", "potential")[0]
assert len(rows) == 2401 and 200 < len(line) < 1500, len(line)
low, high = min(rows)[0], max(rows)[0]
assert near(min(y for _, y in line), low, 0.005 * (high - low)) and near(max(y for _, y in line), high, 0.005 * (high - low))
PY

# One body: its accelerations are those of the run file.
body=$(python3 -c 'import sqlite3; print(sqlite3.connect("boxes.nacre").execute("select name from body limit 1").fetchone()[0])')
expect 0 "$nacre" plot boxes.nacre --body "$body" -o body.svg
for panel in position speed acceleration spin spin_rate; do
    says body.svg "<g id=\"$panel\">"
done
expect 0 "$nacre" plot boxes.nacre --body "$body" --columns ay,alpha_x -o columns.svg
says columns.svg "m/s²"
expect 0 "$nacre" plot boxes.nacre --body "$body" --panels acceleration,energy --frames 3:9 -o some.svg
expect 2 "$nacre" plot boxes.nacre --body nobody
says err.txt 'has no body "nobody"'
expect 2 "$nacre" plot boxes.nacre --columns ay
says err.txt "'ay' is of one body: name it with --body"
expect 2 "$nacre" plot boxes.nacre --panels acceleration
says err.txt "name it with --body"

# What is asked for must be there.
expect 2 "$nacre" plot
says err.txt "plot needs a run"
expect 2 "$nacre" plot boxes.yaml
says err.txt "not a run file"
expect 2 "$nacre" plot boxes.nacre --columns kinetik
says err.txt "no column 'kinetik'. Did you mean 'kinetic'?"
expect 2 "$nacre" plot boxes.nacre --panels enrgy
says err.txt "Did you mean 'energy'?"
expect 2 "$nacre" plot boxes.nacre --panels energy,energy
expect 2 "$nacre" plot boxes.nacre --columns kinetic,kinetic
expect 2 "$nacre" plot boxes.nacre --panels energy --columns kinetic
expect 2 "$nacre" plot boxes.nacre --frames 90:
says err.txt "frames 0 to 24"
expect 2 "$nacre" plot boxes.nacre boxes.nacre boxes.nacre
expect 6 "$nacre" plot absent.nacre
expect 6 "$nacre" plot boxes.nacre -o no/such/plot.svg
head -c 3000 boxes.nacre >cut.nacre
expect 3 "$nacre" plot cut.nacre
# Titles and names of any bytes make XML that can be read.
sed 's|Tumbling boxes|"</title>\&<![CDATA[ \\x01 \\u20ac"|' boxes.yaml >evil.yaml
expect 0 "$nacre" run evil.yaml -q -n 2 -o evil.nacre
expect 0 "$nacre" plot evil.nacre
python3 -c 'import xml.etree.ElementTree as x; t = x.parse("evil.svg").getroot()[0].text; assert "</title>&<![CDATA[" in t and "€" in t, t' || fail "evil.svg"
[ -z "$(ls -a | grep -E 'part|tmp')" ] || fail "temporary files are left: $(ls -a)"
finish
