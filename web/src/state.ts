// What is seen as the part of an address after '#', and back: camera, frame, selection, hidden bodies, modes. Only what
// differs from how the page opens is written. The camera is in the run's own axes, with its origin.
import { Vector3 } from "three";
import type { App, ColourBy, Shown } from "./app";

const COLOURS = ["body", "shape", "speed"];
const OVERLAYS: (keyof Shown)[] = ["contacts", "smallest", "velocity", "tree", "clusters", "forces", "joints"];

const digits = (value: number) => String(Number(value.toPrecision(7)));

// 0 1 2 5 as "0-2.5".
export function writeRanges(numbers: number[]): string {
    const parts: string[] = [];
    for (let i = 0; i < numbers.length; ) {
        let k = i;
        while (k + 1 < numbers.length && numbers[k + 1] === numbers[k] + 1) k++;
        parts.push(k === i ? `${numbers[i]}` : `${numbers[i]}-${numbers[k]}`);
        i = k + 1;
    }
    return parts.join(".");
}

export function readRanges(text: string, below: number): number[] {
    const numbers: number[] = [];
    for (const part of text.split(".")) {
        const [from, to] = part.split("-").map(Number);
        for (let i = from; i <= Math.min(to ?? from, below - 1); i++) numbers.push(i);
    }
    return numbers;
}

// Where the camera stands and what it looks at, as a scene would name them [m].
export function cameraOf(app: App): { position: Vector3; target: Vector3 } {
    const { stage } = app, back = stage.root.quaternion.clone().invert(), origin = new Vector3(...app.head.origin);
    const aim = stage.controls.target, away = stage.camera.position.clone().sub(aim).normalize();
    const position = aim.clone().addScaledVector(away, stage.distance);
    return { position: position.applyQuaternion(back).add(origin), target: aim.clone().applyQuaternion(back).add(origin) };
}

// The scene's `camera` block.
export function cameraYaml(app: App): string {
    const { position, target } = cameraOf(app);
    const list = (v: Vector3) => `[${v.toArray().map(digits).join(", ")}]`;
    return `camera:\n  position: ${list(position)}\n  target: ${list(target)}\n  fov: ${app.stage.perspective.fov}\n`;
}

export function writeState(app: App): string {
    const { stage, player } = app, { position, target } = cameraOf(app), parts: string[] = [];
    const put = (key: string, value: string | number) => parts.push(`${key}=${encodeURIComponent(String(value)).replaceAll("%2C", ",")}`);
    if (player.followEnd) put("live", 1);
    else put("frame", player.index);
    put("camera", [...position.toArray(), ...target.toArray()].map(digits).join(","));
    if (stage.isOrthographic) put("ortho", 1);
    if (app.selected >= 0) put("select", app.selected);
    if (app.joints.selected >= 0) put("joint", app.joints.selected);
    if (app.following) put("follow", 1);
    if (app.hiddenBodies.length > 0) put("hide", writeRanges(app.hiddenBodies));
    if (stage.clip) put("clip", `${"xyz"[stage.clip.axis]},${digits(stage.clip.at + app.head.origin[stage.clip.axis])},${stage.clip.flip ? 1 : 0}`);
    if (app.colourBy !== "body") put("colour", app.colourBy);
    const shown = OVERLAYS.filter((name) => app.shown[name]);
    if (shown.length > 0) put("show", shown.join(","));
    if (app.shown.tree) put("depth", app.treeDepth);
    if (player.speed !== 1) put("speed", player.speed);
    if (!player.loop) put("loop", 0);
    if (player.smooth) put("smooth", 1);
    if (player.playing) put("play", 1);
    put("theme", document.documentElement.dataset.theme ?? "dark");
    if (document.getElementById("plots")!.hidden) put("plots", 0);
    return parts.join("&");
}

const numbersIn = (text: string | null) => (text ?? "").split(",").map(Number);

// Makes it so. What is malformed, or of another run, is left out.
export function readState(app: App, text: string) {
    const state = new URLSearchParams(text), { stage, player } = app;
    const number = (key: string) => (state.has(key) && /^-?\d+(\.\d+)?$/.test(state.get(key)!) ? Number(state.get(key)) : null);
    const origin = new Vector3(...app.head.origin);
    stage.setOrthographic(number("ortho") === 1);
    const camera = numbersIn(state.get("camera"));
    if (camera.length === 6 && camera.every(Number.isFinite)) {
        const [position, target] = [0, 3].map((k) => new Vector3().fromArray(camera, k).sub(origin).applyQuaternion(stage.root.quaternion));
        stage.stand(position, target);
        stage.moved = true;
    }
    const [axis, at, flip] = (state.get("clip") ?? "").split(",");
    const row = axis === "" ? -1 : "xyz".indexOf(axis);
    stage.setClip(row >= 0 && Number.isFinite(Number(at)) ? { axis: row as 0 | 1 | 2, at: Number(at) - app.head.origin[row], flip: flip === "1" } : null);
    app.setHidden(state.has("hide") ? readRanges(state.get("hide")!, app.bodyCount) : []);
    if (state.has("colour") && COLOURS.includes(state.get("colour")!)) app.setColourBy(state.get("colour") as ColourBy);
    const shown = (state.get("show") ?? "").split(",");
    app.setShown(Object.fromEntries(OVERLAYS.map((name) => [name, shown.includes(name)])));
    if (number("depth") !== null) app.setTreeDepth(number("depth")!);
    app.follow(false);
    app.select(number("select") ?? -1);
    if (number("joint") !== null) app.selectJoint(number("joint")!);
    player.speed = number("speed") ?? 1;
    player.loop = number("loop") !== 0;
    player.smooth = number("smooth") === 1;
    const frame = number("frame");
    if (frame !== null) {
        player.pause();
        player.seek(frame);
    }
    if (number("live") === 1) player.toEnd();
    if (number("play") === 1) player.play();
    if (number("follow") === 1) app.follow(true);
}
