// Every wrong scene is refused with file, line, column, key, what was found and what is allowed: word for word.
#include "check.h"

#include "scene_text.h"

typedef struct wrong_scene {
    const char *text, *override, *sentence;
} wrong_scene;

static const wrong_scene wrong_scenes[] = {
    {"nacre: 2", NULL, "s.yaml:1:8: nacre: found \"2\"; allowed: 1"},
    {"title: no version", NULL, "s.yaml:1:1: the key \"nacre\" is missing; it takes 1"},
    {"nacre: 1\nwrld: {}", NULL,
     "s.yaml:2:1: wrld: there is no such key here; did you mean \"world\"? allowed: nacre, title, include, units, "
     "seed, "
     "world, shapes, groups, bodies, moved, filters, pairs, joints, camera, expect"},
    {"[1, 2]", NULL, "s.yaml:1:1: a scene is a map of keys, such as \"nacre: 1\""},
    {"", NULL, "s.yaml:1:1: there is nothing in this file"},
    {"nacre: 1\nnacre: 1", NULL, "s.yaml:2:1: the key \"nacre\" is there twice, first in line 1"},
    {"nacre: 1\ntitle: &a hello", NULL,
     "s.yaml:2:8: anchors (&a) are not allowed in a scene; use shapes, groups or include"},
    {"nacre: 1\ntitle: *a", NULL, "s.yaml:2:8: aliases (*a) are not allowed in a scene; use shapes, groups or include"},
    {"nacre: 1\ntitle: !!str hello", NULL, "s.yaml:2:8: tags (tag:yaml.org,2002:str) are not allowed in a scene"},
    {"nacre: 1\n---\nnacre: 1", NULL, "s.yaml:2:1: a second document starts here; a scene is one document"},
    {"nacre: 1\n? [a, b]\n: c", NULL, "s.yaml:2:3: a key must be a text, found a list"},
    {"nacre: 1\ntitle: \"a", NULL,
     "s.yaml:2:10: this is not YAML: found unexpected end of stream while scanning a quoted scalar"},
    {"nacre: 1\ntitle:", NULL, "s.yaml:2:7: title: found nothing; allowed: a text"},
    {"nacre: 1\ntitle: \"a\\0b\"", NULL, "s.yaml:2:8: a text must not hold a zero byte"},
    {"nacre: 1\nworld: [1]", NULL, "s.yaml:2:8: world: found a list of 1; allowed: a map"},
    {"nacre: 1\nworld: {timestep: 0}", NULL,
     "s.yaml:2:19: world.timestep: found \"0\"; allowed: a number above 0, at most 10 [s]"},
    {"nacre: 1\nworld: {timestep: 1/0}", NULL,
     "s.yaml:2:19: world.timestep: found \"1/0\"; allowed: a number above 0, at most 10 [s]"},
    {"nacre: 1\nworld: {timestep: 1/24s}", NULL,
     "s.yaml:2:19: world.timestep: found \"1/24s\"; allowed: a number above 0, at most 10 [s]"},
    {"nacre: 1\nworld: {gravity: 9.8}", NULL,
     "s.yaml:2:18: world.gravity: found \"9.8\"; allowed: a list of 3 numbers, each from -1000000 to 1000000 [m/s^2]"},
    {"nacre: 1\nworld: {gravity: [0, -9.8]}", NULL,
     "s.yaml:2:18: world.gravity: found a list of 2; allowed: a list of 3 numbers, each from -1000000 to 1000000 "
     "[m/s^2]"},
    {"nacre: 1\nworld: {gravity: [0, down, 0]}", NULL,
     "s.yaml:2:22: world.gravity.1: found \"down\"; allowed: a number from -1000000 to 1000000 [m/s^2]"},
    {"nacre: 1\nworld: {energy_fix: yes}", NULL,
     "s.yaml:2:21: world.energy_fix: found \"yes\"; allowed: true or false"},
    {"nacre: 1\nworld: {restitution: 1.5}", NULL,
     "s.yaml:2:22: world.restitution: found \"1.5\"; allowed: a number from 0 to 1"},
    {"nacre: 1\nworld: {contact_iterations: 0}", NULL,
     "s.yaml:2:29: world.contact_iterations: found \"0\"; allowed: a whole number from 1 to 1000000"},
    {"nacre: 1\nworld: {collision_iterations: -1}", NULL,
     "s.yaml:2:31: world.collision_iterations: found \"-1\"; allowed: a whole number from 0 to 1000000"},
    {"nacre: 1\nworld: {dynamic_iterations: -1}", NULL,
     "s.yaml:2:29: world.dynamic_iterations: found \"-1\"; allowed: a whole number from 0 to 1000000"},
    {"nacre: 1\nworld: {contact_tolerance: 1}", NULL,
     "s.yaml:2:28: world.contact_tolerance: found \"1\"; allowed: a number above 0, at most 0.9"},
    {"nacre: 1\nworld: {timestep: 1/24, output: {frame_rate: 30}}", NULL,
     "s.yaml:2:46: world.output.frame_rate: 30 frames per second are 0.8 steps of 0.0416666666666667 s per frame; "
     "allowed: "
     "a whole number of steps"},
    {"nacre: 1\nworld: {output: {}}", NULL, "s.yaml:2:17: world.output: allowed: one of every and frame_rate"},
    {"nacre: 1\nworld: {output: {every: 2, frame_rate: 12}}", NULL,
     "s.yaml:2:17: world.output: allowed: one of every and frame_rate"},
    {"nacre: 1\nworld: {output: {every: 1.5}}", NULL,
     "s.yaml:2:25: world.output.every: found \"1.5\"; allowed: a whole number from 1 to 1000000000"},
    {"nacre: 1\nworld: {bounds: {low: [0, 0, 0]}}", NULL,
     "s.yaml:2:17: world.bounds: the key \"high\" is missing; it takes a list of 3 numbers, each from -1e+09 to 1e+09 "
     "[m]"},
    {"nacre: 1\nworld: {bounds: {low: [0, 0, 0], high: [1, 0, 1]}}", NULL,
     "s.yaml:2:17: world.bounds: low is not below high on every axis"},
    {"nacre: 1\nworld: {rest_distance: 0.1, proximity: 0.05}", NULL,
     "s.yaml:2:8: world: found proximity 0.05 m with rest_distance 0.1 m; allowed: above it"},
    {"nacre: 1\nworld: {rest_distance: 0.1, floor_distance: 0.1}", NULL,
     "s.yaml:2:8: world: found floor_distance 0.1 m with rest_distance 0.1 m; allowed: below it"},
    {"nacre: 1\nworld: {timestep: 1e-6, duration: 1e6}", NULL,
     "s.yaml:2:8: world: 1e+06 s in steps of 1e-06 s are more than 2000000000 steps"},
    {"nacre: 1\nseed: -1", NULL, "s.yaml:2:7: seed: found \"-1\"; allowed: a whole number from 0 to 9007199254740992"},
    {"nacre: 1\nshapes: {a: {}}", NULL,
     "s.yaml:2:13: shapes.a: allowed: one of generate (a procedural shape), file (a mesh file) and csg (a solid)"},
    {"nacre: 1\nshapes: {a: {generate: bxo}}", NULL,
     "s.yaml:2:24: shapes.a.generate: there is no shape \"bxo\"; did you mean \"box\"? allowed: animal, band, "
     "boat, bolt, bowl, bowline, box, capsule, cone, cow, cylinder, flat_bar, gear, grains, hook, l_profile, letters, "
     "link, "
     "nails, "
     "nut, peg, plane, plate, rabbit, race, rack, reef_bight, ring, ring_gear, sheet, sphere, spike, spool, sprocket, "
     "stone, "
     "t_handle, t_profile, torus, triangle, tube, u_profile, "
     "wedge"},
    {"nacre: 1\nshapes: {a: {generate: box, file: a.obj}}", NULL,
     "s.yaml:2:13: shapes.a: allowed: one of generate (a procedural shape), file (a mesh file) and csg (a solid)"},
    {"nacre: 1\nshapes: {a: {generate: box, with: 2}}", NULL,
     "s.yaml:2:29: shapes.a.with: there is no such key here; did you mean \"width\"? allowed: size, width, height, "
     "depth, splits, generate, file, csg, cell, unit, scale, thickness, density, area_density, matter, mass, center, "
     "inertia, "
     "color, "
     "material, fracture"},
    {"nacre: 1\nshapes: {a: {csg: {solid: sphere}}}", NULL,
     "s.yaml:2:19: shapes.a.csg: the key \"radius\" is missing; sphere needs it"},
    {"nacre: 1\nshapes: {a: {csg: {solid: sphere, radius: 1, height: 2}}}", NULL,
     "s.yaml:2:54: shapes.a.csg.height: this key is not used by sphere"},
    {"nacre: 1\nshapes: {a: {csg: {solid: ball, radius: 1}}}", NULL,
     "s.yaml:2:27: shapes.a.csg.solid: found \"ball\"; allowed: sphere, box, half_space, cylinder, capsule, cone, "
     "torus, "
     "gyroid"},
    {"nacre: 1\nshapes: {a: {csg: {union: [{solid: half_space}]}}}", NULL,
     "s.yaml:2:27: shapes.a.csg.union: an operation takes two solids or more"},
    {"nacre: 1\nshapes: {a: {csg: {solid: sphere, radius: 1, union: []}}}", NULL,
     "s.yaml:2:19: shapes.a.csg: allowed: one of solid (a primitive), union, intersection and difference"},
    {"nacre: 1\nshapes: {a: {csg: {solid: half_space}}}", NULL,
     "s.yaml:2:19: shapes.a.csg: the solid has no bounds; intersect half-spaces and gyroids with a box, or take them "
     "away"},
    {"nacre: 1\nshapes: {a: {csg: {difference: [{solid: box, size: 1}, {solid: box, size: 1, blend: 1}]}}}", NULL,
     "s.yaml:2:85: shapes.a.csg.difference.1.blend: this key is not used by box"},
    {"nacre: 1\nshapes: {a: {csg: {solid: box, size: 1}, cell: 1.0e-5}}", NULL,
     "s.yaml:2:19: shapes.a.csg: a solid of 1 x 1 x 1 m in cells of 1e-05 m has more than 6.4e+07 samples; make the "
     "cell "
     "larger"},
    {"nacre: 1\nshapes: {a: {generate: box, cell: 1}}", NULL,
     "s.yaml:2:35: shapes.a.cell: only solids (csg) are made of cells"},
    {"nacre: 1\nshapes: {a: {csg: {solid: box, size: 1}, scale: 2}}", NULL,
     "s.yaml:2:49: shapes.a.scale: a solid (csg) has no scale; give its parts other sizes"},
    {"nacre: 1\nshapes: {a: {generate: sphere, splits: 2.5}}", NULL,
     "s.yaml:2:40: shapes.a.splits: found \"2.5\"; allowed: a whole number from 1 to 128"},
    {"nacre: 1\nshapes: {a: {generate: torus, radius: 1, tube: 2}}", NULL,
     "s.yaml:2:13: shapes.a: a torus's tube (2 m) must be smaller than its radius (1 m)"},
    {"nacre: 1\nshapes: {a.b: {generate: box}}", NULL,
     "s.yaml:2:15: shapes.a.b: found \"a.b\"; allowed: a name of at most 64 letters, digits, \"_\" and \"-\""},
    {"nacre: 1\nshapes: {a: {file: no-such-file.obj}}", NULL,
     "s.yaml:2:20: shapes.a.file: \"no-such-file.obj\": cannot be opened: No such file or directory"},
    {"nacre: 1\nshapes: {a: {generate: box, mass: 1, density: 2}}", NULL,
     "s.yaml:2:13: shapes.a: found mass and a density; allowed: one of them"},
    {"nacre: 1\nshapes: {a: {generate: box, scale: 0}}", NULL,
     "s.yaml:2:36: shapes.a.scale: found \"0\"; allowed: a number, or a list of 3 numbers, each above 0, at most "
     "1e+09"},
    {"nacre: 1\nshapes: {a: {generate: box, matter: gas}}", NULL,
     "s.yaml:2:37: shapes.a.matter: found \"gas\"; allowed: auto, solid, shell, wire, dust"},
    {"nacre: 1\nshapes: {a: {generate: box, center: [0, 0, 0]}}\nbodies:", NULL,
     "s.yaml:3:8: bodies: found nothing; allowed: a list of maps"},
    {"nacre: 1\nbodies: [{}]", NULL,
     "s.yaml:2:10: bodies.0: the key \"shape\" is missing; it takes a name of shapes (a group has \"bodies\" or "
     "\"group\" instead)"},
    {"nacre: 1\nbodies: [box]", NULL, "s.yaml:2:10: bodies.0: found \"box\"; allowed: a map"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crat}", NULL,
     "s.yaml:4:13: bodies.0.shape: there is no shape \"crat\" under shapes; did you mean \"crate\"?"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, posiiton: [1, 2, 3]}", NULL,
     "s.yaml:4:20: bodies.0.posiiton: there is no such key here; did you mean \"position\"? allowed: name, position, "
     "rotation, shape, type, cloth, contact, velocity, spin, friction, restitution, force, torque, max_force, "
     "max_torque, thickness, density, "
     "area_density, matter, mass, center, inertia, color, material, fracture, keyframes, pins, forces, grid, pile, "
     "wall, tower, "
     "pyramid, chain, "
     "ring, sphere, along, pour, scatter, emit"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, name: a}\n  - {shape: crate, name: a, "
     "position: [5, 0, 0]}",
     NULL, "s.yaml:5:5: bodies.1: the name \"a\" is taken by the body in s.yaml line 4"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, type: static, velocity: [1, 0, 0]}", NULL,
     "s.yaml:4:44: bodies.0.velocity: a static body does not move; allowed for kinematic and dynamic bodies"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, type: kinematic, force: [1, 0, 0]}", NULL,
     "s.yaml:4:44: bodies.0.force: only dynamic bodies are moved by it"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, keyframes: [{time: 0}]}", NULL,
     "s.yaml:4:31: bodies.0.keyframes: only kinematic bodies follow keyframes; say type: kinematic"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, type: kinematic, keyframes: []}", NULL,
     "s.yaml:4:48: bodies.0.keyframes: found an empty list; allowed: at least one keyframe"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, type: kinematic, keyframes: [{time: 1}, "
     "{time: 1}]}",
     NULL, "s.yaml:4:60: bodies.0.keyframes.1: found time 1 after 1; allowed: times that ascend"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, type: kinematic, position: [1, 0, 0], "
     "keyframes: [{time: 0}]}",
     NULL, "s.yaml:4:47: bodies.0.position: a body with keyframes takes this from them; allowed: one or the other"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, type: kinematic, keyframes: [{time: 0}], "
     "tower: {count: 2}}",
     NULL, "s.yaml:4:48: bodies.0.keyframes: copies of a generator cannot share keyframes; use a group"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, type: floating}", NULL,
     "s.yaml:4:26: bodies.0.type: found \"floating\"; allowed: static, kinematic, dynamic, cloth"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, rotation: {axis: [0, 1, 0]}}", NULL,
     "s.yaml:4:30: bodies.0.rotation: allowed: axis and angle, or euler, or quaternion, and only one of them"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, rotation: {axis: [0, 0, 0], angle: 1}}",
     NULL, "s.yaml:4:37: bodies.0.rotation.axis: found a vector of length 0; allowed: any other"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, rotation: {quaternion: [0, 0, 0, 0]}}",
     NULL,
     "s.yaml:4:43: bodies.0.rotation.quaternion: found a list of 4; allowed: a list of 4 numbers w, x, y, z, not all "
     "0"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, rotation: 90}", NULL,
     "s.yaml:4:30: bodies.0.rotation: found \"90\"; allowed: a map with axis and angle, or euler, or quaternion"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, inertia: [1, 1, 1]}", NULL,
     "s.yaml:4:5: bodies.0: found inertia without mass; allowed: both"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, mass: 1, inertia: [1, 1, 5]}", NULL,
     "s.yaml:4:5: bodies.0: no body has the principal moments 1, 1, 5: the largest must not be above the sum of the "
     "others"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, grid: {count: [2, 2]}}", NULL,
     "s.yaml:4:34: bodies.0.grid.count: found a list of 2; allowed: a list of 3 whole numbers, each from 1 to 1000000"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, grid: {count: [2, 2, 0]}}", NULL,
     "s.yaml:4:41: bodies.0.grid.count.2: found \"0\"; allowed: a whole number from 1 to 1000000"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, grid: {spacing: 2}}", NULL,
     "s.yaml:4:26: bodies.0.grid: the key \"count\" is missing; it takes a list of 3 whole numbers, each from 1 to "
     "1000000"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, grid: {count: [1000, 1000, 2]}}", NULL,
     "s.yaml:4:26: bodies.0.grid: 2000000 copies; allowed: at most 1000000 bodies"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, grid: {count: [1, 1, 1]}, tower: {count: "
     "2}}",
     NULL, "s.yaml:4:5: bodies.0: found grid and tower; allowed: one generator"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, chain: {count: 3, direction: [0, 0, 0]}}",
     NULL, "s.yaml:4:49: bodies.0.chain.direction: found a vector of length 0; allowed: any other"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, type: static, ring: {count: 3, burst: "
     "1}}",
     NULL, "s.yaml:4:5: bodies.0: burst and spin_jitter move bodies, and static bodies do not move"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, along: {spacing: 1}}", NULL,
     "s.yaml:4:27: bodies.0.along: allowed: one of points and spiral"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, along: {points: [[0, 0, 0]], spacing: "
     "1}}",
     NULL, "s.yaml:4:36: bodies.0.along.points: found 1 point; allowed: 2 to 10000"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, along: {points: [[0, 0, 0], [1, 0]], "
     "spacing: 1}}",
     NULL,
     "s.yaml:4:48: bodies.0.along.points.1: found a list of 2; allowed: a list of 3 numbers, each from -1e+09 to 1e+09 "
     "[m]"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, along: {points: [[0, 0, 0], [0, 0, 0]], "
     "spacing: 1}}",
     NULL, "s.yaml:4:48: bodies.0.along.points.1: found the point before once more; allowed: points that differ"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, along: {points: [[0, 0, 0], [5, 0, 0]]}}",
     NULL, "s.yaml:4:27: bodies.0.along: allowed: spacing, count or both"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, along: {points: [[0, 0, 0], [5, 0, 0]], "
     "spacing: 2, count: 4}}",
     NULL,
     "s.yaml:4:79: bodies.0.along.count: found 4 copies, but 5 m of curve with a spacing of 2 m have room for 3; make "
     "the "
     "curve longer, or the spacing or the count smaller"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {shape: crate, along: {points: [[0, 0, 0], [0, 5, 0]], "
     "count: 2}}",
     NULL,
     "s.yaml:4:27: bodies.0.along: 0 m from its beginning the curve runs along up; give another up, or face: false"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {group: stack}", NULL,
     "s.yaml:4:13: bodies.0.group: there is no group \"stack\" under groups"},
    {"nacre: 1\ngroups: {stack: {}}", NULL,
     "s.yaml:2:17: groups.stack: the key \"bodies\" is missing; it takes a list of maps"},
    {"nacre: 1\ngroups: {stack: {bodies: []}}\nbodies: [{group: stack}]", NULL,
     "s.yaml:2:26: groups.stack.bodies: found an empty list; allowed: at least one body"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\ngroups: {stack: {bodies: [{group: stack}]}}", NULL,
     "s.yaml:3:27: groups.stack.bodies.0: groups are nested deeper than 16 (does one contain itself?)"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\ngroups: {stack: {bodies: [{shape: crat}]}}", NULL,
     "s.yaml:3:35: groups.stack.bodies.0.shape: there is no shape \"crat\" under shapes; did you mean \"crate\"?"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {bodies: [{shape: crate}], defaults: {position: [0, 0, "
     "0]}}",
     NULL,
     "s.yaml:4:43: bodies.0.defaults.position: there is no such key here; allowed: shape, type, cloth, contact, "
     "velocity, spin, "
     "friction, restitution, force, torque, max_force, max_torque, thickness, density, area_density, matter, mass, "
     "center, inertia, color, "
     "material, fracture"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies:\n  - {bodies: [{shape: crate}], ring: {count: 3, "
     "spin_jitter: 1}}",
     NULL, "s.yaml:4:5: bodies.0: spin_jitter is for copies of a body, not of a group"},
    {"nacre: 1\nshapes: {crate: {generate: box}}\nbodies: [{shape: crate}]\nfilters: [[crate, creat]]", NULL,
     "s.yaml:4:19: filters.0.1: no body has a name like \"creat\"; did you mean \"crate\"?"},
    {"nacre: 1\nfilters: [[a, b, c]]", NULL,
     "s.yaml:2:11: filters.0: found a list of 3; allowed: a pair of body names"},
    {"nacre: 1\nfilters: [a]", NULL, "s.yaml:2:11: filters.0: found \"a\"; allowed: a list"},
    {"nacre: 1\nshapes: {p: {generate: box}}\nbodies: [{shape: p, fracture: {}}]", NULL,
     "s.yaml:3:31: bodies.0.fracture: the key \"threshold\" is missing; it takes a number from 0 to 1e+15 [N s]"},
    {"nacre: 1\nshapes: {p: {generate: box}}\nbodies: [{shape: p, fracture: {threshold: -1}}]", NULL,
     "s.yaml:3:43: bodies.0.fracture.threshold: found \"-1\"; allowed: a number from 0 to 1e+15 [N s]"},
    {"nacre: 1\nshapes: {p: {generate: box}}\nbodies: [{shape: p, fracture: {threshold: 1, pattern: glas}}]", NULL,
     "s.yaml:3:55: bodies.0.fracture.pattern: there is no pattern \"glas\"; did you mean \"glass\"? allowed: bricks, "
     "glass, graded, shards, splinters, voronoi"},
    {"nacre: 1\nshapes: {p: {generate: box}}\nbodies: [{shape: p, fracture: {threshold: 1, rays: 5}}]", NULL,
     "s.yaml:3:46: bodies.0.fracture.rays: there is no such key here; did you mean \"way\"? allowed: count, grading, "
     "threshold, pattern, file, seed, center, normal, way, cells, gap, crumb, aligned, generations"},
    {"nacre: 1\nshapes: {p: {generate: box}}\nbodies: [{shape: p, fracture: {threshold: 1, pattern: glass, rays: 5, "
     "file: a.obj}}]",
     NULL,
     "s.yaml:3:62: bodies.0.fracture.rays: there is no such key here; did you mean \"way\"? allowed: threshold, "
     "pattern, file, seed, center, normal, way, cells, gap, crumb, aligned, generations"},
    {"nacre: 1\nshapes: {p: {generate: box}}\nbodies: [{shape: p, fracture: {threshold: 1, seed: 1, file: a.obj}}]",
     NULL, "s.yaml:3:52: bodies.0.fracture.seed: a file has no random numbers; allowed with pattern"},
    {"nacre: 1\nshapes: {p: {generate: box}}\nbodies: [{shape: p, fracture: {threshold: 1, center: [0, 0, 0]}}]", NULL,
     "s.yaml:3:54: bodies.0.fracture.center: a built-in pattern has the impact at its origin, along z; allowed with "
     "file"},
    {"nacre: 1\nshapes: {p: {generate: box}}\nbodies: [{shape: p, fracture: {threshold: 1, way: cutting}}]", NULL,
     "s.yaml:3:51: bodies.0.fracture.way: found \"cutting\"; allowed: auto, cut, level"},
    {"nacre: 1\nshapes: {p: {generate: box}}\nbodies: [{shape: p, fracture: {threshold: 1, cells: 1}}]", NULL,
     "s.yaml:3:53: bodies.0.fracture.cells: found \"1\"; allowed: a whole number from 2 to 1000"},
    {"nacre: 1\nshapes: {p: {generate: box}}\nbodies: [{shape: p, type: kinematic, fracture: {threshold: 1}}]", NULL,
     "s.yaml:3:48: bodies.0.fracture: a kinematic body does not break; allowed for static and dynamic"},
    {"nacre: 1\nexpect: {escapd: 0}", NULL,
     "s.yaml:2:10: expect.escapd: there is no such key here; did you mean \"escaped\"? allowed: ..."},
    {"nacre: 1\nworld: {pipeline: acm, acm: {gravity_level: 3}}", NULL,
     "s.yaml:2:45: world.acm.gravity_level: found \"3\"; allowed: a whole number from 4 to 20"},
    {"nacre: 1\nexpect: {escaped: {min: 2, max: 1}}", NULL,
     "s.yaml:2:19: expect.escaped: found min 2 above max 1; allowed: min at most max"},
    {"nacre: 1\nexpect: {escaped: none}", NULL,
     "s.yaml:2:19: expect.escaped: found \"none\"; allowed: a number, or a map with min, max or both"},
    {"nacre: 1\nexpect: {bodies: {a: {}}}", NULL,
     "s.yaml:2:22: expect.bodies.a: found an empty map; allowed: at least one thing to expect of this body"},
    {"nacre: 1\nexpect: {bodies: {a: {position: {near: [0, 0, 0]}}}}", NULL,
     "s.yaml:2:33: expect.bodies.a.position: the key \"within\" is missing; it takes a number from 0 to 1e+09 [m]"},
    {"nacre: 1\ninclude: 7.yaml", NULL, "s.yaml:2:10: include: cannot read \"7.yaml\": No such file or directory"},
    {"nacre: 1\ninclude: {a: b}", NULL, "s.yaml:2:10: include: found a map of 1; allowed: a text or a list of texts"},
    {"nacre: 1", "world.timestep=abc",
     "override \"world.timestep=abc\":1:16: world.timestep: found \"abc\"; allowed: a number above 0, at most 10 [s]"},
    {"nacre: 1", "world.timestp=1",
     "override \"world.timestp=1\":1:7: world.timestp: there is no such key here; did you mean \"timestep\"? allowed: "
     "..."},
    {"nacre: 1", "world", "override \"world\":1:1: allowed: path.to.key=value, such as world.timestep=1/60"},
    {"nacre: 1", "=1", "override \"=1\":1:1: allowed: path.to.key=value, such as world.timestep=1/60"},
    {"nacre: 1", "world..a=1",
     "override \"world..a=1\":1:7: allowed: keys of 1 to 127 letters with dots between them, then =value"},
    {"nacre: 1", "nacre.a=1",
     "override \"nacre.a=1\":1:7: \"a\" cannot be entered: what is before it is \"1\", not a map or a list"},
    {"nacre: 1\nbodies: [{shape: b}]", "bodies.1.shape=a",
     "override \"bodies.1.shape=a\":1:8: \"1\" is no entry of this list; allowed: 0 to 0, or the name of an entry"},
    {"nacre: 1",
     "world.gravity=", "override \"world.gravity=\":1:7: \"gravity\" is not there, so it cannot be taken out"},
    {"nacre: 1", "include=a.yaml",
     "override \"include=a.yaml\":1:1: include cannot be overridden: files are read before overrides are applied"},
    {"nacre: 1", "world.gravity=[1, 2",
     "override \"world.gravity=[1, 2\":2:1: this is not YAML: did not find expected ',' or ']' while parsing a flow "
     "sequence"},
    {"nacre: 1", "world={gravity: [0, 0, 0], frction: 1}",
     "override \"world={gravity: [0, 0, 0], frction: 1}\":1:28: world.frction: there is no such key here; did you mean "
     "\"friction\"? allowed: ..."},
};

static void wrong_scenes_are_refused_word_for_word(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong_scenes / sizeof wrong_scenes[0]; i++)
        check_refused_with(wrong_scenes[i].text, wrong_scenes[i].override, wrong_scenes[i].sentence, __FILE__,
                           __LINE__);
}

static void wrong_scenes_are_refused_without_an_error_to_fill(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong_scenes / sizeof wrong_scenes[0]; i++) {
        const wrong_scene *wrong = &wrong_scenes[i];
        const nc_scene_def def = {.path = "s.yaml",
                                  .text = wrong->text,
                                  .text_size = strlen(wrong->text),
                                  .overrides = &wrong->override,
                                  .override_count = wrong->override != NULL};
        nc_scene *scene = NULL;
        assert_int_equal(nc_scene_load(&def, &scene, NULL), NC_BAD_SCENE);
        assert_null(scene);
    }
}

static void depth_64_is_read_and_depth_65_is_refused(void **state)
{
    (void)state;
    for (int depth = 64; depth <= 65; depth++) {
        char text[256] = "nacre: 1\ntitle: ";
        const size_t start = strlen(text);
        memset(text + start, '[', (size_t)depth - 1);
        memset(text + start + depth - 1, ']', (size_t)depth - 1);
        nc_scene *scene = NULL;
        nc_error err;
        assert_int_equal(scene_try(text, NULL, 0, &scene, &err), NC_BAD_SCENE);
        assert_string_equal(err.text, depth == 64 ? "title: found a list of 1; allowed: a text"
                                                  : "maps and lists are nested deeper than 64");
    }
}

static void bytes_that_are_not_utf_8_are_refused_with_their_place(void **state)
{
    (void)state;
    check_refused("nacre: 1\ntitle: \xff", "s.yaml:2:8: this is not YAML: invalid leading UTF-8 octet");
}

static void a_file_that_is_not_there_is_not_found(void **state)
{
    (void)state;
    const nc_scene_def def = {.path = "no/such/scene.yaml"};
    nc_scene *scene = NULL;
    nc_error err = {0};
    assert_int_equal(nc_scene_load(&def, &scene, &err), NC_NOT_FOUND);
    assert_string_equal(err.text, "cannot read \"no/such/scene.yaml\": No such file or directory");
    const nc_scene_def folder = {.path = "/"};
    assert_int_equal(nc_scene_load(&folder, &scene, &err), NC_IO);
    const nc_scene_def nothing = {0};
    assert_int_equal(nc_scene_load(&nothing, &scene, &err), NC_BAD_ARGUMENT);
}

static void a_text_of_more_than_16_mebibytes_is_refused(void **state)
{
    (void)state;
    const size_t size = (size_t)16 * 1024 * 1024 + 1;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, ' ', size);
    const nc_scene_def def = {.path = "s.yaml", .text = text, .text_size = size};
    nc_scene *scene = NULL;
    nc_error err = {0};
    assert_int_equal(nc_scene_load(&def, &scene, &err), NC_BAD_SCENE);
    assert_string_equal(err.text, "16777217 bytes; a scene file has at most 16777216");
    free(text);
}

// Numbers must be read whole: what strtod would stop at is refused.
static void only_numbers_are_numbers(void **state)
{
    (void)state;
    static const char *const wrong[] = {"nan", "inf", "0x10",  "1e",  "1.2.3", "--1",
                                        "1/",  "/2",  "1/2/3", "1 2", "1_000", "."};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[128];
        nc_scene *scene = NULL;
        nc_error err;
        snprintf(text, sizeof text, "nacre: 1\nworld: {duration: \"%s\"}", wrong[i]);
        assert_int_equal(scene_try(text, NULL, 0, &scene, &err), NC_BAD_SCENE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_scenes_are_refused_word_for_word),
        cmocka_unit_test(wrong_scenes_are_refused_without_an_error_to_fill),
        cmocka_unit_test(depth_64_is_read_and_depth_65_is_refused),
        cmocka_unit_test(bytes_that_are_not_utf_8_are_refused_with_their_place),
        cmocka_unit_test(a_file_that_is_not_there_is_not_found),
        cmocka_unit_test(a_text_of_more_than_16_mebibytes_is_refused),
        cmocka_unit_test(only_numbers_are_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
