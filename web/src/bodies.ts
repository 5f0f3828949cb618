// The bodies as three.js draws them: one instanced draw call for each of the meshes most used, and one batched call for
// all the rest, so that a thousand different fragments cost no more calls than one.
import {
    BatchedMesh, Box3, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group, InstancedMesh, type Intersection, Matrix4, MeshStandardMaterial,
    Raycaster, Sphere, Vector3,
} from "three";
import { deform } from "./geometry";
import type { Body, Frame } from "./source";

const INSTANCED = 8; // meshes with a draw call of their own

// Both kinds of drawing take matrices in one array, sixteen numbers per slot.
interface Batch {
    object: InstancedMesh | BatchedMesh;
    bodies: number[]; // by slot
    matrices: Float32Array;
    colours: Float32Array;
    stride: number; // numbers per slot of `colours`
    changed(colours: boolean): void;
}

// What holds other bodies is drawn in two parts: its inside as it is, its outside like glass, so that one can look in.
type Part = "whole" | "inside" | "outside";

function material(part: Part): MeshStandardMaterial {
    const made = new MeshStandardMaterial({ roughness: 0.62, metalness: 0.02, side: DoubleSide, shadowSide: DoubleSide });
    if (part === "outside") Object.assign(made, { transparent: true, opacity: 0.2, depthWrite: false });
    made.customProgramCacheKey = () => part;
    made.onBeforeCompile = (shader) => {
        // The back of a surface is a little darker than its front, so that the sides of a shell can be told apart.
        const shade = "if (!gl_FrontFacing) diffuseColor.rgb *= 0.78;\n";
        // Seen from outside: the side towards the eye looks away from the middle of the body.
        const look = `vec3 seen = normalize(cross(dFdx(vViewPosition), dFdy(vViewPosition)));
            bool isOutside = dot(seen, vFromMiddle) > 0.0;
            if (isOutside != ${part === "outside"}) discard;\n`;
        shader.fragmentShader = shader.fragmentShader
            .replace("#include <common>", part === "whole" ? "#include <common>" : "#include <common>\nvarying vec3 vFromMiddle;")
            .replace("#include <color_fragment>", `#include <color_fragment>\n${part === "whole" ? "" : look}${shade}`);
        if (part === "whole") return;
        shader.uniforms.middle = { value: made.userData.middle };
        shader.vertexShader = shader.vertexShader
            .replace("#include <common>", "#include <common>\nuniform vec3 middle;\nvarying vec3 vFromMiddle;")
            .replace("#include <project_vertex>", `#include <project_vertex>
                vFromMiddle = mvPosition.xyz - (modelViewMatrix * instanceMatrix * vec4(middle, 1.0)).xyz;`);
    };
    return made;
}

function instancedBatch(geometry: BufferGeometry, bodies: number[], part: Part = "whole"): Batch {
    const drawn = material(part);
    drawn.userData.middle = geometry.boundingBox!.getCenter(new Vector3());
    const object = new InstancedMesh(geometry, drawn, bodies.length);
    object.instanceMatrix.setUsage(DynamicDrawUsage);
    object.setColorAt(0, new Color());
    object.frustumCulled = false;
    return {
        object,
        bodies,
        matrices: object.instanceMatrix.array as Float32Array,
        colours: object.instanceColor!.array as Float32Array,
        stride: 3,
        changed(colours) {
            object.instanceMatrix.needsUpdate = true;
            object.boundingSphere = null;
            if (colours) object.instanceColor!.needsUpdate = true;
        },
    };
}

function mixedBatch(geometries: BufferGeometry[], members: { mesh: number; body: number }[]): Batch {
    const used = [...new Set(members.map((member) => member.mesh))];
    const total = used.reduce((sum, mesh) => sum + geometries[mesh].getAttribute("position").count, 0);
    const object = new BatchedMesh(members.length, total, total, material("whole"));
    object.frustumCulled = object.perObjectFrustumCulled = object.sortObjects = false;
    const rows = new Map(used.map((mesh) => [mesh, object.addGeometry(geometries[mesh])]));
    for (const member of members) object.setColorAt(object.addInstance(rows.get(member.mesh)!), new Color());
    const inside = object as unknown as {
        _matricesTexture: { image: { data: Float32Array }; needsUpdate: boolean };
        _colorsTexture: { image: { data: Float32Array }; needsUpdate: boolean };
    };
    return {
        object,
        bodies: members.map((member) => member.body),
        matrices: inside._matricesTexture.image.data,
        colours: inside._colorsTexture.image.data,
        stride: 4,
        changed(colours) {
            inside._matricesTexture.needsUpdate = true;
            object.boundingSphere = null;
            if (colours) inside._colorsTexture.needsUpdate = true;
        },
    };
}

export class Bodies {
    readonly group = new Group();
    readonly radius: Float32Array; // [m] of each body's mesh about its centre
    private batches: Batch[] = [];
    private glass: { batch: Batch; like: number }[] = []; // the outsides of holders
    private batchOf: Uint16Array;
    private slotOf: Uint32Array;

    // `holders` are meshes whose bodies have others inside them.
    constructor(readonly list: Body[], readonly geometries: BufferGeometry[], holders: Set<number>) {
        this.batchOf = new Uint16Array(list.length);
        this.slotOf = new Uint32Array(list.length);
        this.radius = Float32Array.from(list, (body) => {
            const sphere = geometries[body.mesh].boundingSphere ?? new Sphere();
            return sphere.center.length() + sphere.radius;
        });
        const users = geometries.map(() => [] as number[]);
        list.forEach((body, i) => users[body.mesh].push(i));
        const order = users.map((_, mesh) => mesh).filter((mesh) => users[mesh].length > 0).sort((a, b) => users[b].length - users[a].length);
        // What deforms has a geometry of its own to change.
        const soft = order.filter((mesh) => users[mesh].some((body) => list[body].deforms));
        const stiff = order.filter((mesh) => !soft.includes(mesh));
        const most = [...stiff.filter((mesh) => holders.has(mesh)).slice(0, 2), ...stiff.filter((mesh) => !holders.has(mesh))].slice(0, INSTANCED);
        const own = [...soft, ...most];
        for (const mesh of own) {
            this.add(instancedBatch(geometries[mesh], users[mesh], holders.has(mesh) ? "inside" : "whole"));
            if (holders.has(mesh)) this.addGlass(instancedBatch(geometries[mesh], users[mesh], "outside"));
        }
        const rest = order.filter((mesh) => !own.includes(mesh)).flatMap((mesh) => users[mesh].map((body) => ({ mesh, body })));
        if (rest.length > 0) this.add(mixedBatch(geometries, rest));
    }

    private add(batch: Batch) {
        batch.bodies.forEach((body, slot) => {
            this.batchOf[body] = this.batches.length;
            this.slotOf[body] = slot;
        });
        batch.object.castShadow = batch.object.receiveShadow = true;
        this.batches.push(batch);
        this.group.add(batch.object);
    }

    private addGlass(batch: Batch) {
        this.glass.push({ batch, like: this.batches.length - 1 });
        batch.object.receiveShadow = true;
        this.group.add(batch.object);
    }

    dispose() {
        for (const batch of [...this.batches, ...this.glass.map((one) => one.batch)]) batch.object.dispose();
    }

    // Puts every body where the frame has it; bodies that it does not have shrink to nothing.
    place(frame: Frame) {
        if (frame.count < this.list.length) for (const batch of this.batches) batch.matrices.fill(0);
        const { x, q, body } = frame;
        for (let i = 0; i < frame.count; i++) {
            const b = body[i];
            if (b >= this.list.length) continue;
            const m = this.batches[this.batchOf[b]].matrices;
            if (this.list[b].deforms) writePose(m, 16 * this.slotOf[b], NOWHERE, 0, UNTURNED, 0);
            else writePose(m, 16 * this.slotOf[b], x, 3 * i, q, 4 * i);
        }
        for (const [b, vertices] of frame.shapes)
            if (b < this.list.length) deform(this.geometries[this.list[b].mesh], vertices, this.list[b].deforms === "smooth");
        for (const batch of this.batches) batch.changed(false);
        this.copyGlass(false);
    }

    // Puts every body where it may have been a part `s` of the way from one frame to the next: straight, and turned evenly.
    // Nobody has computed that: it is for the eye, and bodies may touch.
    placeBetween(from: Frame, to: Frame, s: number) {
        const x = new Float32Array(from.x), q = new Float32Array(from.q);
        const same = from.count === to.count && from.body.every((body, i) => body === to.body[i]);
        const rows = same ? null : new Map(Array.from(to.body, (body, i) => [body, i]));
        for (let i = 0; i < from.count; i++) {
            const k = rows ? rows.get(from.body[i]) : i;
            if (k === undefined) continue; // it vanishes: until then it stays
            for (let c = 0; c < 3; c++) x[3 * i + c] += s * (to.x[3 * k + c] - x[3 * i + c]);
            let dot = 0;
            for (let c = 0; c < 4; c++) dot += q[4 * i + c] * to.q[4 * k + c];
            const sign = dot < 0 ? -1 : 1;
            for (let c = 0; c < 4; c++) q[4 * i + c] += s * (sign * to.q[4 * k + c] - q[4 * i + c]);
            const length = Math.hypot(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]) || 1;
            for (let c = 0; c < 4; c++) q[4 * i + c] /= length;
        }
        const shapes = new Map(from.shapes);
        for (const [body, vertices] of from.shapes) {
            const next = to.shapes.get(body);
            if (next?.length === vertices.length) shapes.set(body, vertices.map((c, i) => c + s * (next[i] - c)));
        }
        this.place({ ...from, x, q, shapes });
    }

    private copyGlass(colours: boolean) {
        for (const { batch, like } of this.glass) {
            batch.matrices.set(this.batches[like].matrices);
            if (colours) batch.colours.set(this.batches[like].colours);
            batch.changed(colours);
        }
    }

    paint(colour: (body: number, out: Color) => void) {
        const out = new Color();
        for (const batch of this.batches) {
            batch.bodies.forEach((body, slot) => {
                colour(body, out);
                out.toArray(batch.colours, batch.stride * slot);
            });
            batch.changed(true);
        }
        this.copyGlass(true);
    }

    matrixOf(body: number, out: Matrix4): Matrix4 {
        return out.fromArray(this.batches[this.batchOf[body]].matrices, 16 * this.slotOf[body]);
    }

    // The body under a ray, or -1. The outside of what holds others is looked through, as it is drawn.
    pick(ray: Raycaster): number {
        const hits = ray.intersectObjects(this.batches.map((batch) => batch.object), false);
        const hit = hits.find((one) => !this.isGlass(one, ray)) ?? hits[0];
        if (!hit) return -1;
        const batch = this.batches.find((one) => one.object === hit.object)!;
        return batch.bodies[hit.instanceId ?? hit.batchId ?? 0];
    }

    private isGlass(hit: Intersection, ray: Raycaster): boolean {
        const place = this.batches.findIndex((one) => one.object === hit.object);
        if (!this.glass.some((one) => one.like === place) || !hit.face) return false;
        const object = hit.object as InstancedMesh, pose = new Matrix4();
        object.getMatrixAt(hit.instanceId!, pose);
        pose.premultiply(object.matrixWorld);
        const normal = hit.face.normal.clone().transformDirection(pose);
        if (normal.dot(ray.ray.direction) > 0) normal.negate();
        const middle = object.geometry.boundingBox!.getCenter(new Vector3()).applyMatrix4(pose);
        return normal.dot(hit.point.clone().sub(middle)) > 0;
    }

    // Meshes of static bodies that have moving ones inside their boxes in this frame. A flat one holds nothing.
    holders(frame: Frame): Set<number> {
        const found = new Set<number>(), matrix = new Matrix4(), at = new Vector3();
        for (let i = 0; i < frame.count; i++) {
            const body = this.list[frame.body[i]];
            if (body?.type !== "static" || found.has(body.mesh)) continue;
            const box = this.geometries[body.mesh].boundingBox!, size = box.getSize(new Vector3());
            if (Math.min(size.x, size.y, size.z) < 0.1 * Math.max(size.x, size.y, size.z)) continue;
            writePose(matrix.elements as unknown as Float32Array, 0, frame.x, 3 * i, frame.q, 4 * i);
            matrix.invert();
            for (let k = 0; k < frame.count; k++) {
                const other = this.list[frame.body[k]];
                if (other && other.type !== "static" && box.containsPoint(at.fromArray(frame.x, 3 * k).applyMatrix4(matrix))) {
                    found.add(body.mesh);
                    break;
                }
            }
        }
        for (const body of this.list) if (body.type !== "static") found.delete(body.mesh);
        return found;
    }

    // The space that bodies of a frame take, in the run's own axes turned by `turn`.
    bounds(frame: Frame, turn: Matrix4, which: (body: Body) => boolean): Box3 {
        const box = new Box3(), at = new Vector3(), matrix = new Matrix4(), own = new Box3();
        for (let i = 0; i < frame.count; i++) {
            const b = frame.body[i];
            if (b >= this.list.length || !which(this.list[b])) continue;
            const shape = frame.shapes.get(b);
            if (shape) {
                for (let k = 0; k < shape.length; k += 3) box.expandByPoint(at.fromArray(shape, k).applyMatrix4(turn));
                continue;
            }
            if (this.list[b].type === "static") {
                writePose(matrix.elements as unknown as Float32Array, 0, frame.x, 3 * i, frame.q, 4 * i);
                box.union(own.copy(this.geometries[this.list[b].mesh].boundingBox!).applyMatrix4(matrix.premultiply(turn)));
                continue;
            }
            at.fromArray(frame.x, 3 * i).applyMatrix4(turn);
            const r = this.radius[b];
            box.expandByPoint(at.addScalar(-r));
            box.expandByPoint(at.addScalar(2 * r));
        }
        return box;
    }
}

const NOWHERE = new Float32Array(3), UNTURNED = new Float32Array([0, 0, 0, 1]); // vertices of what deforms are in place

// The matrix of a turn q (a unit quaternion) and a place x, column by column.
function writePose(m: Float32Array, at: number, x: Float32Array, i: number, q: Float32Array, k: number) {
    const qx = q[k], qy = q[k + 1], qz = q[k + 2], qw = q[k + 3];
    const x2 = qx + qx, y2 = qy + qy, z2 = qz + qz;
    const xx = qx * x2, xy = qx * y2, xz = qx * z2, yy = qy * y2, yz = qy * z2, zz = qz * z2;
    const wx = qw * x2, wy = qw * y2, wz = qw * z2;
    m[at] = 1 - (yy + zz);
    m[at + 1] = xy + wz;
    m[at + 2] = xz - wy;
    m[at + 3] = 0;
    m[at + 4] = xy - wz;
    m[at + 5] = 1 - (xx + zz);
    m[at + 6] = yz + wx;
    m[at + 7] = 0;
    m[at + 8] = xz + wy;
    m[at + 9] = yz - wx;
    m[at + 10] = 1 - (xx + yy);
    m[at + 11] = 0;
    m[at + 12] = x[i];
    m[at + 13] = x[i + 1];
    m[at + 14] = x[i + 2];
    m[at + 15] = 1;
}
