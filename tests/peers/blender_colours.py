# The colours and materials of run.nacre are those that page.html gives its bodies and that a picture has: blender_colours.py FOLDER
import json
import os
import re
import sqlite3
import sys

from exr import exr
from picture import png16

folder = sys.argv[1]
db = sqlite3.connect(os.path.join(folder, "run.nacre"))
looks = {body: (color, material) for body, color, material in db.execute("select body, color, material from appearance")}
assert len(looks) == 20 and len({color for color, _ in looks.values()}) >= 5, looks


def light(byte):
    c = byte / 255
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


# The viewer's data: exported pages hold what the server says.
page = open(os.path.join(folder, "page.html")).read()
bodies = [body for part in re.findall(r'data-nacre="bodies"[^>]*>(.*?)</script>', page, re.S) for body in json.loads(part)]
assert len(bodies) == 20, len(bodies)
for body, shown in enumerate(bodies):
    assert (shown.get("color", ""), shown.get("material", "")) == looks[body], (shown, looks[body])

# The picture: each body that is seen has its colour.
seen = set()
if os.path.exists(os.path.join(folder, "a.png")):
    ids, albedo = png16(os.path.join(folder, "a.id.png")), exr(os.path.join(folder, "a.albedo.exr"))
    for y in range(ids.height):
        for x in range(ids.width):
            body = ids.at(x, y) - 1
            if body < 0:
                continue
            wanted = [light(int(looks[body][0][i : i + 2], 16)) for i in (1, 3, 5)]
            assert all(abs(a - b) < 1e-4 for a, b in zip(albedo.at(x, y), wanted)), (body, albedo.at(x, y), wanted)
            seen.add(body)
    assert len(seen) >= 10, f"only {len(seen)} bodies are in the picture"
print(f"colours of 20 bodies in the viewer's data, of {len(seen)} in a picture")
