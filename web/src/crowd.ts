// A crowd as one mesh: all bodies' vertices in place, in one draw call without instances. Graphics without a card pay for
// every instance; this costs a few milliseconds of script per frame instead.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, MeshLambertMaterial, type Plane, type Side } from "three";

export class Crowd {
    readonly mesh: Mesh<BufferGeometry, MeshLambertMaterial>;
    private local: Float32Array; // of one body: positions
    private normals: Float32Array;

    constructor(few: BufferGeometry, private count: number, side: Side, clipped: Plane[]) {
        this.local = few.getAttribute("position").array as Float32Array;
        this.normals = few.getAttribute("normal").array as Float32Array;
        const index = few.index!.array, vertices = this.local.length / 3, all = new Uint32Array(count * index.length);
        for (let i = 0; i < count; i++) for (let k = 0; k < index.length; k++) all[i * index.length + k] = i * vertices + index[k];
        const geometry = new BufferGeometry();
        for (const name of ["position", "normal", "color"])
            geometry.setAttribute(name, new BufferAttribute(new Float32Array(count * this.local.length), 3).setUsage(DynamicDrawUsage));
        geometry.setIndex(new BufferAttribute(all, 1));
        this.mesh = new Mesh(geometry, new MeshLambertMaterial({ vertexColors: true, side, shadowSide: side, clippingPlanes: clipped }));
        this.mesh.frustumCulled = false;
        this.mesh.castShadow = true;
    }

    // Sixteen numbers per body, column by column; of those that are not there, zeros.
    place(m: Float32Array) {
        const { geometry } = this.mesh, { local, normals } = this;
        const p = geometry.getAttribute("position").array as Float32Array, n = geometry.getAttribute("normal").array as Float32Array;
        for (let i = 0, at = 0; i < this.count; i++) {
            const o = 16 * i;
            for (let k = 0; k < local.length; k += 3, at += 3)
                for (let c = 0; c < 3; c++) {
                    p[at + c] = m[o + c] * local[k] + m[o + 4 + c] * local[k + 1] + m[o + 8 + c] * local[k + 2] + m[o + 12 + c];
                    n[at + c] = m[o + c] * normals[k] + m[o + 4 + c] * normals[k + 1] + m[o + 8 + c] * normals[k + 2];
                }
        }
        geometry.getAttribute("position").needsUpdate = geometry.getAttribute("normal").needsUpdate = true;
    }

    paint(colours: Float32Array) {
        const attribute = this.mesh.geometry.getAttribute("color"), out = attribute.array as Float32Array;
        for (let i = 0, at = 0; i < this.count; i++)
            for (let k = 0; k < this.local.length; k += 3) for (let c = 0; c < 3; c++) out[at++] = colours[3 * i + c];
        attribute.needsUpdate = true;
    }

    dispose() {
        this.mesh.geometry.dispose();
        this.mesh.material.dispose();
    }
}
