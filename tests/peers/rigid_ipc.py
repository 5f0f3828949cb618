#!/usr/bin/python3
"""Runs the scenes of rigid-ipc in Nacre on one thread and compares what happens with a table of expectations.

usage: rigid_ipc.py [--quick] [--only TEXT] [--jobs N] [--results PAGE] [--update-known] [--keep FOLDER]

NACRE                the program
NACRE_RIGID_IPC      the folder with fixtures/, meshes/ and TIMINGS.md
NACRE_RIGID_IPC_TOOL the converter rigid_ipc_to_nacre.py (needs numpy)

rigid_ipc_expect.csv per fixture what must come out: measure (an expression of rigid_ipc_run.Measures), range, reason
rigid_ipc_steps.csv  how many steps are run (of those the fixture has), and which fixtures --quick runs
rigid_ipc_known.csv  what is outside of its range today, by how much and why

Exit code 1 when something is outside of its range that was not known, or is twice as far outside as known. What is known
and has become better is printed. Exit code 77 (skipped) when the data is absent.
"""
import argparse
import concurrent.futures
import csv
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

WORSE = 2.0         # a known deviation may grow by this factor before it counts as worse;
WORSE_NOISE = 10.0  # of figures that are the largest of some error over a whole run, by this one
RATIO = 20.0        # [1] rigid-ipc's time per step over Nacre's, at least
ROOM = 1 << 31       # [bytes] that the largest run may take
UNCONVERGED = 1e-3  # of all steps, at most
FALSE_SPEED = 1e-3  # [g dt] bodies at rest or held: stored velocity less displacement per step
FALSE_LEAST = 1e-6  # [m/s] and what is nothing in any case
LIE = 1.0           # [g dt] bodies that move smoothly: no more than gravity adds in a step
ENERGY = 1e-9       # of all energy that was turned over


def absent(what):
    print(f"DATA ABSENT: peer_rigid_ipc: {what}")
    sys.exit(77)


def table(name):
    path = os.path.join(HERE, name)
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def timings(root):
    """rigid-ipc's own mean time per step [ms] and over how many steps, by fixture."""
    found = {}
    with open(os.path.join(root, "TIMINGS.md"), encoding="utf-8") as file:
        for line in file:
            cells = [c.strip() for c in line.split("|")[1:-1]]
            if len(cells) == 9 and re.fullmatch(r"\d+/\d+", cells[4]):
                name = cells[0].replace("slopeTest mu=", "slopeTest_highSchoolPhysics_mu=")
                found[name] = (float(cells[5]), int(cells[4].split("/")[0]))
    return found


class Scene:
    """One fixture: converted, run, measured."""

    def __init__(self, fixture, options):
        self.fixture, self.o = fixture, options
        self.checks = []  # name, value, low, high, reason
        self.facts = {}

    def convert(self, folder):
        source = os.path.join(self.o.root, "fixtures", "3D", self.fixture + ".json")
        self.facts.update(self.o.converter.convert(source, os.path.join(self.o.root, "meshes"), folder, every=1))

    def command(self, folder, out, *more):
        return [self.o.nacre, "run", os.path.join(folder, "scene.yaml"), "-o", os.path.join(folder, out), "-f", "-t", "1",
                "--json", *more]

    def simulate(self, folder, steps):
        more = ["-n", str(steps)] if steps else []
        done = subprocess.run(self.command(folder, "run.nacre", *more), capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"exit code {done.returncode}: {done.stderr[-300:]}")
        found = re.search(r"rest ([-+.\de]+) m", done.stderr)
        self.facts["rest"] = float(found.group(1)) if found else 0.0
        return os.path.join(folder, "run.nacre")

    def cpu_seconds(self, folder, steps):
        """CPU time of a run that stores its last frame only, the least of three short ones."""
        times, began = [], time.monotonic()
        while len(times) < 3 and (not times or time.monotonic() - began < 2):
            with subprocess.Popen(self.command(folder, "time.nacre", "-q", "-n", str(steps), "--every", str(steps)),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
                _, status, used = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            times.append(used.ru_utime + used.ru_stime)
        return min(times)

    def compare_speed(self, folder):
        """CPU time per step, as TIMINGS.md has it: of the steps alone, over the steps that rigid-ipc was timed for."""
        mean, over = self.o.timings.get(self.fixture, (None, 0))
        steps = min(over, self.facts["ran"])
        if mean is None or steps < 2 or self.o.quick:
            return
        mine = 1000 * (self.cpu_seconds(folder, steps) - self.cpu_seconds(folder, 1)) / (steps - 1)
        self.facts.update(theirs=mean, mine=mine, ratio=mean / max(mine, 1e-6))

    def crossings(self, out):
        done = subprocess.run([self.o.nacre, "check", out, "-t", "1", "--json", "-q"], capture_output=True, text=True,
                              check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError("nacre check: " + done.stderr[-300:])
        return done.returncode

    def measure(self, out):
        from rigid_ipc_run import Measures, Run
        import numpy as np
        run = Run(out, self.facts["gravity"])
        f = self.facts
        gdt = (float(np.linalg.norm(run.gravity)) or 9.8) * run.h
        f["ran"] = run.steps
        f["ms"] = 1000 * run.sum("seconds_total") / max(run.steps, 1)
        f["contacts"] = float((run.report["contacts"] + run.report["collisions"]).max())
        for name in ("sticks", "halts", "stalls", "jams", "undecided", "too_far", "clamps"):
            f[name] = int(run.sum(name))
        f["residual"] = run.most("residual")
        self.check("crossings", self.crossings(out), 0, 0, "no two surfaces cross in any stored frame (nacre check)")
        self.check("energy_rise", run.energy_rise(), 0, ENERGY, "energy less work never rises, as a part of what was turned over")
        self.check("false_speed", run.false_speed() / gdt, 0, max(FALSE_SPEED, FALSE_LEAST / gdt),
                   "stored velocity of bodies at rest or held less their displacement per step [g dt]")
        self.check("lie", run.lie() / gdt, 0, LIE, "the same of bodies that move smoothly [g dt]")
        self.check("unconverged", float((run.report["unconverged"] > 0).sum()) / max(run.steps, 1), 0, UNCONVERGED,
                   "part of the steps with an unconverged solve")
        self.check("leap", run.leap(f["rest"]), 0, 1, "displacement per step over 3 (v dt + g dt^2) + 3 rest distances")
        names = Measures(run).names()
        names.update({"__builtins__": {"min": min, "max": max, "range": range, "abs": np.abs}})
        for row in self.o.expect.get(self.fixture, []):
            value, low, high = (float(eval(row[k], names)) for k in ("measure", "low", "high"))
            self.check(row["measure"], value, low, high, row["reason"])

    def check(self, name, value, low, high, reason):
        self.checks.append((name, float(value), float(low), float(high), reason))

    def run(self):
        # Every frame waits for the disk, so the runs are in memory where there is room.
        room = os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > ROOM
        memory = "/dev/shm" if room else None
        folder = tempfile.mkdtemp(prefix="rigid-ipc-", dir=memory)
        try:
            self.convert(folder)
            self.facts["steps_all"] = self.facts["steps"]
            out = self.simulate(folder, self.o.steps.get(self.fixture, {}).get("steps"))
            self.measure(out)
            self.compare_speed(folder)
            if self.o.keep:
                shutil.copy(out, os.path.join(self.o.keep, self.fixture.replace("/", "_") + ".nacre"))
        except (RuntimeError, OSError, ArithmeticError, LookupError, ValueError, SystemExit) as error:
            self.check("runs", 1, 0, 0, str(error).replace("\n", " "))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return self


def outside(value, low, high):
    """How far a value is outside of its range; not a number is infinitely far."""
    if not value == value:
        return float("inf")
    return max(low - value, value - high, 0.0)


def verdict(scene, check, known):
    name, value, low, high, _ = check
    far = outside(value, low, high)
    mark = known.get((scene.fixture, name))
    if far == 0:
        return "better" if mark else "pass"
    if mark is None:
        return "FAIL"
    before = outside(float(mark["value"]), low, high)
    factor = WORSE_NOISE if name in ("energy_rise", "false_speed", "lie") else WORSE
    if far > factor * before:
        return "FAIL"
    return "better" if far < before / factor else "known"


GENERIC = ("crossings", "energy_rise", "false_speed", "lie", "unconverged", "leap", "runs")


def judge(scenes, known):
    """Prints what differs from what is known; returns how many checks failed."""
    failed = 0
    for s in scenes:
        for check in s.checks:
            v = verdict(s, check, known)
            name, value, low, high, reason = check
            mark = known.get((s.fixture, name))
            if v == "FAIL":
                failed += 1
                was = f", known {float(mark['value']):.4g}" if mark else ""
                print(f"FAIL: {s.fixture}: {name} = {value:.6g}, not in [{low:.6g}, {high:.6g}]{was} ({reason})")
            elif v == "better":
                print(f"BETTER: {s.fixture}: {name} = {value:.6g} (known {float(mark['value']):.4g}; range [{low:.6g}, {high:.6g}])")
    return failed


def update_known(scenes, known):
    ran = {s.fixture for s in scenes}
    rows = [dict(r) for k, r in known.items() if k[0] not in ran]
    for s in scenes:
        for name, value, low, high, _ in s.checks:
            if outside(value, low, high) > 0:
                old = known.get((s.fixture, name), {})
                rows.append({"fixture": s.fixture, "measure": name, "value": f"{value:.6g}", "cause": old.get("cause", "")})
    rows.sort(key=lambda r: (r["fixture"], r["measure"]))
    with open(os.path.join(HERE, "rigid_ipc_known.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["fixture", "measure", "value", "cause"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def machine():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def commit():
    done = subprocess.run(["git", "-C", HERE, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def short(x):
    return f"{x:.4g}" if abs(x) < 1e5 and (abs(x) >= 1e-3 or x == 0) else f"{x:.1e}"


def page(path, scenes, known, seconds):
    """The results page: speed and the generic figures by scene, then every expectation."""
    right = sum(all(outside(*c[1:4]) == 0 for c in s.checks if c[0] not in GENERIC) for s in scenes)
    clean = sum(all(outside(*c[1:4]) == 0 for c in s.checks) for s in scenes)
    timed = [s for s in scenes if "ratio" in s.facts and s.facts["contacts"] > 1]
    ratios = sorted(s.facts["ratio"] for s in timed)
    lines = ["# The scenes of rigid-ipc", "",
             "Made by `NACRE_RIGID_IPC=FOLDER NACRE_RIGID_IPC_TOOL=CONVERTER tests/peers/rigid_ipc.py --results docs/results/rigid-ipc.md`.",
             "What is expected of each scene, and why, is in `tests/peers/rigid_ipc_expect.csv`; what deviates today, and why, in "
             "`tests/peers/rigid_ipc_known.csv`.", "",
             f"Commit {commit()}, {machine()}, one thread, default settings, {seconds:.0f} s in all.", "",
             f"- {len(scenes)} scenes; the outcome is as expected in {right}; in {clean} energy, velocities and solves are within their limits, too.",
             f"- Crossings: {sum(c[1] != 0 for s in scenes for c in s.checks if c[0] == 'crossings')}.",
             f"- Unconverged solves in at most 0.1% of the steps: {sum(c[1] <= c[3] for s in scenes for c in s.checks if c[0] == 'unconverged')} scenes."]
    if ratios:
        lines.append(f"- Speed: {sum(r >= RATIO for r in ratios)} of {len(ratios)} scenes with more than one contact are at least "
                     f"{RATIO:.0f} times as fast as rigid-ipc (median {ratios[len(ratios) // 2]:.0f}, least {ratios[0]:.1f}).")
    lines += ["", "`energy`: the largest rise of energy less work, as a part of what was turned over (limit 1e-9). `still`: stored velocity of",
              "bodies at rest or held less their displacement per step, in g dt (limit 1e-3). `moving`: the same of bodies that move",
              "smoothly (limit 1). `unconverged`: part of the steps (limit 0.1%). `held`: sticks/halts/stalls/jams of certify.",
              "`ms`: wall time per step. `ratio`: rigid-ipc's CPU time per step over Nacre's (in brackets, in ms), over the same first steps,",
              "where rigid-ipc's is known (limit 20 where there is more than one contact).", "",
              "| scene | bodies | steps | ms | ratio | energy | still | moving | unconverged | residual m/s | held | outcome |",
              "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for s in scenes:
        f, g = s.facts, {c[0]: c[1] for c in s.checks}
        if "ms" not in f:
            lines.append(f"| {s.fixture} | {f.get('bodies', '')} | | | | | | | | | | {s.checks[-1][4][:80]} |")
            continue
        wrong = [c for c in s.checks if c[0] not in GENERIC and outside(*c[1:4]) > 0]
        total = sum(c[0] not in GENERIC for c in s.checks)
        lines.append(f"| {s.fixture} | {f['bodies']} | {f['ran']}/{f['steps_all']} | {f['ms']:.3f} | "
                     + (f"{f['ratio']:.1f} ({f['theirs']:.3g} / {f['mine']:.3g})" if "ratio" in f else "") +
                     f" | {g['energy_rise']:.1e} | {g['false_speed']:.1e} | {g['lie']:.1e} | {100 * g['unconverged']:.1f}% | {f['residual']:.1e} | "
                     f"{f['sticks']}/{f['halts']}/{f['stalls']}/{f['jams']} | "
                     + ("as expected" if not wrong else f"{len(wrong)} of {total} not as expected") + " |")
    lines += ["", "## Expectations", "", "| scene | measure | range | measured | verdict | reason, or what deviates and why |",
              "| --- | --- | --- | --- | --- | --- |"]
    for s in scenes:
        for c in s.checks:
            if c[0] in GENERIC and c[0] != "runs":
                continue
            bad = outside(*c[1:4]) > 0
            cause = known.get((s.fixture, c[0]), {}).get("cause", "") if bad else ""
            lines.append(f"| {s.fixture} | `{c[0]}` | {short(c[2])} to {short(c[3])} | {short(c[1])} | "
                         f"{'deviates' if bad else 'as expected'} | {c[4]}{'. **' + cause + '**' if cause else ''} |")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results")
    parser.add_argument("--update-known", action="store_true")
    parser.add_argument("--keep")
    o = parser.parse_args()
    o.root, o.tool = os.environ.get("NACRE_RIGID_IPC", ""), os.environ.get("NACRE_RIGID_IPC_TOOL", "")
    o.nacre = os.environ.get("NACRE", "nacre")
    if not os.path.isdir(os.path.join(o.root, "fixtures", "3D")):
        absent("NACRE_RIGID_IPC names no folder of rigid-ipc's scenes")
    if not os.path.isfile(o.tool):
        absent("NACRE_RIGID_IPC_TOOL names no converter")
    try:
        import numpy  # noqa: F401
    except ImportError:
        absent("python3-numpy is not installed")
    spec = importlib.util.spec_from_file_location("converter", o.tool)
    o.converter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(o.converter)
    o.expect = {}
    for row in table("rigid_ipc_expect.csv"):
        o.expect.setdefault(row["fixture"], []).append(row)
    o.steps = {r["fixture"]: {"steps": int(r["steps"] or 0), "quick": r["quick"] == "yes"} for r in table("rigid_ipc_steps.csv")}
    o.timings = timings(o.root)
    return o


def main():
    o = options()
    began = time.monotonic()
    known = {(r["fixture"], r["measure"]): r for r in table("rigid_ipc_known.csv")}
    folder = os.path.join(o.root, "fixtures", "3D")
    there = sorted(os.path.relpath(os.path.join(d, f), folder)[:-5] for d, _, files in os.walk(folder) for f in files if f.endswith(".json"))
    chosen = [f for f in there if o.only in f and (not o.quick or o.steps.get(f, {}).get("quick"))]
    if not chosen:
        print("FAIL: no scene was chosen")
        return 1
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        scenes = list(pool.map(lambda f: Scene(f, o).run(), chosen))
    if o.update_known:
        update_known(scenes, known)
        known = {(r["fixture"], r["measure"]): r for r in table("rigid_ipc_known.csv")}
    failed = judge(scenes, known)
    if o.results:
        page(o.results, scenes, known, time.monotonic() - began)
    checks = sum(len(s.checks) for s in scenes)
    marks = sum(outside(*c[1:4]) > 0 for s in scenes for c in s.checks) - failed
    print(f"{len(scenes)} scenes, {checks} checks: {failed} failed, {marks} known deviations, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
