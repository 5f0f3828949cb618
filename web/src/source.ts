// Where a run comes from: the server of `nacre view`, or the page itself when it was exported.
// The replies are described in docs/viewer.md.

export interface Head {
    title: string;
    scene: string;
    nacre: string;
    timestep: number; // [s]
    stepsWanted: number; // 0: open-ended
    outputEvery: number; // steps per frame
    frames: number;
    lastStep: number;
    finished: boolean;
    bodies: number;
    meshes: number;
    gravity: [number, number, number];
    restDistance: number; // [m]
    proximity: number; // [m]
    floorDistance: number; // [m]
    origin: [number, number, number]; // [m] what positions are relative to
    refused?: boolean; // the start of a scene that cannot start: one frame
    storesContacts?: boolean; // the run has forces at contacts
    generation?: number; // of a scene that is simulated while it is looked at: another one is another run
    controls?: boolean; // this page may pause and restart it
    paused?: boolean;
    trouble?: string; // why the scene as it was saved last is not simulated
}

// Two bodies that touch or overlap. Parts are elements of theirs that share points, as corners [m]: nine numbers for a triangle.
export interface RefusedPair {
    a: number;
    b: number;
    kind: "touching" | "overlapping" | "inside";
    depth: number | null; // [m]
    direction: [number, number, number];
    text: string;
    place: [number, number, number]; // [m]
    partsA: number[][];
    partsB: number[][];
}
export interface Refusal {
    sentence: string;
    command: string; // that repairs it; "": none does
    count: number; // of all; the list may be shorter
    pairs: RefusedPair[];
}

export interface Body {
    name: string;
    type: "static" | "kinematic" | "dynamic";
    mesh: number;
    mass: number; // [kg]
    color?: string; // "#rrggbb"; none: one is chosen by body
    material?: string;
    deforms?: "smooth" | "sharp"; // its vertices are in every frame; smooth: no edge is seen as one
}

// Row i of each array belongs to body[i].
export interface Frame {
    frame: number;
    time: number; // [s]
    step: number;
    count: number;
    body: Uint32Array;
    x: Float32Array; // [m] three per row
    q: Float32Array; // x y z w
    v: Float32Array; // [m/s] three per row
    shapes: Map<number, Float32Array>; // by body: where the vertices of those that deform are, three numbers each
    bytes: number;
}

// Names of columns: those of the table `report` in run files (include/nacre/report.def).
export type Column = string;
export interface Reports {
    first: number;
    count: number;
    [column: string]: number | (number | null)[];
}

// [body a, body b, place x y z, normal x y z, distance]
export type Contact = [number, number, number, number, number, number, number, number, number];
export interface Near {
    frame: number;
    within: number; // [m]
    count: number; // of all; the list may be shorter
    smallest: { a: number; b: number; distance: number; from: number[]; to: number[] } | null;
    contacts: Contact[];
}
// Mean forces from the frame before to this one: [body a, body b, place x y z, force on a x y z [N]]
export interface Forces {
    frame: number;
    count: number; // of all; the list may be shorter
    contacts: [number, number, number, number, number, number, number, number][];
}
export interface Tree {
    depth: number;
    boxes: number[][]; // low x y z, high x y z
}
// Bodies that were joined in the last step of a frame: [body, cluster].
export interface Clusters {
    frame: number;
    members: [number, number][];
}

// A joint in a frame. Six numbers are of its axes: along x, y, z [m], about them [rad]. Limits are null where an axis has none.
export interface Joint {
    joint: number; // its slot
    name: string;
    kind: string;
    a: number;
    b: number; // -1: the world
    broken: boolean;
    anchorA: [number, number, number]; // [m]
    anchorB: [number, number, number]; // [m]
    axis: [number, number, number];
    position: number[];
    velocity: number[];
    drive: number[]; // [N] or [N m] of the drives
    lower: (number | null)[];
    upper: (number | null)[];
    force: [number, number, number]; // [N] of the joint on a
    torque: [number, number, number]; // [N m] the same, about its anchor
    error: number; // [m]
    errorAngle: number; // [rad]
}
export interface Joints {
    frame: number;
    count: number; // of all; the list may be shorter
    joints: Joint[];
}

export interface Source {
    grows: boolean;
    head(after?: number): Promise<Head>; // a server waits a while for more frames than `after`
    bodies(first: number): Promise<Body[]>;
    mesh(row: number): Promise<ArrayBuffer>;
    frames(first: number, count: number): Promise<Frame[]>;
    reports(first: number, count: number): Promise<Reports>;
    near(frame: Frame): Promise<Near | null>; // null: this source has none
    clusters(frame: Frame): Promise<Clusters>;
    tree(row: number, depth: number): Promise<Tree | null>;
    forces(frame: Frame): Promise<Forces | null>; // null: this source has none
    joints(frame: Frame): Promise<Joints>;
    command(name: string): Promise<void>; // to who simulates: pause, continue, restart
    refusal(): Promise<Refusal | null>;
}

const HAS_SHAPES = 0x80000000; // in the count

// The shapes that follow the poses: their count, then of each the body, how many vertices, and these.
function readShapes(buffer: ArrayBuffer, view: DataView, at: number): { shapes: Map<number, Float32Array>; end: number } {
    const shapes = new Map<number, Float32Array>();
    const count = view.getUint32(at, true);
    at += 4;
    for (let i = 0; i < count; i++) {
        const vertices = view.getUint32(at + 4, true);
        shapes.set(view.getUint32(at, true), new Float32Array(buffer, at + 8, 3 * vertices));
        at += 8 + 12 * vertices;
    }
    return { shapes, end: at };
}

// Records one after the other: number, count, time, step, then a block a quantity, then shapes where the count says so.
export function readFrames(buffer: ArrayBuffer): Frame[] {
    const frames: Frame[] = [];
    const view = new DataView(buffer);
    for (let at = 0; at + 24 <= buffer.byteLength; ) {
        const word = view.getUint32(at + 4, true);
        const count = word & 0x7fffffff, block = at + 24;
        if (block + 44 * count > buffer.byteLength) throw new Error("a frame is cut short");
        const tail = word >= HAS_SHAPES ? readShapes(buffer, view, block + 44 * count) : null;
        const bytes = (tail ? tail.end : block + 44 * count) - at;
        frames.push({
            frame: view.getUint32(at, true),
            time: view.getFloat64(at + 8, true),
            step: view.getFloat64(at + 16, true),
            count,
            body: new Uint32Array(buffer, block, count),
            x: new Float32Array(buffer, block + 4 * count, 3 * count),
            q: new Float32Array(buffer, block + 16 * count, 4 * count),
            v: new Float32Array(buffer, block + 32 * count, 3 * count),
            shapes: tail?.shapes ?? new Map(),
            bytes,
        });
        at += bytes;
    }
    return frames;
}

// Nobody answers where the server was.
export class ServerGone extends Error {}

class ServerSource implements Source {
    grows = true;

    private async get(path: string, method = "GET"): Promise<Response> {
        let response: Response;
        try {
            response = await fetch(path, { cache: "no-store", method });
        } catch {
            throw new ServerGone("nacre view does not answer");
        }
        if (!response.ok) throw new Error((await response.text()).trim() || `the server says ${response.status}`);
        return response;
    }
    async head(after = 0): Promise<Head> {
        return (await this.get(after > 0 ? `/api/head?after=${after}` : "/api/head")).json();
    }
    async bodies(first: number): Promise<Body[]> {
        return (await this.get(`/api/bodies?first=${first}&count=20000`)).json();
    }
    async mesh(row: number): Promise<ArrayBuffer> {
        return (await this.get(`/api/mesh?row=${row}`)).arrayBuffer();
    }
    async frames(first: number, count: number): Promise<Frame[]> {
        return readFrames(await (await this.get(`/api/frames?first=${first}&count=${count}`)).arrayBuffer());
    }
    async reports(first: number, count: number): Promise<Reports> {
        return (await this.get(`/api/reports?first=${first}&count=${count}`)).json();
    }
    async near(frame: Frame): Promise<Near | null> {
        return (await this.get(`/api/near?first=${frame.frame}`)).json();
    }
    async clusters(frame: Frame): Promise<Clusters> {
        return (await this.get(`/api/clusters?first=${frame.frame}`)).json();
    }
    async tree(row: number, depth: number): Promise<Tree | null> {
        return (await this.get(`/api/tree?row=${row}&depth=${depth}`)).json();
    }
    async forces(frame: Frame): Promise<Forces | null> {
        return (await this.get(`/api/contacts?first=${frame.frame}`)).json();
    }
    async joints(frame: Frame): Promise<Joints> {
        return (await this.get(`/api/joints?first=${frame.frame}`)).json();
    }
    async command(name: string) {
        await this.get(`/api/${name}`, "POST");
    }
    async refusal(): Promise<Refusal | null> {
        return (await this.get("/api/refusal")).json();
    }
}

// An exported page: what the server would have said, in elements of the page.
class PageSource implements Source {
    grows = false;
    private touching: Map<number, Near> | null = null;
    private joined: Map<number, Clusters> | null = null;
    private linked: Map<number, Joints> | null = null;
    private decoded: { element: HTMLElement; frames: Frame[] } | null = null; // the part looked into last
    private chunks: { first: number; count: number; element: HTMLElement }[] | null = null;

    private elements(kind: string): HTMLElement[] {
        return [...document.querySelectorAll<HTMLElement>(`script[data-nacre="${kind}"]`)];
    }
    private json<T>(kind: string): T[] {
        return this.elements(kind).map((element) => JSON.parse(element.textContent ?? "null"));
    }
    private bytes(element: HTMLElement): ArrayBuffer {
        const text = atob(element.textContent ?? "");
        const bytes = new Uint8Array(text.length);
        for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
        return bytes.buffer;
    }
    // The page holds some of the run's frames: it counts those.
    async head(): Promise<Head> {
        const head = this.json<Head>("head")[0];
        head.frames = this.json<Reports>("reports").reduce((sum, part) => sum + part.count, 0);
        return head;
    }
    async bodies(first: number): Promise<Body[]> {
        return this.json<Body[]>("bodies").flat().slice(first);
    }
    async mesh(row: number): Promise<ArrayBuffer> {
        return this.bytes(this.elements("mesh")[row]);
    }
    async frames(first: number, count: number): Promise<Frame[]> {
        const found: Frame[] = [];
        this.chunks ??= this.measure();
        for (const chunk of this.chunks) {
            if (chunk.first + chunk.count <= first || chunk.first >= first + count) continue;
            if (this.decoded?.element !== chunk.element) this.decoded = { element: chunk.element, frames: readFrames(this.bytes(chunk.element)) };
            const { frames } = this.decoded;
            found.push(...frames.slice(Math.max(0, first - chunk.first), first + count - chunk.first));
        }
        return found;
    }
    private measure() {
        let first = 0;
        return this.elements("frames").map((element) => {
            const count = Number(element.dataset.count);
            const chunk = { first, count, element };
            first += count;
            return chunk;
        });
    }
    async reports(first: number): Promise<Reports> {
        const parts = this.json<Reports>("reports");
        if (first > 0) return { ...parts[0], first, count: 0 };
        const whole = parts[0];
        for (const part of parts.slice(1)) {
            whole.count += part.count;
            for (const [key, value] of Object.entries(part))
                if (Array.isArray(value)) (whole[key] as (number | null)[]).push(...value);
        }
        return whole;
    }
    async near(frame: Frame): Promise<Near | null> {
        this.touching ??= new Map(this.json<Near>("near").map((one) => [one.frame, one]));
        return this.touching.get(frame.frame) ?? null;
    }
    async clusters(frame: Frame): Promise<Clusters> {
        this.joined ??= new Map(this.json<Clusters>("clusters").map((one) => [one.frame, one]));
        return this.joined.get(frame.frame) ?? { frame: frame.frame, members: [] };
    }
    async tree(): Promise<Tree | null> {
        return null;
    }
    async forces(): Promise<Forces | null> {
        return null;
    }
    async joints(frame: Frame): Promise<Joints> {
        this.linked ??= new Map(this.json<Joints>("joints").map((one) => [one.frame, one]));
        return this.linked.get(frame.frame) ?? { frame: frame.frame, count: 0, joints: [] };
    }
    async command() {}
    async refusal(): Promise<Refusal | null> {
        return null;
    }
}

export function openSource(): Source {
    return document.querySelector('script[data-nacre="head"]') ? new PageSource() : new ServerSource();
}
