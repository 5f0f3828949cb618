#!/usr/bin/env bash
# Colours and materials: from a scene and from mesh files into the run, out by glTF and USD, and back in by import.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

cat >paint.mtl <<'MTL'
newmtl Wood.001
Kd 0.5 0.2 0.1
newmtl shiny
Kd 1 0 0
Pm 1
MTL
# One triangle shines, three are of wood: the wood counts.
cat >part.obj <<'OBJ'
mtllib paint.mtl
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
usemtl shiny
f 1 3 2
usemtl Wood.001
f 1 2 4
f 2 3 4
f 1 4 3
OBJ
sed 's/paint.mtl/absent.mtl/' part.obj >bare.obj
cat >looks.yaml <<'SCENE'
nacre: 1
world: {timestep: 1/24, duration: 1/12}
shapes:
  box: {generate: box, size: 1, material: glass}
  part: {file: part.obj}
  bare: {file: bare.obj}
bodies:
  - {name: clear, shape: box}
  - {name: blue, shape: box, position: [3, 0, 0], color: blue}
  - {name: copper, shape: box, position: [6, 0, 0], color: "#d08a64", material: metal}
  - {name: wood, shape: part, position: [9, 0, 0]}
  - {name: painted, shape: part, position: [12, 0, 0], color: [0, 1, 0]}
  - {name: bare, shape: bare, position: [15, 0, 0]}
  - {name: soft, shape: bare, position: [18, 0, 0], material: fabric}
SCENE
expect 0 "$nacre" run looks.yaml -q
python3 - <<'PY' || fail "the run has other looks"
import sqlite3
rows = {name: (color, material) for name, color, material in sqlite3.connect("looks.nacre").execute(
    "select name, color, material from body join appearance on appearance.body = body.id")}
assert rows == {"clear": ("", "glass"), "blue": ("#2f6fc4", "glass"), "copper": ("#d08a64", "metal"), "wood": ("#bc7c59", "wood"),
                "painted": ("#00ff00", "wood"), "soft": ("", "fabric")}, rows
PY

# Out and in again: what had a colour has it still, bit for bit, and so have materials.
expect 0 "$nacre" export looks.nacre -o looks.glb -q
expect 0 "$nacre" import looks.glb -o back.yaml -q --no-animation
expect 0 "$nacre" run back.yaml -q --steps 1
python3 - <<'PY' || fail "glTF changes looks"
import json, sqlite3, struct
rows = {name: (color, material) for name, color, material in sqlite3.connect("back.nacre").execute(
    "select name, color, material from body join appearance on appearance.body = body.id")}
assert rows["clear"] == ("#eaf6f4", "glass") and rows["blue"] == ("#2f6fc4", "glass"), rows
assert rows["copper"] == ("#d08a64", "metal") and rows["wood"] == ("#bc7c59", "wood"), rows
assert rows["painted"] == ("#00ff00", "wood") and rows["soft"][1] == "fabric" and rows["bare"][1] == "", rows
data = open("looks.glb", "rb").read()
scene = json.loads(data[20:20 + struct.unpack("<I", data[12:16])[0]])
names = [m["name"] for m in scene["materials"]]
assert len(set(names)) == len(names) == 7 and "metal #d08a64" in names, names
metal = scene["materials"][names.index("metal #d08a64")]["pbrMetallicRoughness"]
assert metal["metallicFactor"] == 1 and abs(metal["baseColorFactor"][0] - 0.630757) < 1e-5, metal
assert "KHR_materials_transmission" in scene["extensionsUsed"]
PY
expect 0 "$nacre" export looks.nacre -o looks.usda -q
python3 - <<'PY' || fail "USD has other looks"
import re
text = open("looks.usda").read()
for name, look in ("clear", "glass #eaf6f4"), ("copper", "metal #d08a64"), ("painted", "wood #00ff00"), ("soft", "fabric"):
    bound = re.search(r'def Xform "%s".*?material:binding = </World/materials/(look_\d)>' % name, text, re.S).group(1)
    material = re.search(r'def Material "%s"\s*{(.*?)UsdPreviewSurface(.*?)token outputs:surface\n' % bound, text, re.S)
    assert 'nacre:look = "%s"' % look in material.group(1), (name, material.group(1))
    assert ("inputs:metallic = 1" in material.group(2)) == (name == "copper")
assert not re.search(r'def Xform "bare"[^}]*material:binding = ', text)
PY

# The rows that scripts/blender_import.py has are those of the table.
python3 - "$root" <<'PY' || fail "scripts/blender_import.py has other materials than include/nacre/material.def"
import ast, re, sys
script = open(sys.argv[1] + "/scripts/blender_import.py").read()
table = {}
for row in re.findall(r"^NC_MATERIAL\(\w+, (.*)$", open(sys.argv[1] + "/include/nacre/material.def").read(), re.M):
    name, color, roughness, metallic, transmission = [part.strip() for part in row.split(",")[:5]]
    table[name] = (color.strip('"'), float(metallic), float(roughness), float(transmission))
assert len(table) == 7 and ast.literal_eval(re.search(r"^MATERIALS = (\{.*?^\})", script, re.M | re.S).group(1)) == table, table
PY

# A scene without looks exports as before: no extension, one material for each mesh.
sed -i 's/, material: [a-z]*//; s/, color: [^}]*//; /^  part:/d; /shape: part/d' looks.yaml
expect 0 "$nacre" run looks.yaml -q --force
expect 0 "$nacre" export looks.nacre -o plain.glb -q
grep -qa KHR_materials plain.glb && fail "a plain .glb names an extension"
finish
