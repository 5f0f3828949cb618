#!/usr/bin/env python3
"""Packs the built package into a wheel: make_wheel.py BUILD_FOLDER OUTPUT_FOLDER. The same input gives the same bytes.
Needs no other packages: a wheel is a zip file with three texts."""
import base64
import hashlib
import pathlib
import platform
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]

METADATA = """Metadata-Version: 2.1
Name: nacre
Version: {version}
Summary: Rigid bodies, thin shells and cloth in which no two surfaces ever cross
License: MIT
Requires-Python: >=3.11
Requires-Dist: numpy
Provides-Extra: all
Requires-Dist: pandas; extra == "all"
Requires-Dist: matplotlib; extra == "all"
Description-Content-Type: text/markdown

Nacre for Python: worlds, scenes, run files, queries. The file docs/python.md of the repository explains it.
"""

WHEEL = """Wheel-Version: 1.0
Generator: nacre make_wheel
Root-Is-Purelib: false
Tag: {tag}
"""


def main() -> None:
    build, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    header = (ROOT / "include/nacre/base.h").read_text()
    version = ".".join(re.search(rf"NC_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR", "PATCH"))
    tag = f"cp311-abi3-linux_{platform.machine()}"
    info = f"nacre-{version}.dist-info"
    wanted = [path for path in sorted((build / "nacre").iterdir()) if path.suffix in (".py", ".pyi", ".so", ".typed") or path.name == "py.typed"]
    files = {f"nacre/{path.name}": path.read_bytes() for path in wanted}
    files[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = out / f"nacre-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, data)
    print(path)


main()
