// What is drawn over the bodies: contacts and normals, the smallest distance, velocities, boxes of trees, the selection.
// Every overlay is one set of lines, or one instanced mesh: one draw call.
import {
    Box3, BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4,
    MeshBasicMaterial, OctahedronGeometry, Vector3,
} from "three";
import type { Bodies } from "./bodies";
import type { Frame, Near, Tree } from "./source";

// Line segments whose number changes.
export class Lines {
    readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;
    private positions = new Float32Array(0);
    private count = 0;

    constructor(colour: string, onTop = true) {
        const material = new LineBasicMaterial({ color: colour, depthTest: !onTop, transparent: onTop, toneMapped: false });
        this.object = new LineSegments(new BufferGeometry(), material);
        this.object.frustumCulled = false;
        this.object.renderOrder = onTop ? 10 : 0;
        this.object.visible = false;
    }
    clear() {
        this.count = 0;
    }
    add(ax: number, ay: number, az: number, bx: number, by: number, bz: number) {
        if (6 * (this.count + 1) > this.positions.length) {
            const grown = new Float32Array(Math.max(600, 2 * this.positions.length));
            grown.set(this.positions);
            this.positions = grown;
            this.object.geometry.dispose();
            this.object.geometry.setAttribute("position", new BufferAttribute(grown, 3).setUsage(DynamicDrawUsage));
        }
        this.positions.set([ax, ay, az, bx, by, bz], 6 * this.count++);
    }
    done() {
        this.object.geometry.setDrawRange(0, 2 * this.count);
        const attribute = this.object.geometry.getAttribute("position") as BufferAttribute | undefined;
        if (attribute) attribute.needsUpdate = true;
        this.object.visible = this.count > 0;
    }
    hide() {
        this.object.visible = false;
    }
}

const CORNERS = [[0, 1], [1, 3], [3, 2], [2, 0], [4, 5], [5, 7], [7, 6], [6, 4], [0, 4], [1, 5], [2, 6], [3, 7]];

function addBox(lines: Lines, low: number[], high: number[], matrix: Matrix4) {
    const at = [...Array(8).keys()].map((k) =>
        new Vector3(k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]).applyMatrix4(matrix),
    );
    for (const [a, b] of CORNERS) lines.add(at[a].x, at[a].y, at[a].z, at[b].x, at[b].y, at[b].z);
}

export class Overlays {
    readonly group = new Group();
    private normals = new Lines("#ff5d8f");
    private smallest = new Lines("#ffb347");
    private velocity = new Lines("#5ad1ff", false);
    private tree = new Lines("#8ee07a");
    private selection = new Lines("#ffd23f");
    private dots: InstancedMesh | null = null;
    private unit = 1; // [m] the size of a middling body of those that move

    constructor() {
        for (const lines of [this.normals, this.smallest, this.velocity, this.tree, this.selection]) this.group.add(lines.object);
    }

    setUnit(unit: number) {
        this.unit = unit;
    }

    showContacts(near: Near | null) {
        this.normals.clear();
        const contacts = near?.contacts ?? [];
        if (this.dots) {
            this.group.remove(this.dots);
            this.dots.dispose();
            this.dots = null;
        }
        if (contacts.length > 0) {
            const dots = new InstancedMesh(
                new OctahedronGeometry(0.018 * this.unit, 1),
                new MeshBasicMaterial({ color: new Color("#ff2d6f"), depthTest: false, transparent: true, toneMapped: false }),
                contacts.length,
            );
            const matrix = new Matrix4();
            contacts.forEach(([, , x, y, z, nx, ny, nz], k) => {
                const s = 0.16 * this.unit;
                dots.setMatrixAt(k, matrix.makeTranslation(x, y, z));
                this.normals.add(x, y, z, x + s * nx, y + s * ny, z + s * nz);
            });
            dots.frustumCulled = false;
            dots.renderOrder = 11;
            this.dots = dots;
            this.group.add(dots);
        }
        this.normals.done();
    }

    // Returns the middle of the two nearest points, to write the distance there.
    showSmallest(near: Near | null): Vector3 | null {
        this.smallest.clear();
        let middle: Vector3 | null = null;
        if (near?.smallest) {
            const from = new Vector3(...near.smallest.from), to = new Vector3(...near.smallest.to);
            middle = from.clone().add(to).multiplyScalar(0.5);
            this.smallest.add(from.x, from.y, from.z, to.x, to.y, to.z);
            const s = 0.12 * this.unit;
            for (const d of [new Vector3(s, 0, 0), new Vector3(0, s, 0), new Vector3(0, 0, s)])
                this.smallest.add(middle.x - d.x, middle.y - d.y, middle.z - d.z, middle.x + d.x, middle.y + d.y, middle.z + d.z);
        }
        this.smallest.done();
        return middle;
    }

    // Where each body that is not hidden would be a tenth of a second on.
    showVelocity(frame: Frame | null, hidden: ReadonlySet<number>) {
        this.velocity.clear();
        for (let i = 0; frame && i < frame.count; i++) {
            const x = frame.x[3 * i], y = frame.x[3 * i + 1], z = frame.x[3 * i + 2];
            const vx = frame.v[3 * i], vy = frame.v[3 * i + 1], vz = frame.v[3 * i + 2];
            if ((vx === 0 && vy === 0 && vz === 0) || hidden.has(frame.body[i])) continue;
            this.velocity.add(x, y, z, x + 0.1 * vx, y + 0.1 * vy, z + 0.1 * vz);
        }
        this.velocity.done();
    }

    // The tree of one body, or of all that have a tree at hand.
    showTrees(bodies: Bodies | null, which: number[], trees: Map<number, Tree>) {
        this.tree.clear();
        const matrix = new Matrix4();
        let left = 60000;
        for (const body of bodies ? which : []) {
            const tree = trees.get(bodies!.list[body].mesh);
            if (!tree) continue;
            bodies!.matrixOf(body, matrix);
            if (matrix.elements[15] === 0) continue;
            for (const box of tree.boxes) if (left-- > 0) addBox(this.tree, box.slice(0, 3), box.slice(3), matrix);
        }
        this.tree.done();
    }

    // A box around the selected body, a little larger than it is.
    showSelection(bodies: Bodies | null, body: number) {
        this.selection.clear();
        if (bodies && body >= 0) {
            const matrix = bodies.matrixOf(body, new Matrix4());
            const box = (bodies.geometries[bodies.list[body].mesh].boundingBox ?? new Box3()).clone();
            box.expandByScalar(0.02 * box.min.distanceTo(box.max));
            if (matrix.elements[15] !== 0) addBox(this.selection, box.min.toArray(), box.max.toArray(), matrix);
        }
        this.selection.done();
    }
}

