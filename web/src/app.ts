// The viewer: a run, the stage it is shown on, and what the user has selected. ui.ts has the buttons.
import { Box3, type BufferGeometry, Color, Matrix4, Raycaster, Vector2, Vector3 } from "three";
import { Arrows } from "./arrows";
import { Bodies } from "./bodies";
import { FrameStore } from "./frames";
import { makeGeometry, meshRadius } from "./geometry";
import { JointOverlay } from "./joints";
import { Overlays } from "./overlays";
import { colourOf, heat, SELECTED, STILL } from "./palette";
import { Player } from "./player";
import { Table } from "./plots";
import { RefusalView } from "./refusal";
import { type Body, type Clusters, type Forces, type Frame, type Head, type Near, ServerGone, type Source, type Tree } from "./source";
import { Stage } from "./stage";
import { boxOfRow, sampleFrames, survey } from "./survey";

export interface Shown {
    contacts: boolean;
    smallest: boolean;
    velocity: boolean;
    tree: boolean;
    clusters: boolean;
    forces: boolean;
    joints: boolean;
}
export type ColourBy = "body" | "shape" | "speed";

const OWN = new Color();
const HEARTBEAT = 5000; // [ms] between two questions whether the server of a complete run is still there
const RETRY = 3000; // [ms] between two attempts to find it again
const LONG = 0.15; // [s] for a picture: too long for what moves
const STILL_FOR = 400; // [ms] without a change: what is seen stands still
const BREATH = 100; // [ms] between two questions for what is new in a run that may grow
const MESHES_AT_ONCE = 16; // requests under way
const IMPATIENT = 1000; // [ms] the same, when the server would not wait for something new

export class App {
    head!: Head;
    table!: Table;
    bodies: Bodies | null = null;
    frame: Frame | null = null; // the one on the stage
    near: Near | null = null; // of that frame, once known
    clusters: Clusters | null = null; // of that frame, once known
    forces: Forces | null = null; // of that frame, once known
    forceUnit = 1; // [N] of an arrow as long as a middling body
    nearIsThere = true; // false: this source cannot tell
    treesAreThere = true;
    selected = -1;
    following = false;
    growing = false;
    blended = false; // bodies are shown between two frames
    shown: Shown = { contacts: false, smallest: false, velocity: false, tree: false, clusters: false, forces: false, joints: false };
    colourBy: ColourBy = "body";
    treeDepth = 2;
    scriptTime = 0; // [ms] of the last frame that was drawn
    main = new Box3(); // what matters, over the run, in world coordinates
    fastest = 0; // [m/s] what the colour of speed ends at: the fastest body of the run, as far as is known
    autoplay = true; // play once everything is there
    onFrame: () => void = () => {};
    onTable: () => void = () => {};
    onHead: () => void = () => {};
    onBodies: () => void = () => {}; // other bodies, or others of them are hidden
    onTrouble: (sentence: string) => void = () => {};
    onReplaced: () => void = () => {}; // the server shows another run from now on
    readonly frames: FrameStore;
    readonly player: Player;
    readonly overlays = new Overlays();
    readonly arrows = new Arrows();
    readonly joints = new JointOverlay(this);
    private unit = 1; // [m] the size of a middling body of those that move
    refusal: RefusalView | null = null; // of a scene that cannot start
    private list: Body[] = [];
    private meshes: ArrayBuffer[] = [];
    private geometries: BufferGeometry[] = [];
    private holders = new Set<number>(); // meshes that have others inside them
    private trees = new Map<number, Tree>();
    private treesDepth = -1;
    private nearAsked = -1;
    private clustersAsked = false;
    private forcesAsked = false;
    private arranged = 0; // frames the run had when the lights were placed
    private target = new Vector3(); // where the followed body was
    wantsFull = false; // never a draft: a film is being made
    private drew = false; // at the last refresh of the screen
    private drewAt = 0; // [ms]
    private isCostly = false; // it takes long to draw everything as it is
    private unseen = new Set<number>(); // bodies that the user has hidden
    private smallestAt: Vector3 | null = null;

    // `begun` is the head of the run, requested while the stage was being made.
    constructor(readonly source: Source, readonly stage: Stage, private begun: Promise<Head>) {
        this.frames = new FrameStore(source);
        this.player = new Player(this.frames);
        this.frames.onArrival = () => this.stage.touch();
        this.frames.onTrouble = (error) => this.report(error);
        this.stage.onClip = (on) => this.bodies?.setCut(on);
        this.stage.root.add(this.overlays.group, this.arrows.group, this.joints.group);
    }

    // ---- loading ----------------------------------------------------------------------------------------------

    async open() {
        this.head = await this.begun;
        this.table = new Table(this.head.outputEvery);
        this.frames.count = this.head.frames;
        this.player.interval = this.head.timestep * this.head.outputEvery;
        this.stage.setUp(this.head.gravity);
        await Promise.all([this.loadBodies(), this.loadReports(), this.frames.load(0)]);
        await this.frames.load(this.player.last);
        if (this.table.count > 1) this.player.interval = (this.table.at("time", this.table.count - 1) - this.table.at("time", 0)) / (this.table.count - 1);
        await this.lookInside();
        this.show(this.frames.get(0)!);
        await this.fit();
        this.frames.want(0);
        // A run that is being computed is followed until the user selects something else.
        if (this.head.refused) {
            const refusal = await this.source.refusal();
            if (refusal) this.refusal = new RefusalView(this, refusal);
            if (this.head.generation !== undefined) setTimeout(() => void this.listen(), BREATH);
            return;
        }
        if (this.head.trouble) this.onTrouble(this.head.trouble);
        if (this.source.grows && !this.head.finished) this.player.toEnd();
        else if (this.autoplay && this.player.last > 0) this.player.play();
        if (this.source.grows) setTimeout(() => void this.listen(), BREATH);
    }

    private async loadBodies() {
        while (this.list.length < this.head.bodies) {
            const more = await this.source.bodies(this.list.length);
            if (more.length === 0) break;
            this.list.push(...more);
        }
        while (this.meshes.length < this.head.meshes) {
            const some = Math.min(MESHES_AT_ONCE, this.head.meshes - this.meshes.length);
            this.meshes.push(...(await Promise.all(Array.from({ length: some }, (_, k) => this.source.mesh(this.meshes.length + k)))));
        }
        const radii = this.meshes.map(meshRadius);
        const moving = this.list.filter((body) => body.type !== "static");
        const sizes = (moving.length > 0 ? moving : this.list).map((body) => radii[body.mesh]).sort((a, b) => a - b);
        const middling = sizes[Math.floor(sizes.length / 2)] ?? 1;
        const soft = new Map(this.list.map((body) => [body.mesh, body.deforms]));
        for (let row = this.geometries.length; row < this.meshes.length; row++) this.geometries.push(makeGeometry(this.meshes[row], 0.03 * middling, soft.get(row)));
        this.unit = 2 * middling;
        this.overlays.setUnit(this.unit);
        this.forceUnit = this.middlingWeight();
        this.makeBodies();
    }

    // [N] of the bodies that move; where nothing has weight, what speeds them up by 10 m/s^2.
    private middlingWeight(): number {
        const masses = this.list.filter((body) => body.type === "dynamic" && body.mass > 0).map((body) => body.mass).sort((a, b) => a - b);
        return (masses[Math.floor(masses.length / 2)] ?? 1) * (Math.hypot(...this.head.gravity) || 10);
    }

    private makeBodies() {
        if (this.bodies) {
            this.stage.root.remove(this.bodies.group);
            this.bodies.dispose();
        }
        this.bodies = new Bodies(this.list, this.geometries, this.holders, this.stage.clipped, this.stage.around);
        for (const body of this.unseen) this.bodies.hidden[body] = 1;
        this.onBodies();
        this.stage.root.add(this.bodies.group);
        this.paint();
        if (this.frame) this.bodies.place(this.frame);
        this.stage.touchShadows();
    }

    // Makes glass of what holds others in the newest frame.
    private async lookInside() {
        const found = this.bodies!.holders(await this.frames.load(this.player.last));
        if ([...found].every((mesh) => this.holders.has(mesh))) return;
        for (const mesh of found) this.holders.add(mesh);
        this.makeBodies();
    }

    private async loadReports() {
        while (this.table.count < this.head.frames) {
            const before = this.table.count;
            this.table.add(await this.source.reports(before, 4000));
            if (this.table.count === before) break;
        }
        this.onTable();
    }

    // A run that is being written: the server replies when there is something new, or after a while.
    private async listen() {
        let pause = BREATH;
        try {
            const asked = performance.now();
            const head = await this.source.head(this.head.finished ? 0 : this.head.frames);
            if (head.generation !== this.head.generation) return this.onReplaced();
            if ((head.trouble ?? "") !== (this.head.trouble ?? "")) this.onTrouble(head.trouble ?? "");
            this.growing = !head.finished && !head.paused && (head.frames > this.head.frames || this.growing);
            const changed = head.frames !== this.head.frames || head.finished !== this.head.finished;
            const born = head.bodies > this.head.bodies || head.meshes > this.head.meshes;
            if (!head.finished && !changed && performance.now() - asked < IMPATIENT) pause = IMPATIENT;
            this.head = head;
            if (born) {
                await this.loadBodies();
                if (this.frame) this.show(this.frame);
            }
            if (changed) {
                this.frames.count = head.frames;
                await this.loadReports();
                this.player.grown();
                if (head.frames > 2 * this.arranged) {
                    await this.lookInside();
                    const main = await this.arrange();
                    if (!this.stage.moved && !this.following) this.stage.look(main);
                }
            }
            this.onHead();
            if (head.finished) pause = head.generation === undefined ? HEARTBEAT : IMPATIENT;
        } catch (error) {
            this.report(error);
            if (error instanceof ServerGone) return;
            pause = RETRY;
        }
        setTimeout(() => void this.listen(), pause);
    }

    // Pauses, continues or restarts the simulation; the next head tells that it is so.
    async command(name: "pause" | "continue" | "restart") {
        try {
            await this.source.command(name);
            if (name !== "restart") this.head = { ...this.head, paused: name === "pause" };
            this.onHead();
        } catch (error) {
            this.report(error);
        }
    }

    report(error: unknown) {
        if (error instanceof ServerGone) this.loseServer();
        else this.onTrouble(String(error instanceof Error ? error.message : error));
    }

    // What was loaded can still be looked at, until the server is back.
    private loseServer() {
        if (this.frames.held) return;
        this.frames.held = true;
        this.growing = false;
        const left = this.frames.complete ? "All frames are loaded and can still be looked at." : "Frames that were loaded can still be looked at; for the others, start it again.";
        this.onTrouble(`nacre view has ended. ${left}`);
        this.onHead();
        setTimeout(() => void this.findServer(), RETRY);
    }

    private async findServer() {
        try {
            const head = await this.source.head();
            const { title, scene, bodies, frames } = this.head;
            // Another run at the same address is another page.
            if (head.title !== title || head.scene !== scene || head.bodies < bodies || head.frames < frames) return location.reload();
            this.frames.held = false;
            this.onTrouble("");
            this.frames.want(this.player.index);
            void this.listen();
        } catch {
            setTimeout(() => void this.findServer(), RETRY);
        }
    }

    // ---- what is seen -----------------------------------------------------------------------------------------

    // Called for every refresh of the screen.
    tick(seconds: number) {
        const begin = performance.now();
        this.player.tick(seconds);
        const frame = this.frames.get(this.player.index);
        if (frame && frame !== this.frame) this.show(frame);
        if (frame) this.blend(frame);
        this.chooseQuality(begin, seconds);
        this.drew = this.stage.draw(seconds);
        if (!this.drew) return;
        this.drewAt = performance.now();
        this.placeTag();
        this.scriptTime = performance.now() - begin;
    }

    // Where a picture of very many bodies takes long, what moves is drawn as a draft, and as it is once it stands still.
    private chooseQuality(now: number, seconds: number) {
        if (this.drew && seconds > LONG && !this.stage.draft && this.stage.isHeavy) this.isCostly = true;
        if (!this.isCostly || this.wantsFull) return;
        if (this.stage.dirty && !this.stage.draft && (this.drew || now - this.drewAt < STILL_FOR)) this.setDraft(true);
        else if (!this.stage.dirty && this.stage.draft && now - this.drewAt > STILL_FOR) this.setDraft(false);
    }

    // Everything as it is, for a picture, a film or a click.
    setDraft(on: boolean) {
        this.bodies?.setCoarse(on);
        this.stage.setDraft(on);
    }

    // Slow motion, where it is wanted: bodies between this frame and the next. Everything else that is shown is of this one.
    private blend(frame: Frame) {
        const part = this.player.between, next = part > 0 ? this.frames.get(this.player.index + 1) : undefined;
        if (!next && !this.blended) return;
        if (next) this.bodies?.placeBetween(frame, next, part);
        else this.bodies?.place(frame);
        this.blended = next !== undefined;
        document.getElementById("between")!.hidden = !this.blended;
        this.stage.touchShadows();
    }

    private show(frame: Frame) {
        this.frame = frame;
        this.bodies?.place(frame);
        if (this.colourBy === "speed") this.paint();
        this.near = null;
        this.clusters = null;
        this.forces = null;
        this.joints.forget();
        if (this.shown.clusters) this.paint();
        this.followBody();
        this.drawOverlays();
        this.askNear();
        this.stage.touchShadows();
        this.onFrame();
    }

    private row(frame: Frame | null, body: number): number {
        if (!frame || body < 0) return -1;
        return frame.body[body] === body ? body : frame.body.indexOf(body);
    }

    speedOf(body: number): number {
        const i = this.row(this.frame, body);
        if (i < 0) return NaN;
        return Math.hypot(this.frame!.v[3 * i], this.frame!.v[3 * i + 1], this.frame!.v[3 * i + 2]);
    }

    // Its row in the frame that is shown; -1: it is not there.
    rowOf(body: number): number {
        return this.row(this.frame, body);
    }

    placeOf(body: number): Vector3 | null {
        const i = this.row(this.frame, body);
        return i < 0 ? null : new Vector3().fromArray(this.frame!.x, 3 * i);
    }

    private paint() {
        const joined = new Map(this.clusters?.members ?? []);
        const speeds = this.colourBy === "speed" ? new Float32Array(this.list.length) : null;
        for (let i = 0; speeds && this.frame && i < this.frame.count; i++) {
            const speed = Math.hypot(this.frame.v[3 * i], this.frame.v[3 * i + 1], this.frame.v[3 * i + 2]);
            speeds[this.frame.body[i]] = speed;
            if (speed > this.fastest && this.list[this.frame.body[i]]?.type !== "static") this.fastest = speed;
        }
        this.bodies?.paint((body: number, out: Color) => {
            const { type } = this.list[body];
            if (body === this.selected) out.copy(SELECTED);
            else if (this.shown.clusters) this.paintCluster(joined.get(body), type, out);
            else if (speeds && type !== "static") heat(speeds[body] / (this.fastest || 1), out);
            else out.copy(this.colourOf(body));
        });
        this.stage.touch();
    }

    // One colour a cluster; what was alone is pale.
    private paintCluster(cluster: number | undefined, type: string, out: Color) {
        if (cluster === undefined || type === "static") out.copy(STILL);
        else out.copy(colourOf(cluster + 1, "dynamic"));
    }

    // The theme has changed.
    repaint() {
        this.paint();
    }

    setColourBy(by: ColourBy) {
        this.colourBy = by;
        this.paint();
        this.onFrame();
    }

    // ---- camera -----------------------------------------------------------------------------------------------

    private async arrange() {
        const { main, all, fastest } = survey(this.bodies!, await sampleFrames(this.frames, this.player.last), this.stage.root.quaternion);
        this.arranged = this.frames.count;
        this.fastest = Math.max(this.fastest, fastest);
        this.main = main;
        this.stage.arrange(all, main);
        return main;
    }

    async fit() {
        this.follow(false);
        this.stage.look(await this.arrange());
    }

    // The selected body from near, from where the camera is; without one, everything.
    zoomToSelection() {
        const i = this.row(this.frame, this.selected);
        if (i < 0) return void this.fit();
        const turn = new Matrix4().makeRotationFromQuaternion(this.stage.root.quaternion);
        const box = boxOfRow(this.bodies!, this.frame!, i, turn, new Box3());
        this.stage.look(box.expandByScalar(0.25 * box.getSize(new Vector3()).length()), "here");
        this.stage.moved = true;
        if (this.following) this.follow(true);
    }

    follow(on: boolean) {
        this.following = on && this.selected >= 0;
        const at = this.placeOf(this.selected);
        if (this.following && at) {
            this.target.copy(at.applyQuaternion(this.stage.root.quaternion));
            const move = this.target.clone().sub(this.stage.controls.target);
            this.stage.camera.position.add(move);
            this.stage.controls.target.copy(this.target);
            this.stage.touch();
        }
        this.onHead();
    }

    // ---- hiding -----------------------------------------------------------------------------------------------

    get hiddenBodies(): number[] {
        return [...this.unseen].sort((a, b) => a - b);
    }

    isHidden(body: number): boolean {
        return this.unseen.has(body);
    }

    setHidden(bodies: Iterable<number>) {
        this.unseen = new Set([...bodies].filter((body) => body >= 0 && body < this.list.length));
        if (!this.bodies) return;
        this.bodies.hidden.fill(0);
        for (const body of this.unseen) this.bodies.hidden[body] = 1;
        if (this.frame) this.bodies.place(this.frame);
        this.drawOverlays();
        this.stage.touchShadows();
        this.onBodies();
    }

    hide(body: number, on = !this.isHidden(body)) {
        const next = new Set(this.unseen);
        if (on) next.add(body);
        else next.delete(body);
        this.setHidden(next);
    }

    // Hides everything else; again: shows everything.
    isolate(body: number) {
        const alone = !this.isHidden(body) && this.unseen.size === this.list.length - 1;
        this.setHidden(alone || body < 0 ? [] : this.list.flatMap((_, other) => (other === body ? [] : [other])));
    }

    // Bodies whose name or number has `text` in it.
    matches(text: string): number[] {
        const wanted = text.trim().toLowerCase(), found: number[] = [];
        for (let i = 0; i < this.list.length; i++)
            if (wanted === "" || String(i) === wanted || this.list[i].name.toLowerCase().includes(wanted)) found.push(i);
        return found;
    }

    colourTextOf(body: number): string {
        return `#${this.colourOf(body).getHexString()}`;
    }

    // Its own, or one by its number or its mesh's.
    private colourOf(body: number): Color {
        const { type, mesh, color } = this.list[body];
        if (this.colourBy === "shape") return colourOf(mesh, type);
        return color && /^#[0-9a-f]{6}$/i.test(color) ? OWN.set(color) : colourOf(body, type);
    }

    private followBody() {
        const at = this.following ? this.placeOf(this.selected) : null;
        if (!at) return;
        at.applyQuaternion(this.stage.root.quaternion);
        const move = at.clone().sub(this.target);
        this.stage.camera.position.add(move);
        this.stage.controls.target.add(move);
        this.target.copy(at);
    }

    // ---- choosing a body --------------------------------------------------------------------------------------

    nameOf(body: number): string {
        return this.list[body]?.name || `body ${body}`;
    }

    bodyOf(body: number): Body | undefined {
        return this.list[body];
    }

    select(body: number) {
        this.selected = body < this.list.length ? body : -1;
        this.joints.selected = -1;
        if (this.selected < 0 || this.following) this.follow(this.selected >= 0 && this.following);
        this.paint();
        this.drawOverlays();
        this.askNear();
        this.onFrame();
    }

    // A joint instead of a body.
    selectJoint(slot: number) {
        this.select(-1);
        this.joints.select(slot);
    }

    // x and y in [-1, 1], as the canvas has them.
    pick(x: number, y: number) {
        this.setDraft(false);
        const joint = this.joints.pick(x, y);
        if (joint >= 0) return this.selectJoint(joint);
        const ray = new Raycaster();
        ray.setFromCamera(new Vector2(x, y), this.stage.camera);
        this.stage.root.updateMatrixWorld(true);
        this.select(this.bodies?.pick(ray) ?? -1);
    }

    get bodyCount(): number {
        return this.list.length;
    }

    // ---- overlays ---------------------------------------------------------------------------------------------

    setShown(change: Partial<Shown>) {
        Object.assign(this.shown, change);
        if ("clusters" in change) this.paint();
        this.drawOverlays();
        this.askNear();
        this.onFrame();
    }

    setTreeDepth(depth: number) {
        this.treeDepth = depth;
        this.drawOverlays();
    }

    drawOverlays() {
        const near = this.near;
        this.overlays.showContacts(this.shown.contacts ? near : null);
        this.smallestAt = this.overlays.showSmallest(this.shown.smallest ? near : null);
        this.overlays.showVelocity(this.shown.velocity ? this.frame : null, this.unseen);
        this.overlays.showSelection(this.bodies, this.selected);
        this.arrows.show(this.shown.forces ? this.forces : null, this.selected, (body) => this.list[body]?.type === "dynamic", this.unit, this.forceUnit);
        this.joints.draw(this.unit);
        if (this.shown.tree) void this.drawTrees();
        else this.overlays.showTrees(null, [], this.trees);
        this.stage.touch();
    }

    // The tree of the selected body; without one, of all moving bodies.
    private async drawTrees() {
        if (this.treesDepth !== this.treeDepth) this.trees.clear();
        this.treesDepth = this.treeDepth;
        const which = this.selected >= 0 ? [this.selected] : this.list.flatMap((body, i) => (body.type === "static" ? [] : [i]));
        for (const mesh of new Set(which.map((body) => this.list[body].mesh))) {
            if (this.trees.has(mesh)) continue;
            const depth = this.treeDepth;
            const tree = await this.source.tree(mesh, depth);
            if (tree === null) this.treesAreThere = false;
            if (tree === null || depth !== this.treeDepth) return;
            this.trees.set(mesh, tree);
        }
        if (!this.shown.tree) return;
        this.overlays.showTrees(this.bodies, which, this.trees);
        this.stage.touch();
    }

    // Forces are in the run, where it stores contacts.
    private async askForces() {
        const frame = this.frame;
        if (!frame || this.forces || this.forcesAsked || !this.shown.forces || !this.head.storesContacts) return;
        this.forcesAsked = true;
        try {
            const forces = await this.source.forces(frame);
            if (this.frame === frame) {
                this.forces = forces;
                this.drawOverlays();
                this.onFrame();
            }
        } catch (error) {
            this.report(error);
        } finally {
            this.forcesAsked = false;
        }
        if (this.frame !== frame) void this.askForces();
    }

    private async askClusters() {
        const frame = this.frame;
        if (!frame || this.clusters || this.clustersAsked || !(this.shown.clusters || this.selected >= 0)) return;
        this.clustersAsked = true;
        try {
            const clusters = await this.source.clusters(frame);
            if (this.frame === frame) {
                this.clusters = clusters;
                if (this.shown.clusters) this.paint();
                this.onFrame();
            }
        } catch (error) {
            this.report(error);
        } finally {
            this.clustersAsked = false;
        }
        if (this.frame !== frame) void this.askClusters();
    }

    clusterOf(body: number): { name: number; size: number } | null {
        const own = this.clusters?.members.find(([member]) => member === body);
        return own ? { name: own[1], size: this.clusters!.members.filter(([, cluster]) => cluster === own[1]).length } : null;
    }

    // Contacts are found by the server when they are wanted: one question at a time, the newest frame first.
    private async askNear() {
        void this.askClusters();
        void this.askForces();
        void this.joints.ask();
        const wanted = this.shown.contacts || this.shown.smallest || this.selected >= 0;
        const frame = this.frame;
        if (!wanted || !frame || this.near || !this.nearIsThere || this.nearAsked >= 0) return;
        this.nearAsked = frame.frame;
        try {
            const near = await this.source.near(frame);
            this.nearIsThere = near !== null;
            if (near && this.frame === frame) {
                this.near = near;
                this.drawOverlays();
            }
        } catch (error) {
            this.report(error);
        } finally {
            this.nearAsked = -1;
        }
        this.onFrame();
        if (this.frame !== frame) void this.askNear();
    }

    contactsOf(body: number): { count: number; others: number } | null {
        if (!this.near) return null;
        const own = this.near.contacts.filter(([a, b]) => a === body || b === body);
        return { count: own.length, others: new Set(own.map(([a, b]) => (a === body ? b : a))).size };
    }

    // The distance stands beside the place it was measured at.
    private placeTag() {
        const tag = document.getElementById("tag")!;
        const show = this.smallestAt !== null && this.near?.smallest;
        tag.hidden = !show;
        if (!show) return;
        const at = this.smallestAt!.clone().applyQuaternion(this.stage.root.quaternion).project(this.stage.camera);
        const { clientWidth: width, clientHeight: height } = this.stage.canvas;
        tag.textContent = `${show.distance.toExponential(2)} m`;
        tag.style.transform = `translate(${(0.5 + 0.5 * at.x) * width + 10}px, ${(0.5 - 0.5 * at.y) * height - 26}px)`;
    }
}
