#!/usr/bin/env bash
# The notebook of examples/python is executed from its first cell to its last; its run shows the viewer.
set -u
. "$(dirname "$0")/common.bash"
need_module numpy
need_module matplotlib
need_module nbclient
need_module ipykernel
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export HOME=$scratch PYDEVD_DISABLE_FILE_VALIDATION=1 MPLBACKEND=module://matplotlib_inline.backend_inline
"$python" - "$root/examples/python/tour.ipynb" <<'P'
import sys

import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
assert all(not cell.get("outputs") for cell in notebook.cells), "the notebook is stored without outputs"
nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
html = [output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})]
pictures = [output for output in outputs if "image/png" in output.get("data", {})]
text = "".join(output.get("text", "") for output in outputs)
assert "the floor carries" in text and pictures, text
assert html and html[-1].startswith("<iframe src=\"data:text/html;base64,") and len(html[-1]) > 100_000, "the run does not show the viewer"
print(f"notebook: {len(notebook.cells)} cells, a picture, and the viewer in {len(html[-1]) / 1e6:.1f} MB")
P
