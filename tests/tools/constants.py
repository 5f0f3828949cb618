#!/usr/bin/env python3
"""Numbers of the core are sorted: docs/constants.md says how.

    constants.py ROOT [COMPILED READERS]

Fails when a constant of src/base/model_constants.h has no unit, source or effect; when one of src/base/effort_constants.h
has no unit, or no other value for its test; when one is not used; when docs/constants.md is stale (NACRE_UPDATE=1 writes its
generated parts); and when a folder of the core defines a number that no list has. With the list of files that CMake
COMPILED with NC_PERTURB_EFFORT, also when one that matches READERS, the expression with which it finds them, is missing there.
"""
import os
import re
import sys

ROOT = os.path.abspath(sys.argv[1])
COMPILED, READERS = (sys.argv[2], sys.argv[3]) if len(sys.argv) > 3 else (None, None)
FOLDERS = ("motion", "broad", "narrow", "world", "contact", "certify", "step")
MODEL, EFFORT, PAGE = "src/base/model_constants.h", "src/base/effort_constants.h", "docs/constants.md"
# What readers of a header that sizes a type by an effort constant are found by, where it is not the header's name.
SIZED = {"src/narrow/narrow.h": "nc_pair_motion"}
faults = []


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def sources(folders):
    for folder in folders:
        for name in sorted(os.listdir(os.path.join(ROOT, "src", folder))):
            if name.endswith((".c", ".h")):
                yield f"src/{folder}/{name}"


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def constants(name):
    """Sections of a header: (title, [(constant, value, the comment above it as one line)])."""
    sections, comment = [], []
    for line in read(name).splitlines():
        define = re.match(r"#define (NC_\w+) (.+)", line)
        if line.startswith("// ---- "):
            sections.append((line[8:].rstrip("- "), []))
            comment = []
        elif line.startswith("//"):
            comment.append(line[2:].strip())
        elif define and sections:
            sections[-1][1].append((define[1], define[2], " ".join(comment)))
            comment = []
        else:
            comment = []
    return sections


def plain(value):
    return value[1:-1] if re.fullmatch(r"\([^()]*\)", value) else value


def row(*cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def model_tables():
    lines = []
    for title, members in constants(MODEL):
        lines += [f"### {title}", "", "| name | value | unit | what | source | effect of a change |",
                  "| --- | --- | --- | --- | --- | --- |"]
        for name, value, comment in members:
            parts = re.fullmatch(r"\[(.+?)\] (.+)\. Source: (.+)\. Effect: (.+)\.", comment)
            if not parts:
                faults.append(f"{MODEL}: {name} needs a comment \"[unit] What. Source: .... Effect: ....\"")
                continue
            lines.append(row(f"`{name}`", f"`{plain(value)}`", parts[1], parts[2], parts[3], parts[4]))
        lines.append("")
    return lines


def effort_tables():
    lines = []
    for title, members in constants(EFFORT):
        lines += [f"### {title}", "", "| name | value | in the test | unit | what |", "| --- | --- | --- | --- | --- |"]
        for name, value, comment in members:
            values = re.fullmatch(r"NC_EFFORT\((.+), (.+)\)", value)
            parts = re.fullmatch(r"\[(.+?)\] (.+)\.", comment)
            if not name.startswith("NC_EFFORT_") or not values or values[1] == values[2] or not parts:
                faults.append(f"{EFFORT}: {name} needs a name NC_EFFORT_..., two values NC_EFFORT(value, perturbed) and a "
                              "comment \"[unit] What.\"")
                continue
            lines.append(row(f"`{name}`", f"`{values[1]}`", f"`{values[2]}`", parts[1], parts[2]))
        lines.append("")
    return lines


def check_page(text, mark, lines):
    """The part of the page between two marks; returns the page with the part as it should be."""
    begin, end = f"<!-- {mark}: made by tests/tools/constants.py -->\n", f"<!-- end of {mark} -->"
    if begin not in text or end not in text:
        faults.append(f"{PAGE}: the marks of {mark} are missing")
        return text
    before, rest = text.split(begin, 1)
    return before + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1]


def check_used():
    folders = sorted(f for f in os.listdir(os.path.join(ROOT, "src")) if os.path.isdir(os.path.join(ROOT, "src", f)))
    code = "\n".join(without_comments(read(name)) for name in sources(folders) if name not in (MODEL, EFFORT))
    known = set(re.findall(r"\bNC_\w+", code))
    for header in (MODEL, EFFORT):
        others = set(re.findall(r"#define NC_\w+ .*?\b(NC_\w+)", read(header)))
        for _, members in constants(header):
            for name, _, _ in members:
                if name not in known and name not in others:
                    faults.append(f"{header}: {name} is not used")


def numbers_beside_code(page):
    """Rows "| `src/...` | `NAME`, `NAME` | why |" of the page."""
    return {(path, name) for path, names in re.findall(r"^\| `(src/[^`]+)` \| ([^|]+) \|", page, flags=re.M)
            for name in re.findall(r"`(\w+)`", names)}


def defined_numbers():
    """Macros that are a number by themselves: with a digit, and without another constant than the unit roundoff."""
    found = set()
    for path in sources(FOLDERS):
        for name, value in re.findall(r"^#define (\w+)[ \t]+(.+)$", read(path), flags=re.M):
            value = without_comments(value)
            others = set(re.findall(r"\b[A-Za-z_]\w*", value)) - {"NC_UNIT_ROUNDOFF", "U"}
            if re.search(r"(?<![\w\"])\d", value) and not others:
                found.add((path, name))
    return found


def check_numbers(page):
    listed, defined = numbers_beside_code(page), defined_numbers()
    for path, name in sorted(defined - listed):
        faults.append(f"{path}: {name} is a number in no list. If it can change a trajectory it belongs in {MODEL}, if it only "
                      f"costs time in {EFFORT}, if a proof or a format says it in the last table of {PAGE}")
    for path, name in sorted(listed - defined):
        faults.append(f"{PAGE}: {path} defines no number {name}")


def check_readers():
    with open(COMPILED, encoding="utf-8") as file:
        perturbed = {os.path.relpath(line, ROOT) for line in file.read().splitlines()}
    folders = [f for f in os.listdir(os.path.join(ROOT, "src")) if os.path.isdir(os.path.join(ROOT, "src", f))]
    for path in sources(sorted(folders)):
        text = read(path)
        if path.endswith(".c") and re.search(READERS, text) and path not in perturbed:
            faults.append(f"{path} reads effort constants, but its test does not compile it: configure again, or see "
                          "cmake/NacreTests.cmake")
        if path.endswith(".h") and path != EFFORT and "NC_EFFORT_" in without_comments(text):
            word = SIZED.get(path, path[len("src/"):])
            if word not in READERS:
                faults.append(f"{path} reads effort constants: cmake/NacreTests.cmake must find what includes it")


def main():
    page = read(PAGE)
    fresh = check_page(check_page(page, "model constants", model_tables()), "effort constants", effort_tables())
    if fresh != page and os.environ.get("NACRE_UPDATE"):
        with open(os.path.join(ROOT, PAGE), "w", encoding="utf-8") as file:
            file.write(fresh)
    elif fresh != page:
        faults.append(f"{PAGE} is stale: NACRE_UPDATE=1 tests/tools/constants.py . writes it")
    check_used()
    check_numbers(fresh)
    if COMPILED:
        check_readers()
    for fault in faults:
        print(fault)
    return 1 if faults else 0


sys.exit(main())
