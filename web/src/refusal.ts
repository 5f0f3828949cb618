// A scene that cannot start: what touches or overlaps, in a list and on the bodies.
import { Box3, BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, Vector3 } from "three";
import type { App } from "./app";
import type { Refusal, RefusedPair } from "./source";

const OUTLINED = 3; // times the size of the other side: elements that large are not filled, or nothing else would be seen

const get = (id: string) => document.getElementById(id)!;

function boxOf(parts: number[][]): Box3 {
    const box = new Box3(), at = new Vector3();
    for (const part of parts) for (let k = 0; k < part.length; k += 3) box.expandByPoint(at.fromArray(part, k));
    return box;
}

const sizeOf = (box: Box3) => (box.isEmpty() ? Infinity : box.getSize(new Vector3()).length());

export class RefusalView {
    readonly group = new Group();
    chosen = -1; // the pair that is shown alone
    private refusal: Refusal;

    constructor(private app: App, refusal: Refusal) {
        const [ox, oy, oz] = app.head.origin;
        const shift = (parts: number[][]) => parts.map((part) => part.map((c, k) => c - [ox, oy, oz][k % 3]));
        this.refusal = { ...refusal, pairs: refusal.pairs.map((pair) => ({ ...pair, partsA: shift(pair.partsA), partsB: shift(pair.partsB) })) };
        app.stage.root.add(this.group);
        this.list();
        this.draw();
    }

    // One pair alone, from near; the same again: all of them.
    choose(pair: number) {
        this.chosen = pair === this.chosen ? -1 : pair;
        [...get("refused-pairs").querySelectorAll("button")].forEach((button, k) => button.setAttribute("aria-pressed", String(k === this.chosen)));
        this.draw();
        if (this.chosen < 0) void this.app.fit();
        else this.look(this.refusal.pairs[this.chosen]);
    }

    private look(pair: RefusedPair) {
        const a = boxOf(pair.partsA), b = boxOf(pair.partsB);
        const box = sizeOf(a) < sizeOf(b) ? a : b;
        if (box.isEmpty()) this.app.select(pair.b);
        if (box.isEmpty()) return this.app.follow(true);
        const turned = new Box3(), at = new Vector3();
        for (let k = 0; k < 8; k++)
            turned.expandByPoint(at.set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).applyQuaternion(this.app.stage.root.quaternion));
        this.app.stage.look(turned.expandByScalar(0.3 * sizeOf(box)));
    }

    private draw() {
        const filled: number[] = [], lines: number[] = [];
        this.refusal.pairs.forEach((pair, k) => {
            if (this.chosen >= 0 && k !== this.chosen) return;
            const a = sizeOf(boxOf(pair.partsA)), b = sizeOf(boxOf(pair.partsB));
            this.add(pair.partsA, a <= OUTLINED * b, filled, lines);
            this.add(pair.partsB, b <= OUTLINED * a, filled, lines);
        });
        this.group.clear();
        const faces = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(filled), 3));
        const sides = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(lines), 3));
        const onTop = { depthTest: false, transparent: true, toneMapped: false };
        const mesh = new Mesh(faces, new MeshBasicMaterial({ color: "#ff2d2d", opacity: 0.4, side: 2, depthWrite: false, ...onTop }));
        const edges = new LineSegments(sides, new LineBasicMaterial({ color: "#ff5a3c", ...onTop }));
        for (const object of [mesh, edges]) {
            object.frustumCulled = false;
            object.renderOrder = 12;
            this.group.add(object);
        }
        this.app.stage.touch();
    }

    private add(parts: number[][], fill: boolean, filled: number[], lines: number[]) {
        for (const part of parts) {
            if (fill && part.length === 9) filled.push(...part);
            const corners = part.length / 3;
            for (let k = 0; k < corners && corners > 1; k++) {
                const next = (k + 1) % corners;
                lines.push(...part.slice(3 * k, 3 * k + 3), ...part.slice(3 * next, 3 * next + 3));
            }
        }
    }

    private list() {
        const { refusal, app } = this, { pairs, count } = refusal;
        const listed = pairs.length < count ? `; ${pairs.length} of them are listed` : "";
        get("refused-count").textContent = `${count === 1 ? "1 pair of bodies touches or overlaps" : `${count} pairs of bodies touch or overlap`} at the start${listed}.`;
        get("refused-pairs").replaceChildren(
            ...pairs.map((pair, k) => {
                const item = document.createElement("li"), button = document.createElement("button"), names = document.createElement("b"), what = document.createElement("span");
                names.textContent = pair.a === pair.b ? `${app.nameOf(pair.a)} with itself` : `${app.nameOf(pair.a)} and ${app.nameOf(pair.b)}`;
                what.textContent = `${pair.kind}: ${pair.text}`;
                button.append(names, what);
                button.setAttribute("aria-pressed", "false");
                button.addEventListener("click", () => this.choose(k));
                item.append(button);
                return item;
            }),
        );
        get("refused-remedy").hidden = refusal.command === "";
        get("refused-command").textContent = refusal.command;
        get("refused-sentence").textContent = refusal.sentence;
        get("refusal").hidden = false;
        get("plots").hidden = true; // nothing was computed
        get("toggle-plots").setAttribute("aria-pressed", "false");
    }
}
