"""The examples of docs/python.md run, in order, in one namespace."""
from __future__ import annotations

import pathlib
import re
from typing import Any

import pytest


def test_the_examples_of_the_documentation_run(root: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (root / "docs/python.md").read_text()
    blocks = list(re.finditer(r"```python\n(.*?)```", text, re.S))
    assert len(blocks) >= 7
    names: dict[str, Any] = {}
    for block in blocks:
        line = text[: block.start()].count("\n") + 1
        exec(compile("\n" * line + block.group(1), "docs/python.md", "exec"), names)
    assert (tmp_path / "boxes.yaml").exists() and names["done"].status == "finished"
