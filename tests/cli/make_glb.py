# For the scripts of this folder: writes .glb files by hand, right ones and wrong ones.
import json
import struct

FLOAT, USHORT, UINT, BYTE = 5126, 5123, 5125, 5120
FORMATS = {FLOAT: "f", USHORT: "H", UINT: "I", BYTE: "b"}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}


class Glb:
    """A glTF file in the making; `root` is its JSON, to be changed at will."""

    def __init__(self, generator="by hand"):
        self.binary = b""
        self.root = {"asset": {"version": "2.0", "generator": generator}, "scene": 0, "scenes": [{"nodes": []}],
                     "nodes": [], "meshes": [], "accessors": [], "bufferViews": [], "buffers": []}

    def numbers(self, rows, component=FLOAT, **more):
        """An accessor over rows of numbers (or plain numbers)."""
        rows = [row if isinstance(row, (list, tuple)) else (row,) for row in rows]
        data = b"".join(struct.pack(f"<{len(row)}{FORMATS[component]}", *row) for row in rows)
        self.root["bufferViews"].append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)})
        self.binary += data + b"\0" * (-len(data) % 4)
        self.root["accessors"].append({"bufferView": len(self.root["bufferViews"]) - 1, "componentType": component,
                                       "count": len(rows), "type": TYPES[len(rows[0])], **more})
        return len(self.root["accessors"]) - 1

    def mesh(self, name, vertices, corners, **more):
        primitive = {"attributes": {"POSITION": self.numbers(vertices)}, "indices": self.numbers(corners, USHORT)}
        self.root["meshes"].append({"name": name, "primitives": [{**primitive, **more.pop("primitive", {})}], **more})
        return len(self.root["meshes"]) - 1

    def box(self, name="box", half=0.5, **more):
        """Corners three times over, as exporters write them: one for each face that meets there."""
        signs = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        vertices = [tuple(half * s for s in v) for v in signs] * 3
        faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
        corners = []
        for k, f in enumerate(faces):
            a, b, c, d = (v + 8 * (k // 2) for v in f)
            corners += [a, b, c, a, c, d]
        return self.mesh(name, vertices, corners, **more)

    def node(self, name, mesh=None, parent=None, **more):
        row = len(self.root["nodes"])
        self.root["nodes"].append({"name": name, **({} if mesh is None else {"mesh": mesh}), **more})
        siblings = self.root["scenes"][0]["nodes"] if parent is None else self.root["nodes"][parent].setdefault("children", [])
        siblings.append(row)
        return row

    def animate(self, name, *channels):
        """Channels are (node, path, times, values[, interpolation])."""
        samplers, targets = [], []
        for node, path, times, values, *curve in channels:
            samplers.append({"input": self.numbers(times), "output": self.numbers(values), **({"interpolation": curve[0]} if curve else {})})
            targets.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
        self.root.setdefault("animations", []).append({"name": name, "samplers": samplers, "channels": targets})

    def write(self, path):
        self.root["buffers"] = [{"byteLength": len(self.binary)}] if self.binary else []
        root = {key: value for key, value in self.root.items() if value != []}
        text = json.dumps(root).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
        if self.binary:
            chunks += struct.pack("<II", len(self.binary), 0x004E4942) + self.binary
        with open(path, "wb") as out:
            out.write(b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks)
