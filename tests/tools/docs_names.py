#!/usr/bin/env python3
"""Every name and path that the documentation mentions exists: functions and types (`nc_...`), constants (`NC_...`), paths
into the repository, links and their anchors.

    docs_names.py ROOT
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(sys.argv[1])
FOLDERS = ("bench", "cli", "cmake", "docs", "examples", "fuzz", "include", "python", "scenes", "scripts", "src", "tests", "web")
# Made by a command, not kept in the repository.
MADE = ("build/", "out/")


def tracked():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.split("\n") if name and os.path.exists(os.path.join(ROOT, name))]
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in ("build", "out", "node_modules", ".git")]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names]
    return found


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def without_code_blocks(text):
    return re.sub(r"^```.*?^```", lambda m: "\n" * m.group().count("\n"), text, flags=re.S | re.M)


def anchors(text):
    """As GitHub makes them of headings, and those that are written out."""
    found = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    seen = {}
    for heading in re.findall(r"^#{1,6} +(.*)$", without_code_blocks(text), flags=re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower().replace("`", "")).strip().replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(slug if count == 0 else f"{slug}-{count}")
    return found


def main():
    names = tracked()
    exists = set(names)
    for name in names:
        while "/" in name:
            name = name.rpartition("/")[0]
            exists.add(name)
    code = "\n".join(read(n) for n in names if re.search(r"\.(c|h|cpp|hpp|def|ts|py)$", n) and not n.startswith("docs/"))
    known = set(re.findall(r"\bnc_\w+|\bNC_\w+", code))
    pages = [n for n in names if n.endswith(".md") and (n.startswith("docs/") or "/" not in n) and n != "CHANGELOG.md"]
    troubles = []
    anchor_cache = {}
    for page in pages:
        whole = read(page)
        for number, line in enumerate(whole.split("\n"), 1):
            troubles += [(page, number, problem) for problem in line_problems(line, exists, known)]
        for number, line in enumerate(without_code_blocks(whole).split("\n"), 1):
            troubles += [(page, number, problem) for problem in link_problems(page, line, exists, anchor_cache)]
    for page, number, problem in troubles:
        print(f"{page}:{number}: {problem}")
    print(f"{len(pages)} pages, {len(troubles)} names or links that lead nowhere")
    return 1 if troubles else 0


def line_problems(line, exists, known):
    for name in re.findall(r"\b(nc_[a-z0-9_]+|NC_[A-Z0-9_]+)\b(?!\*)", line):
        if name not in known and not name.endswith("_") and not any(k.startswith(name + "_") for k in known):
            yield f"{name} is in no source file"
    for path in re.findall(r"`((?:%s)/[\w./*{},<>-]*)`" % "|".join(FOLDERS), line):
        if any(c in path for c in "*{}<>") or path.startswith(MADE):
            continue
        if path.rstrip("/") not in exists and path.split(":")[0] not in exists:
            yield f"{path} is not in the repository"


def link_problems(page, line, exists, anchor_cache):
    for target in re.findall(r"\]\(([^)\s]+)\)", line):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if file.rstrip("/") not in exists and file != ".":
            yield f"the link {target} leads nowhere"
        elif anchor and file.endswith(".md"):
            if file not in anchor_cache:
                anchor_cache[file] = anchors(read(file))
            if anchor not in anchor_cache[file]:
                yield f"the link {target} has an anchor that {file} has not"


def sees_what_it_looks_for():
    """A tree with one defect of each kind, and this program on it."""
    page = "# A\n`nc_gone` `src/gone.c` [x](gone.md) [y](#gone)\n`nc_here` `src/here.c` [z](#a)\n"
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "src"))
        for name, text in (("README.md", page), ("src/here.c", "void nc_here(void);\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        run = subprocess.run([sys.executable, __file__, folder, "--only"], capture_output=True, text=True)
    if run.returncode == 1 and "1 pages, 4 names" in run.stdout:
        return True
    print("FAIL: of 4 defects in a tree that has them it saw:\n" + run.stdout + run.stderr)
    return False


if __name__ == "__main__":
    sys.exit(main() if "--only" in sys.argv or sees_what_it_looks_for() else 1)
