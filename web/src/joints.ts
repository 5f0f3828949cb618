// Joints: drawn over the bodies (anchors, axes, limits, broken ones crossed out), and one of them selected, with its panel.
import { Color, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import type { App } from "./app";
import { Lines } from "./overlays";
import { short } from "./plots";
import type { Frame, Joint, Joints } from "./source";

const HAS_AXIS = new Set(["hinge", "slider", "universal", "cylindrical", "planar", "generic"]);
const AXES = ["x", "y", "z", "about x", "about y", "about z"];
const REACH = 14; // [px] from an anchor that a click chooses
const ARC_STEP = 0.1; // [rad] of a segment of an arc
const WHOLE = new Color("#ffe066"), BROKEN = new Color("#ff4d4d"), CHOSEN = new Color("#ffffff");
const TURN = 2 * Math.PI;

const vector = (v: [number, number, number]) => new Vector3(...v);

export class JointOverlay {
    readonly group = new Group();
    joints: Joints | null = null; // of the frame that is shown, once known
    selected = -1; // a slot
    drawn = { anchors: 0, axes: 0, arcs: 0, segments: 0, broken: 0 };
    private asked = false;
    private axes = new Lines("#ffe066");
    private links = new Lines("#9fb4c8");
    private limits = new Lines("#ff9f43");
    private pointers = new Lines("#7bed9f");
    private crosses = new Lines("#ff4d4d");
    private dots: InstancedMesh | null = null;

    constructor(private app: App) {
        for (const lines of [this.links, this.axes, this.limits, this.pointers, this.crosses]) this.group.add(lines.object);
    }

    get current(): Joint | null {
        return this.joints?.joints.find((joint) => joint.joint === this.selected) ?? null;
    }

    // Another frame: what was known is of the one before.
    forget() {
        this.joints = null;
    }

    // One question at a time, the newest frame first.
    async ask() {
        const { frame } = this.app;
        if (!frame || this.joints || this.asked || !this.app.shown.joints) return;
        this.asked = true;
        try {
            const joints = await this.app.source.joints(frame);
            if (this.app.frame === frame) {
                this.joints = joints;
                this.app.drawOverlays();
                this.app.onFrame();
            }
        } catch (error) {
            this.app.report(error);
        } finally {
            this.asked = false;
        }
        if (this.app.frame !== frame) void this.ask();
    }

    select(slot: number) {
        this.selected = slot;
        this.app.drawOverlays();
        this.app.onFrame();
    }

    // The one after the selected one, in the order of slots; the overlay is switched on for it.
    selectNext() {
        const list = this.joints?.joints ?? [];
        const at = list.findIndex((joint) => joint.joint === this.selected);
        if (list.length > 0) this.app.selectJoint(list[(at + 1) % list.length].joint);
    }

    // The joint whose anchor is nearest to a place of the picture, x and y in [-1, 1]; -1: none is near.
    pick(x: number, y: number): number {
        const { stage } = this.app, { clientWidth: width, clientHeight: height } = stage.canvas;
        let best = REACH, found = -1;
        stage.camera.updateMatrixWorld();
        for (const joint of this.app.shown.joints ? (this.joints?.joints ?? []) : []) {
            const at = vector(joint.anchorA).applyQuaternion(stage.root.quaternion).project(stage.camera);
            const away = Math.hypot(((at.x - x) * width) / 2, ((at.y - y) * height) / 2);
            if (Math.abs(at.z) > 1 || !(away < best)) continue;
            best = away;
            found = joint.joint;
        }
        return found;
    }

    // ---- drawing ----------------------------------------------------------------------------------------------

    draw(unit: number) {
        const list = this.app.shown.joints ? (this.joints?.joints ?? []) : [], { frame } = this.app;
        const all = [this.axes, this.links, this.limits, this.pointers, this.crosses];
        this.drawn = { anchors: list.length, axes: 0, arcs: 0, segments: 0, broken: 0 };
        for (const lines of all) lines.clear();
        for (const joint of list)
            if (joint.broken) this.drawBroken(joint, unit);
            else if (frame) this.drawWhole(joint, frame, unit);
        for (const lines of all) lines.done();
        this.drawDots(list, unit);
    }

    private drawDots(list: Joint[], unit: number) {
        if (this.dots) {
            this.group.remove(this.dots);
            this.dots.geometry.dispose();
            this.dots.dispose();
            this.dots = null;
        }
        if (list.length === 0) return;
        const material = new MeshBasicMaterial({ depthTest: false, transparent: true, toneMapped: false });
        const dots = new InstancedMesh(new SphereGeometry(0.04 * unit, 12, 8), material, list.length), matrix = new Matrix4();
        dots.instanceMatrix.setUsage(DynamicDrawUsage);
        list.forEach((joint, k) => {
            const size = joint.joint === this.selected ? 1.6 : 1;
            dots.setMatrixAt(k, matrix.makeScale(size, size, size).setPosition(vector(joint.anchorA)));
            dots.setColorAt(k, joint.joint === this.selected ? CHOSEN : joint.broken ? BROKEN : WHOLE);
        });
        dots.frustumCulled = false;
        dots.renderOrder = 13;
        this.dots = dots;
        this.group.add(dots);
    }

    // A cross where it held A.
    private drawBroken(joint: Joint, unit: number) {
        const at = vector(joint.anchorA), s = 0.12 * unit;
        for (const [x, y, z] of [[s, s, 0], [s, -s, 0], [0, s, s], [0, -s, s]])
            this.crosses.add(at.x - x, at.y - y, at.z - z, at.x + x, at.y + y, at.z + z);
        this.drawn.broken++;
    }

    private line(lines: Lines, from: Vector3, to: Vector3) {
        lines.add(from.x, from.y, from.z, to.x, to.y, to.z);
    }

    private drawWhole(joint: Joint, frame: Frame, unit: number) {
        const a = vector(joint.anchorA), b = vector(joint.anchorB), axis = vector(joint.axis);
        if (joint.kind === "distance" || joint.kind === "gear") return this.line(this.axes, a, b);
        for (const [body, at] of [[joint.a, a], [joint.b, b]] as const) {
            const centre = body >= 0 && this.app.bodyOf(body)?.type === "dynamic" ? this.app.placeOf(body) : null;
            if (centre) this.line(this.links, at, centre);
        }
        if (!HAS_AXIS.has(joint.kind)) return;
        this.line(this.axes, b.clone().addScaledVector(axis, -0.3 * unit), b.clone().addScaledVector(axis, 0.3 * unit));
        this.drawn.axes++;
        if (joint.lower[0] !== null) this.drawSegment(b, axis, joint.lower[0], joint.upper[0]!, unit);
        if (joint.lower[3] !== null) this.drawArc(joint, frame, a, axis, unit);
    }

    // From where to where A's anchor may slide, with a tick at each end.
    private drawSegment(b: Vector3, axis: Vector3, lower: number, upper: number, unit: number) {
        const across = perpendicular(axis).multiplyScalar(0.08 * unit);
        const ends = [lower, upper].map((q) => b.clone().addScaledVector(axis, q));
        this.line(this.limits, ends[0], ends[1]);
        for (const end of ends) this.line(this.limits, end.clone().sub(across), end.clone().add(across));
        this.drawn.segments++;
    }

    // A pointer that A carries, and the arc that it may turn in: the pointer stands at the joint's angle on it.
    private drawArc(joint: Joint, frame: Frame, at: Vector3, axis: Vector3, unit: number) {
        const pointer = this.pointerOf(joint, frame, at, axis), radius = 0.35 * unit, angle = joint.position[3];
        const lower = joint.lower[3]!, upper = Math.min(joint.upper[3]!, lower + TURN);
        const point = (q: number) => at.clone().addScaledVector(pointer.clone().applyAxisAngle(axis, q - angle), radius);
        const count = Math.max(2, Math.ceil((upper - lower) / ARC_STEP));
        for (let k = 0; k < count; k++) this.line(this.limits, point(lower + ((upper - lower) * k) / count), point(lower + ((upper - lower) * (k + 1)) / count));
        this.line(this.limits, at, point(lower));
        this.line(this.limits, at, point(upper));
        this.line(this.pointers, at, point(angle));
        this.drawn.arcs++;
    }

    // Across the axis and fixed in A: to its centre, or, where that is on the axis, one of A's own axes.
    private pointerOf(joint: Joint, frame: Frame, at: Vector3, axis: Vector3): Vector3 {
        const centre = this.app.placeOf(joint.a), row = this.app.rowOf(joint.a);
        const across = (v: Vector3) => v.addScaledVector(axis, -v.dot(axis));
        const out = centre ? across(centre.sub(at)) : new Vector3();
        if (out.length() > 1e-3 || row < 0) return out.length() > 0 ? out.normalize() : perpendicular(axis);
        const turn = new Quaternion().fromArray(frame.q, 4 * row);
        for (const own of [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)]) {
            across(own.applyQuaternion(turn));
            if (own.length() > 0.5) return own.normalize();
        }
        return perpendicular(axis);
    }

    // ---- the panel --------------------------------------------------------------------------------------------

    // What is known of the selected joint in this frame, as rows of a list.
    facts(): [string, string][] {
        const joint = this.current;
        if (!joint) return [];
        const name = (body: number) => (body < 0 ? "the world" : this.app.nameOf(body));
        const unit = (k: number) => (k < 3 ? "m" : "rad"), rows: [string, string][] = [["kind", joint.kind + (joint.broken ? ", broken" : "")]];
        rows.push(["bodies", `${name(joint.a)} on ${name(joint.b)}`]);
        joint.position.forEach((q, k) => {
            const limited = joint.lower[k] !== null;
            if (q === 0 && joint.velocity[k] === 0 && joint.drive[k] === 0 && !limited) return;
            rows.push([AXES[k], `${short(q)} ${unit(k)}, ${short(joint.velocity[k])} ${unit(k)}/s`]);
            if (limited) rows.push(["limits", `${short(joint.lower[k]!)} to ${short(joint.upper[k]!)} ${unit(k)}`]);
            if (joint.drive[k] !== 0) rows.push(["drive", `${short(joint.drive[k])} ${k < 3 ? "N" : "N m"}`]);
        });
        rows.push(["force", `${short(vector(joint.force).length())} N`], ["torque", `${short(vector(joint.torque).length())} N m`]);
        rows.push(["error", `${short(joint.error)} m, ${short(joint.errorAngle)} rad`]);
        return rows;
    }

    note(): string {
        if (!this.joints) return "";
        const { count, joints } = this.joints, broken = joints.filter((joint) => joint.broken).length;
        const left = count > joints.length ? ` ${joints.length} of them are drawn.` : "";
        return `${count} joint${count === 1 ? "" : "s"}${broken > 0 ? `, ${broken} broken` : ""}.${left}`;
    }
}

function perpendicular(axis: Vector3): Vector3 {
    const other = Math.abs(axis.x) < 0.6 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    return other.cross(axis).normalize();
}
