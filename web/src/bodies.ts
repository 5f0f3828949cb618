// The bodies as three.js draws them: one instanced draw call for each of the meshes most used, and one batched call for
// all the rest, so that a thousand different fragments cost no more calls than one.
import {
    BatchedMesh, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, FrontSide, Group, InstancedMesh, type Intersection, Matrix4, type MeshPhysicalMaterial,
    type Plane, Raycaster, Sphere, Vector3,
} from "three";
import { Crowd } from "./crowd";
import { coarsen, deform } from "./geometry";
import { isMaterial, makeMaterial, type Surroundings } from "./materials";
import type { Body, Frame } from "./source";

const INSTANCED = 8; // meshes with a draw call of their own
const CLEAN_BACKS = 1000; // bodies of a batch, at most, whose backs give way to fronts
const COARSE_CROWD = 500; // bodies of a batch from which on it may be drawn coarsely
const COARSE_VERTICES = 2e6; // of a crowd, at most
const GIVE_WAY = "gl_FragDepth = gl_FragCoord.z + (gl_FrontFacing ? 0.0 : 1.5 * fwidth(gl_FragCoord.z));";

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

// What a batch is drawn with.
interface Look {
    kind: string; // a material's name; "": none was given
    clipped: Plane[];
    around: Surroundings;
}

// `backs`: of open sheets. Where a sheet turns away from the eye its back is as near as its front, and would show as dark
// dots: it is drawn a little farther away. Too many bodies would be slow to draw that way, and too small for dots.
function material(part: Part, look: Look, closed: boolean, count: number): MeshPhysicalMaterial {
    const made = makeMaterial(look.kind, closed && part === "whole", look.clipped, look.around), backs = !closed && count <= CLEAN_BACKS;
    made.userData.closed = closed && part === "whole";
    if (part === "outside") Object.assign(made, { transparent: true, opacity: 0.2, depthWrite: false });
    made.customProgramCacheKey = () => `${part}/${look.kind}/${backs}`;
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
        if (backs) shader.fragmentShader = shader.fragmentShader.replace("#include <dithering_fragment>", `#include <dithering_fragment>\n${GIVE_WAY}`);
        if (part === "whole") return;
        shader.uniforms.middle = { value: made.userData.middle };
        shader.vertexShader = shader.vertexShader
            .replace("#include <common>", "#include <common>\nuniform vec3 middle;\nvarying vec3 vFromMiddle;")
            .replace("#include <project_vertex>", `#include <project_vertex>
                vFromMiddle = mvPosition.xyz - (modelViewMatrix * instanceMatrix * vec4(middle, 1.0)).xyz;`);
    };
    return made;
}

function instancedBatch(geometry: BufferGeometry, bodies: number[], look: Look, part: Part = "whole"): Batch {
    const drawn = material(part, look, geometry.userData.closed, bodies.length);
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

function mixedBatch(geometries: BufferGeometry[], members: { mesh: number; body: number }[], look: Look): Batch {
    const used = [...new Set(members.map((member) => member.mesh))];
    const total = used.reduce((sum, mesh) => sum + geometries[mesh].getAttribute("position").count, 0);
    const corners = used.reduce((sum, mesh) => sum + geometries[mesh].index!.count, 0);
    const object = new BatchedMesh(members.length, total, corners, material("whole", look, used.every((mesh) => geometries[mesh].userData.closed), members.length));
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
    readonly hidden: Uint8Array; // 1: not drawn, because the user says so
    private batches: Batch[] = [];
    private crowds = new Map<Batch, Crowd>(); // how crowds are drawn while they move, once needed
    private isCoarse = false;
    private glass: { batch: Batch; like: number }[] = []; // the outsides of holders
    private batchOf: Uint16Array;
    private slotOf: Uint32Array;

    // `holders` are meshes whose bodies have others inside them.
    constructor(readonly list: Body[], readonly geometries: BufferGeometry[], holders: Set<number>, private clipped: Plane[], around: Surroundings) {
        this.hidden = new Uint8Array(list.length);
        this.batchOf = new Uint16Array(list.length);
        this.slotOf = new Uint32Array(list.length);
        this.radius = Float32Array.from(list, (body) => {
            const sphere = geometries[body.mesh].boundingSphere ?? new Sphere();
            return sphere.center.length() + sphere.radius;
        });
        // Bodies of one mesh and one material are drawn together.
        const users = new Map<string, { mesh: number; kind: string; bodies: number[] }>();
        list.forEach((body, i) => {
            const kind = isMaterial(body.material) ? body.material : "", key = `${body.mesh}/${kind}`;
            if (!users.has(key)) users.set(key, { mesh: body.mesh, kind, bodies: [] });
            users.get(key)!.bodies.push(i);
        });
        const order = [...users.values()].sort((a, b) => b.bodies.length - a.bodies.length);
        // What deforms has a geometry of its own to change. What is glass by itself needs no part that is see-through.
        const soft = order.filter((one) => one.bodies.some((body) => list[body].deforms));
        const stiff = order.filter((one) => !soft.includes(one)), holds = (one: { mesh: number; kind: string }) => holders.has(one.mesh) && one.kind !== "glass";
        const most = [...stiff.filter(holds).slice(0, 2), ...stiff.filter((one) => !holds(one))].slice(0, INSTANCED);
        const own = new Set([...soft, ...most]);
        const look = (kind: string): Look => ({ kind, clipped, around });
        for (const one of own) {
            this.add(instancedBatch(geometries[one.mesh], one.bodies, look(one.kind), holds(one) ? "inside" : "whole"), one.kind);
            if (holds(one)) this.addGlass(instancedBatch(geometries[one.mesh], one.bodies, look(one.kind), "outside"));
        }
        const rest = order.filter((one) => !own.has(one));
        for (const kind of new Set(rest.map((one) => one.kind))) {
            const members = rest.filter((one) => one.kind === kind).flatMap(({ mesh, bodies }) => bodies.map((body) => ({ mesh, body })));
            this.add(mixedBatch(geometries, members, look(kind)), kind);
        }
    }

    private add(batch: Batch, kind: string) {
        batch.bodies.forEach((body, slot) => {
            this.batchOf[body] = this.batches.length;
            this.slotOf[body] = slot;
        });
        batch.object.castShadow = kind !== "glass";
        batch.object.receiveShadow = true;
        this.batches.push(batch);
        this.group.add(batch.object);
    }

    private addGlass(batch: Batch) {
        this.glass.push({ batch, like: this.batches.length - 1 });
        batch.object.receiveShadow = true;
        this.group.add(batch.object);
    }

    // Something is cut away, or nothing any more: what is closed can be looked into, or not.
    setCut(on: boolean) {
        this.setCoarse(false);
        for (const { object } of this.batches) {
            const drawn = object.material as MeshPhysicalMaterial, side = on || !drawn.userData.closed ? DoubleSide : FrontSide;
            if (drawn.side === side) continue;
            drawn.side = drawn.shadowSide = side;
            drawn.needsUpdate = true;
        }
    }

    // Crowds with few triangles per body and plain light, while they move faster than they can be drawn; or as they are.
    setCoarse(on: boolean) {
        if (on === this.isCoarse) return;
        this.isCoarse = on;
        for (const batch of this.batches) {
            const crowd = this.crowdOf(batch);
            if (!crowd) continue;
            batch.object.visible = !on;
            crowd.mesh.visible = on;
            if (on) crowd.place(batch.matrices);
            if (on) crowd.paint(batch.colours);
        }
    }

    private crowdOf(batch: Batch): Crowd | null {
        const { object } = batch, drawn = object.material as MeshPhysicalMaterial, first = this.list[batch.bodies[0]];
        if (!(object instanceof InstancedMesh) || batch.bodies.length < COARSE_CROWD || first.deforms || drawn.transparent) return null;
        if (!this.crowds.has(batch)) {
            const few = coarsen(object.geometry) ?? object.geometry;
            if (few.getAttribute("position").count * batch.bodies.length > COARSE_VERTICES) return null;
            const crowd = new Crowd(few, batch.bodies.length, drawn.side, this.clipped);
            this.group.add(crowd.mesh);
            this.crowds.set(batch, crowd);
        }
        return this.crowds.get(batch)!;
    }

    dispose() {
        for (const crowd of this.crowds.values()) crowd.dispose();
        for (const batch of [...this.batches, ...this.glass.map((one) => one.batch)]) batch.object.dispose();
    }

    // Puts every body where the frame has it; bodies that it does not have shrink to nothing.
    place(frame: Frame) {
        if (frame.count < this.list.length || this.hidden.includes(1)) for (const batch of this.batches) batch.matrices.fill(0);
        const { x, q, body } = frame;
        for (let i = 0; i < frame.count; i++) {
            const b = body[i];
            if (b >= this.list.length || this.hidden[b]) continue;
            const m = this.batches[this.batchOf[b]].matrices;
            if (this.list[b].deforms) writePose(m, 16 * this.slotOf[b], NOWHERE, 0, UNTURNED, 0);
            else writePose(m, 16 * this.slotOf[b], x, 3 * i, q, 4 * i);
        }
        for (const [b, vertices] of frame.shapes)
            if (b < this.list.length) deform(this.geometries[this.list[b].mesh], vertices);
        for (const batch of this.batches) batch.changed(false);
        if (this.isCoarse) for (const [batch, crowd] of this.crowds) crowd.place(batch.matrices);
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
        if (this.isCoarse) for (const [batch, crowd] of this.crowds) crowd.paint(batch.colours);
        this.copyGlass(true);
    }

    matrixOf(body: number, out: Matrix4): Matrix4 {
        return out.fromArray(this.batches[this.batchOf[body]].matrices, 16 * this.slotOf[body]);
    }

    // The body under a ray, or -1. The outside of what holds others is looked through, as it is drawn; what is cut away is
    // not there.
    pick(ray: Raycaster): number {
        const all = ray.intersectObjects(this.batches.map((batch) => batch.object), false);
        const hits = all.filter((hit) => this.clipped.every((plane) => plane.distanceToPoint(hit.point) >= 0));
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
}

const NOWHERE = new Float32Array(3), UNTURNED = new Float32Array([0, 0, 0, 1]); // vertices of what deforms are in place

// The matrix of a turn q (a unit quaternion) and a place x, column by column.
export function writePose(m: Float32Array, at: number, x: Float32Array, i: number, q: Float32Array, k: number) {
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
