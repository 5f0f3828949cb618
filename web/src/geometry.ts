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

interface Corners {
    positions: number[];
    normals: number[];
    index: number[];
}

// Corners of one vertex with the same normal are drawn as one, unless each is to be kept `apart`.
function pushTriangles(soup: Soup, out: Corners, apart: boolean) {
    const faces = faceNormals(soup);
    const around = trianglesOfVertices(soup);
    const head = new Int32Array(soup.vertices.length / 3).fill(-1), next: number[] = [];
    for (let k = 0; k < soup.triangles.length; k++) {
        const v = soup.triangles[k], own = 3 * Math.floor(k / 3);
        let nx = 0, ny = 0, nz = 0;
        for (let i = around.start[v]; i < around.start[v + 1]; i++) {
            const f = 3 * around.list[i];
            const dot = faces[f] * faces[own] + faces[f + 1] * faces[own + 1] + faces[f + 2] * faces[own + 2];
            if (dot < CREASE) continue;
            nx += faces[f];
            ny += faces[f + 1];
            nz += faces[f + 2];
        }
        const length = Math.hypot(nx, ny, nz) || 1;
        nx /= length;
        ny /= length;
        nz /= length;
        let row = apart ? -1 : head[v];
        while (row >= 0 && Math.abs(out.normals[3 * row] - nx) + Math.abs(out.normals[3 * row + 1] - ny) + Math.abs(out.normals[3 * row + 2] - nz) > 1e-4) row = next[row];
        if (row < 0) {
            row = next.length;
            next.push(head[v]);
            head[v] = row;
            out.positions.push(soup.vertices[3 * v], soup.vertices[3 * v + 1], soup.vertices[3 * v + 2]);
            out.normals.push(nx, ny, nz);
        }
        out.index.push(row);
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

// The mean of the normals of all triangles around each vertex.
function smoothNormals(soup: Soup, normals: Float32Array) {
    const faces = faceNormals(soup), t = soup.triangles;
    normals.fill(0, 0, soup.vertices.length);
    for (let k = 0; k < t.length; k++) {
        const f = 3 * Math.floor(k / 3);
        for (let c = 0; c < 3; c++) normals[3 * t[k] + c] += faces[f + c];
    }
    for (let v = 0; v < soup.vertices.length; v += 3) {
        const length = Math.hypot(normals[v], normals[v + 1], normals[v + 2]) || 1;
        for (let c = 0; c < 3; c++) normals[v + c] /= length;
    }
}

// Free edges and points, as what can be seen of them.
function pushThin(soup: Soup, thin: number, out: Corners) {
    const { positions, normals, index } = out, first = positions.length / 3;
    for (let k = 0; k < soup.edges.length; k += 2)
        pushPrism(corner(soup, soup.edges[k]), corner(soup, soup.edges[k + 1]), thin, positions, normals);
    for (const v of soup.points) pushOctahedron(corner(soup, v), 1.6 * thin, positions, normals);
    for (let k = first; k < positions.length / 3; k++) index.push(k);
}

// Puts the vertices of a mesh elsewhere.
export function deform(geometry: BufferGeometry, vertices: Float32Array) {
    const { soup, thin, smooth } = geometry.userData as { soup: Soup; thin: number; smooth: boolean };
    const moved = { ...soup, vertices }, out: Corners = { positions: [], normals: [], index: [] };
    const position = geometry.getAttribute("position") as BufferAttribute, normal = geometry.getAttribute("normal") as BufferAttribute;
    if (smooth) {
        (position.array as Float32Array).set(vertices);
        smoothNormals(moved, normal.array as Float32Array);
    } else pushTriangles(moved, out, true);
    pushThin(moved, thin, out);
    const at = smooth ? vertices.length : 0;
    (position.array as Float32Array).set(out.positions, at);
    (normal.array as Float32Array).set(out.normals, at);
    position.needsUpdate = normal.needsUpdate = true;
    geometry.computeBoundingBox();
    geometry.computeBoundingSphere();
}

// Vertices are shared by all triangles around them.
function smoothCorners(soup: Soup): Corners {
    const normals = new Float32Array(soup.vertices.length);
    smoothNormals(soup, normals);
    return { positions: Array.from(soup.vertices), normals: Array.from(normals), index: Array.from(soup.triangles) };
}

// `thin` [m] is the radius that edges and points are given so that they can be seen. What deforms keeps all its corners,
// or, with "smooth", has one per vertex.
export function makeGeometry(buffer: ArrayBuffer, thin: number, deforms?: "smooth" | "sharp"): BufferGeometry {
    const soup = decode(buffer);
    return finish(soup, thin, !deforms && isClosed(soup), deforms);
}

function finish(soup: Soup, thin: number, closed: boolean, deforms?: "smooth" | "sharp"): BufferGeometry {
    const out: Corners = deforms === "smooth" ? smoothCorners(soup) : { positions: [], normals: [], index: [] };
    if (deforms !== "smooth") pushTriangles(soup, out, deforms === "sharp");
    pushThin(soup, thin, out);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(out.positions), 3));
    geometry.setAttribute("normal", new BufferAttribute(new Float32Array(out.normals), 3));
    // BatchedMesh and InstancedMesh draw indexed and unindexed geometries alike, but not both in one batch.
    geometry.setIndex(new BufferAttribute(Uint32Array.from(out.index), 1));
    geometry.userData = { soup, thin, smooth: deforms === "smooth", closed };
    geometry.computeBoundingBox();
    geometry.computeBoundingSphere();
    return geometry;
}

const COARSE_TRIANGLES = 24; // at most, of a coarse copy
const COARSE_WORTH = 2; // times as many triangles: fewer need no coarse copy

// A copy with few triangles, for crowds that move: of the vertices in each cell of a grid over the mesh only the one
// farthest from its middle is kept. Null where that is not worth it, or nothing would be left.
export function coarsen(geometry: BufferGeometry): BufferGeometry | null {
    const { soup, thin, closed } = geometry.userData as { soup: Soup; thin: number; closed: boolean };
    if (soup.triangles.length < 3 * COARSE_WORTH * COARSE_TRIANGLES) return null;
    for (const cells of [4, 3, 2]) {
        const triangles = cluster(soup, geometry, cells);
        if (triangles.length < 6 || triangles.length > 3 * COARSE_TRIANGLES) continue;
        const few = { ...soup, triangles: Uint32Array.from(triangles), edges: soup.edges.slice(0, 0), points: soup.points.slice(0, 0) };
        return finish(few, thin, closed, undefined);
    }
    return null;
}

function cluster(soup: Soup, geometry: BufferGeometry, cells: number): number[] {
    const { min, max } = geometry.boundingBox!, low = min.toArray(), size = max.toArray().map((c, k) => c - low[k] || 1);
    const v = soup.vertices, cellOf = (p: number) => [0, 1, 2].reduce((sum, c) => sum * cells + Math.min(cells - 1, Math.floor(((v[3 * p + c] - low[c]) / size[c]) * cells)), 0);
    const kept = new Map<number, number>();
    const reach = (p: number) => Math.hypot(...[0, 1, 2].map((c) => (v[3 * p + c] - low[c]) / size[c] - 0.5));
    for (const p of new Set(soup.triangles)) {
        const cell = cellOf(p), best = kept.get(cell);
        if (best === undefined || reach(p) > reach(best)) kept.set(cell, p);
    }
    const triangles: number[] = [], seen = new Set<string>();
    for (let k = 0; k < soup.triangles.length; k += 3) {
        const t = [0, 1, 2].map((c) => kept.get(cellOf(soup.triangles[k + c]))!), key = [...t].sort((a, b) => a - b).join();
        if (t[0] === t[1] || t[1] === t[2] || t[2] === t[0] || seen.has(key)) continue;
        seen.add(key);
        triangles.push(...t);
    }
    return triangles;
}

// Whether triangles enclose a volume and face outwards: then no back of one is ever seen.
function isClosed(soup: Soup): boolean {
    const { vertices: v, triangles: t } = soup, count = v.length / 3, sides = new Set<number>();
    if (t.length === 0 || soup.edges.length > 0 || soup.points.length > 0) return false;
    let volume = 0;
    for (let k = 0; k < t.length; k += 3) {
        for (let c = 0; c < 3; c++) {
            const side = t[k + c] * count + t[k + ((c + 1) % 3)];
            if (sides.has(side)) return false;
            sides.add(side);
        }
        const [a, b, c] = [3 * t[k], 3 * t[k + 1], 3 * t[k + 2]];
        volume += v[a] * (v[b + 1] * v[c + 2] - v[b + 2] * v[c + 1]) + v[a + 1] * (v[b + 2] * v[c] - v[b] * v[c + 2]) + v[a + 2] * (v[b] * v[c + 1] - v[b + 1] * v[c]);
    }
    for (const side of sides) if (!sides.has((side % count) * count + Math.floor(side / count))) return false;
    return volume > 0;
}

// How large a mesh is, before there is a geometry.
export function meshRadius(buffer: ArrayBuffer): number {
    const { vertices } = decode(buffer);
    let most = 0;
    for (let i = 0; i < vertices.length; i += 3) most = Math.max(most, Math.hypot(vertices[i], vertices[i + 1], vertices[i + 2]));
    return most;
}
