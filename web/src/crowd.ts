// A crowd as one mesh: all bodies' vertices in place, in one draw call without instances. Graphics without a card pay for
// every instance; this costs a few milliseconds of script per frame instead. Facets are shaded flat, from the depth of
// neighbouring pixels: so vertices need no normals, and all facets around a vertex share it.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, MeshLambertMaterial, type Plane, type Side } from "three";

export class Crowd {
    readonly mesh: Mesh<BufferGeometry, MeshLambertMaterial>;
    private local: Float32Array; // of one body: positions

    constructor(few: BufferGeometry, private count: number, side: Side, clipped: Plane[]) {
        const { positions, index } = weld(few.getAttribute("position").array as Float32Array, few.index!.array);
        this.local = positions;
        const vertices = positions.length / 3, all = new Uint32Array(count * index.length);
        for (let i = 0; i < count; i++) for (let k = 0; k < index.length; k++) all[i * index.length + k] = i * vertices + index[k];
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(new Float32Array(count * positions.length), 3).setUsage(DynamicDrawUsage));
        geometry.setAttribute("color", new BufferAttribute(new Uint8Array(4 * count * vertices), 4, true).setUsage(DynamicDrawUsage));
        geometry.setIndex(new BufferAttribute(all, 1));
        this.mesh = new Mesh(geometry, new MeshLambertMaterial({ vertexColors: true, flatShading: true, side, shadowSide: side, clippingPlanes: clipped }));
        this.mesh.frustumCulled = false;
        this.mesh.castShadow = true;
    }

    // Sixteen numbers per body, column by column; of those that are not there, zeros.
    place(m: Float32Array) {
        const attribute = this.mesh.geometry.getAttribute("position"), p = attribute.array as Float32Array, { local } = this;
        for (let o = 0, at = 0; o < 16 * this.count; o += 16) {
            const ax = m[o], ay = m[o + 1], az = m[o + 2], bx = m[o + 4], by = m[o + 5], bz = m[o + 6];
            const cx = m[o + 8], cy = m[o + 9], cz = m[o + 10], dx = m[o + 12], dy = m[o + 13], dz = m[o + 14];
            for (let k = 0; k < local.length; k += 3, at += 3) {
                const x = local[k], y = local[k + 1], z = local[k + 2];
                p[at] = ax * x + bx * y + cx * z + dx;
                p[at + 1] = ay * x + by * y + cy * z + dy;
                p[at + 2] = az * x + bz * y + cz * z + dz;
            }
        }
        attribute.needsUpdate = true;
    }

    // Three numbers per body, linear light; a byte each is enough for what moves.
    paint(colours: Float32Array) {
        const attribute = this.mesh.geometry.getAttribute("color"), vertices = this.local.length / 3;
        const words = new Uint32Array(attribute.array.buffer), byte = (c: number) => Math.round(255 * Math.min(1, c));
        for (let i = 0; i < this.count; i++) {
            const rgba = byte(colours[3 * i]) | (byte(colours[3 * i + 1]) << 8) | (byte(colours[3 * i + 2]) << 16) | (255 << 24);
            words.fill(rgba, vertices * i, vertices * (i + 1));
        }
        attribute.needsUpdate = true;
    }

    dispose() {
        this.mesh.geometry.dispose();
        this.mesh.material.dispose();
    }
}

// One vertex per place.
function weld(positions: Float32Array, index: ArrayLike<number>): { positions: Float32Array; index: Uint32Array } {
    const rows = new Map<string, number>(), kept: number[] = [], welded = new Uint32Array(index.length);
    for (let k = 0; k < index.length; k++) {
        const place = positions.slice(3 * index[k], 3 * index[k] + 3), key = place.join();
        if (!rows.has(key)) {
            rows.set(key, rows.size);
            kept.push(...place);
        }
        welded[k] = rows.get(key)!;
    }
    return { positions: Float32Array.from(kept), index: welded };
}
