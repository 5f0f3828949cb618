// What matters of a run, over all of it: where the camera should look, and how fast the fastest is. The rules are those of
// `nacre render` (src/render/camera.c), so that the page and a picture show the same.
import { Box3, Matrix4, Quaternion, Vector3 } from "three";
import { type Bodies, writePose } from "./bodies";
import type { FrameStore } from "./frames";
import type { Frame } from "./source";

const FRAMES = 24; // looked at, evenly over the run
const BYTES = 8 * 1024 * 1024; // of frames, at most: fewer are looked at where they are large
const CROWD = 20; // bodies from which on some may be left out
const FAR = 6; // times the median distance from the middle: out of the picture
const FLAT = 0.05; // height over diagonal of a static body that is taken for a ground
const LARGEST_FLAT = 1.3; // times the diagonal of what moves: larger grounds are not framed
const LARGEST_STILL = 2.2; // the same for other static bodies

export interface Survey {
    main: Box3; // what matters; both in world coordinates (y is up)
    all: Box3; // what stands still, or everything
    fastest: number; // [m/s] of the frames that were looked at
}

const diagonal = (box: Box3) => (box.isEmpty() ? 0 : box.getSize(new Vector3()).length());
const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

export async function sampleFrames(frames: FrameStore, last: number): Promise<Frame[]> {
    const end = await frames.load(last);
    const count = Math.max(1, Math.min(FRAMES, last, Math.floor(BYTES / end.bytes)));
    const rows = [...new Set(Array.from({ length: count }, (_, k) => Math.floor((k * last) / count)))];
    return [...(await Promise.all(rows.map((row) => frames.load(row)))), end];
}

// Rows of a frame whose bodies move and are not lost far away.
function movingRows(bodies: Bodies, frame: Frame): number[] {
    const rows: number[] = [];
    for (let i = 0; i < frame.count; i++) {
        const b = frame.body[i];
        if (b < bodies.list.length && bodies.list[b].type !== "static" && !bodies.hidden[b] && Number.isFinite(frame.x[3 * i])) rows.push(i);
    }
    if (rows.length < CROWD) return rows;
    const middle = [0, 1, 2].map((c) => median(rows.map((i) => frame.x[3 * i + c])));
    const distance = (i: number) => Math.hypot(frame.x[3 * i] - middle[0], frame.x[3 * i + 1] - middle[1], frame.x[3 * i + 2] - middle[2]);
    const far = FAR * median(rows.map(distance));
    return rows.filter((i) => distance(i) <= far + 2 * bodies.radius[frame.body[i]]);
}

// The box of one row of a frame, in world coordinates.
export function boxOfRow(bodies: Bodies, frame: Frame, i: number, turn: Matrix4, out: Box3): Box3 {
    const body = frame.body[i], shape = frame.shapes.get(body), at = new Vector3();
    if (!shape) {
        writePose(POSE.elements as unknown as Float32Array, 0, frame.x, 3 * i, frame.q, 4 * i);
        return out.copy(bodies.geometries[bodies.list[body].mesh].boundingBox!).applyMatrix4(POSE.premultiply(turn));
    }
    out.makeEmpty();
    for (let k = 0; k < shape.length; k += 3) out.expandByPoint(at.fromArray(shape, k).applyMatrix4(turn));
    return out;
}
const POSE = new Matrix4();

export function survey(bodies: Bodies, samples: Frame[], up: Quaternion): Survey {
    const turn = new Matrix4().makeRotationFromQuaternion(up), own = new Box3();
    const main = new Box3(), still = new Box3(), everything = new Box3(), standing: Box3[] = [];
    let fastest = 0;
    for (const frame of samples) {
        for (const i of movingRows(bodies, frame)) {
            main.union(boxOfRow(bodies, frame, i, turn, own));
            fastest = Math.max(fastest, Math.hypot(frame.v[3 * i], frame.v[3 * i + 1], frame.v[3 * i + 2]));
        }
    }
    const end = samples[samples.length - 1];
    for (let i = 0; i < end.count; i++) {
        const body = bodies.list[end.body[i]];
        if (body?.type === "static" && !bodies.hidden[end.body[i]]) standing.push(boxOfRow(bodies, end, i, turn, new Box3()));
    }
    const moving = diagonal(main);
    for (const box of standing) {
        still.union(box);
        const flat = box.max.y - box.min.y < FLAT * diagonal(box);
        if (moving <= 0 || diagonal(box) <= (flat ? LARGEST_FLAT : LARGEST_STILL) * moving) everything.union(box);
    }
    main.union(everything);
    if (main.isEmpty()) main.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    return { main, all: still.isEmpty() ? main.clone() : still, fastest };
}
