// Meshes as three.js expects them: triangles with normals that are smooth over bends and sharp over creases; free edges as
// thin prisms and free points as small octahedra, so that every body is triangles.
import { BufferAttribute, BufferGeometry } from "three";

const CREASE = Math.cos((40 * Math.PI) / 180);

interface Soup {
    vertices: Float32Array;
    triangles: Uint32Array;
    edges: Uint32Array;
    points: Uint32Array;
}

function decode(buffer: ArrayBuffer): Soup {
    const [v, t, e, p] = new Uint32Array(buffer, 0, 4);
    const at = 16 + 12 * v;
    return {
        vertices: new Float32Array(buffer, 16, 3 * v),
        triangles: new Uint32Array(buffer, at, 3 * t),
        edges: new Uint32Array(buffer, at + 12 * t, 2 * e),
        points: new Uint32Array(buffer, at + 12 * t + 8 * e, p),
    };
}

// Unit normals of triangles, 0 where there is no area; three per triangle.
function faceNormals(soup: Soup): Float32Array {
    const { vertices: v, triangles: t } = soup;
    const normals = new Float32Array(t.length);
    for (let k = 0; k < t.length; k += 3) {
        const a = 3 * t[k], b = 3 * t[k + 1], c = 3 * t[k + 2];
        const ux = v[b] - v[a], uy = v[b + 1] - v[a + 1], uz = v[b + 2] - v[a + 2];
        const wx = v[c] - v[a], wy = v[c + 1] - v[a + 1], wz = v[c + 2] - v[a + 2];
        const nx = uy * wz - uz * wy, ny = uz * wx - ux * wz, nz = ux * wy - uy * wx;
        const length = Math.hypot(nx, ny, nz) || 1;
        normals[k] = nx / length;
        normals[k + 1] = ny / length;
        normals[k + 2] = nz / length;
    }
    return normals;
}

// For each vertex, the triangles around it: rows start[v] .. start[v + 1] of list.
function trianglesOfVertices(soup: Soup) {
    const start = new Uint32Array(soup.vertices.length / 3 + 1);
    for (const v of soup.triangles) start[v + 1]++;
    for (let i = 1; i < start.length; i++) start[i] += start[i - 1];
    const next = start.slice();
    const list = new Uint32Array(soup.triangles.length);
    for (let k = 0; k < soup.triangles.length; k++) list[next[soup.triangles[k]]++] = Math.floor(k / 3);
    return { start, list };
}

function pushTriangles(soup: Soup, positions: number[], normals: number[], crease = CREASE) {
    const faces = faceNormals(soup);
    const around = trianglesOfVertices(soup);
    for (let k = 0; k < soup.triangles.length; k++) {
        const v = soup.triangles[k], own = 3 * Math.floor(k / 3);
        let nx = 0, ny = 0, nz = 0;
        for (let i = around.start[v]; i < around.start[v + 1]; i++) {
            const f = 3 * around.list[i];
            const dot = faces[f] * faces[own] + faces[f + 1] * faces[own + 1] + faces[f + 2] * faces[own + 2];
            if (dot < crease) continue;
            nx += faces[f];
            ny += faces[f + 1];
            nz += faces[f + 2];
        }
        const length = Math.hypot(nx, ny, nz) || 1;
        positions.push(soup.vertices[3 * v], soup.vertices[3 * v + 1], soup.vertices[3 * v + 2]);
        normals.push(nx / length, ny / length, nz / length);
    }
}

type Point = [number, number, number];
const corner = (soup: Soup, v: number): Point => [soup.vertices[3 * v], soup.vertices[3 * v + 1], soup.vertices[3 * v + 2]];
const plus = (a: Point, s: number, b: Point): Point => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const cross = (a: Point, b: Point): Point => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a: Point): Point => {
    const length = Math.hypot(...a) || 1;
    return [a[0] / length, a[1] / length, a[2] / length];
};

function pushPrism(a: Point, b: Point, radius: number, positions: number[], normals: number[]) {
    const axis = unit(plus(b, -1, a));
    const side = unit(cross(axis, Math.abs(axis[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0]));
    const other = cross(axis, side);
    const around = (k: number): Point =>
        plus(plus([0, 0, 0], Math.cos((k * Math.PI) / 3), side), Math.sin((k * Math.PI) / 3), other);
    for (let k = 0; k < 6; k++) {
        const n0 = around(k), n1 = around(k + 1);
        const corners: [Point, Point][] = [[a, n0], [b, n0], [b, n1], [a, n0], [b, n1], [a, n1]];
        for (const [p, n] of corners) {
            positions.push(...plus(p, radius, n));
            normals.push(...n);
        }
    }
}

function pushOctahedron(p: Point, radius: number, positions: number[], normals: number[]) {
    for (const sx of [1, -1])
        for (const sy of [1, -1])
            for (const sz of [1, -1]) {
                const n = unit([sx, sy, sz]);
                for (const d of [[sx, 0, 0], [0, sy, 0], [0, 0, sz]] as Point[]) {
                    positions.push(...plus(p, radius, d));
                    normals.push(...n);
                }
            }
}

// Puts the vertices of a mesh elsewhere. With `smooth` normals are the means of all triangles around a vertex.
export function deform(geometry: BufferGeometry, vertices: Float32Array, smooth: boolean) {
    const { soup, thin } = geometry.userData as { soup: Soup; thin: number };
    const moved = { ...soup, vertices };
    const positions: number[] = [], normals: number[] = [];
    pushTriangles(moved, positions, normals, smooth ? -2 : CREASE);
    for (const v of soup.points) pushOctahedron(corner(moved, v), 1.6 * thin, positions, normals);
    const position = geometry.getAttribute("position") as BufferAttribute, normal = geometry.getAttribute("normal") as BufferAttribute;
    (position.array as Float32Array).set(positions);
    (normal.array as Float32Array).set(normals);
    position.needsUpdate = normal.needsUpdate = true;
    geometry.computeBoundingBox();
    geometry.computeBoundingSphere();
}

// `thin` [m] is the radius that edges and points are given so that they can be seen.
export function makeGeometry(buffer: ArrayBuffer, thin: number): BufferGeometry {
    const soup = decode(buffer);
    const positions: number[] = [], normals: number[] = [];
    pushTriangles(soup, positions, normals);
    for (let k = 0; k < soup.edges.length; k += 2)
        pushPrism(corner(soup, soup.edges[k]), corner(soup, soup.edges[k + 1]), thin, positions, normals);
    for (const v of soup.points) pushOctahedron(corner(soup, v), 1.6 * thin, positions, normals);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
    geometry.setAttribute("normal", new BufferAttribute(new Float32Array(normals), 3));
    // BatchedMesh and InstancedMesh draw indexed and unindexed geometries alike, but not both in one batch.
    geometry.setIndex(new BufferAttribute(Uint32Array.from({ length: positions.length / 3 }, (_, i) => i), 1));
    geometry.userData = { soup, thin };
    geometry.computeBoundingBox();
    geometry.computeBoundingSphere();
    return geometry;
}

// How large a mesh is, before there is a geometry.
export function meshRadius(buffer: ArrayBuffer): number {
    const { vertices } = decode(buffer);
    let most = 0;
    for (let i = 0; i < vertices.length; i += 3) most = Math.max(most, Math.hypot(vertices[i], vertices[i + 1], vertices[i + 2]));
    return most;
}
