// Forces at contacts as arrows: one instanced mesh, one draw call.
import { ConeGeometry, CylinderGeometry, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Forces } from "./source";

const LONGEST = 4; // [unit] of an arrow, whatever the force
const SHORTEST = 0.03; // [unit] what is shorter is not drawn
const THICKNESS = 0.35; // [unit] length up to which an arrow is thinner, too
const UP = new Vector3(0, 1, 0);

// One unit long, from the origin along y.
function arrow() {
    const shaft = new CylinderGeometry(0.018, 0.018, 0.72, 8).translate(0, 0.36, 0), tip = new ConeGeometry(0.06, 0.28, 12).translate(0, 0.86, 0);
    return mergeGeometries([shaft, tip])!;
}

export class Arrows {
    readonly group = new Group();
    drawn = 0;
    private geometry = arrow();
    private material = new MeshBasicMaterial({ color: "#c77dff", depthTest: false, transparent: true, opacity: 0.9, toneMapped: false });
    private mesh: InstancedMesh | null = null;

    // Each arrow is the force on one of the two, from where it acts: on `selected`, where it is one of them, else on the one that
    // moves (`moves`), the first of two. `unit` [m] long for a force of `scale` [N].
    show(forces: Forces | null, selected: number, moves: (body: number) => boolean, unit: number, scale: number) {
        if (this.mesh) {
            this.group.remove(this.mesh);
            this.mesh.dispose();
            this.mesh = null;
        }
        const rows = (forces?.contacts ?? []).filter(([a, b]) => selected < 0 || a === selected || b === selected);
        const mesh = new InstancedMesh(this.geometry, this.material, Math.max(1, rows.length)), matrix = new Matrix4();
        this.drawn = 0;
        for (const [a, b, x, y, z, fx, fy, fz] of rows) {
            const onSecond = b === selected || (a !== selected && !moves(a));
            const force = new Vector3(fx, fy, fz).multiplyScalar(onSecond && b >= 0 ? -1 : 1), length = Math.min(LONGEST, force.length() / scale);
            if (!(length > SHORTEST)) continue;
            const thick = unit * Math.min(1, length / THICKNESS);
            matrix.compose(new Vector3(x, y, z), new Quaternion().setFromUnitVectors(UP, force.normalize()), new Vector3(thick, unit * length, thick));
            mesh.setMatrixAt(this.drawn++, matrix);
        }
        mesh.count = this.drawn;
        mesh.frustumCulled = false;
        mesh.renderOrder = 12;
        if (this.drawn === 0) return mesh.dispose();
        this.mesh = mesh;
        this.group.add(mesh);
    }
}
