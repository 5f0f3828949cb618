#!/usr/bin/env bash
# The wheel: the same bytes twice, installs into a fresh virtual environment without network, and works there.
set -u
. "$(dirname "$0")/common.bash"
need_module numpy
need_module ensurepip
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/a" "$scratch/b"
wheel=$("$python" "$root/python/make_wheel.py" "$NACRE_BUILD/python" "$scratch/a") || exit 1
"$python" "$root/python/make_wheel.py" "$NACRE_BUILD/python" "$scratch/b" >/dev/null || exit 1
cmp "$wheel" "$scratch/b/$(basename "$wheel")" || { echo "FAIL: two wheels of one build differ"; exit 1; }
unset PYTHONPATH
"$python" -m venv --system-site-packages "$scratch/venv" || exit 1 # NumPy is Debian's
"$scratch/venv/bin/pip" install --quiet --no-index --disable-pip-version-check "$wheel" || { echo "FAIL: pip"; exit 1; }
cd "$scratch" || exit 1
"$scratch/venv/bin/python" - <<'P' || exit 1
import nacre, pathlib
assert "venv" in nacre.__file__, nacre.__file__
assert (pathlib.Path(nacre.__file__).parent / "py.typed").exists()
world = nacre.World()
ball = world.add(nacre.Mesh.shape("sphere"), (0, 3, 0))
world.step(10)
assert ball.velocity[1] < -1
print("wheel: nacre", nacre.__version__, "installed and stepped")
P
# The interface is the limited one: no symbol of a single version of Python.
if command -v nm >/dev/null; then
    private=$(nm -D --undefined-only "$NACRE_BUILD/python/nacre/_core.abi3.so" | grep -E ' _Py' | grep -vE '_Py_(NoneStruct|TrueStruct|FalseStruct|Dealloc|NotImplementedStruct|EllipsisObject)|_PyObject_New|_PyArg_ParseTuple_SizeT|_PyObject_CallFunction_SizeT|_Py_BuildValue_SizeT')
    [ -z "$private" ] || { echo "FAIL: outside of the limited API: $private"; exit 1; }
    visible=$(nm -D --defined-only "$NACRE_BUILD/python/nacre/_core.abi3.so" | awk '$2 == "T" && $3 != "PyInit__core"')
    [ -z "$visible" ] || { echo "FAIL: the extension shows symbols of its own: $visible" | head -n 5; exit 1; }
fi
