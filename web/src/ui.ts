// Buttons, keys and texts of the page.
import type { App, ColourBy, Shown } from "./app";
import { BodyList } from "./list";
import { LiveControls } from "./live";
import type { ThemeName } from "./palette";
import { ViewPanel } from "./panels";
import { Plots, short, shortVector } from "./plots";
import { readState } from "./state";

const get = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;
const OVERLAYS: [keyof Shown, string][] = [
    ["contacts", "show-contacts"], ["smallest", "show-smallest"], ["velocity", "show-velocity"], ["tree", "show-tree"],
    ["clusters", "show-clusters"], ["forces", "show-forces"], ["joints", "show-joints"],
];

// Panels at the right: one is open at a time.
const PANELS = { bodies: "open-bodies", "view-panel": "open-view", overlays: "open-overlays" } as const;
type Panel = keyof typeof PANELS;
const DOUBLE = 350; // [ms] between two clicks that are one double click, or two taps
const DOUBLE_REACH = 24; // [px] between them

export class Interface {
    private plots: Plots;
    private list: BodyList;
    private panel: ViewPanel;
    private live: LiveControls;
    private theme: ThemeName;
    private told = 0; // [ms] when texts were last written
    private listed = -1; // the body that the list last marked

    constructor(private app: App) {
        const player = app.player;
        this.plots = new Plots(get("plots"), (part) => {
            player.pause();
            player.seek(part * app.frames.count - 0.5);
        });
        this.theme = stored("nacre-theme") === "light" || (stored("nacre-theme") === null && matchMedia("(prefers-color-scheme: light)").matches) ? "light" : "dark";
        this.list = new BodyList(app);
        this.panel = new ViewPanel(app);
        this.live = new LiveControls(app);
        this.bindPlayback();
        this.bindView();
        this.bindCanvas();
        document.addEventListener("keydown", (event) => this.key(event));
        player.onChange = () => {
            this.tellPlayback();
            this.panel.recorder.watch();
        };
        app.onBodies = () => this.list.refresh();
        app.onFrame = () => this.tellFrame();
        app.onHead = () => this.tellHead();
        app.onTable = () => this.tellTable();
        app.onTrouble = (sentence) => trouble(sentence);
        new ResizeObserver(() => {
            app.stage.resize();
            this.tellTable();
        }).observe(get("stage"));
        new ResizeObserver(() => this.tellTable()).observe(get("plots"));
        this.setTheme(this.theme);
        if (matchMedia("(max-width: 640px)").matches) get("speed").setAttribute("aria-label", "Speed");
    }

    // ---- what can be done ---------------------------------------------------------------------------------------

    private bindPlayback() {
        const player = this.app.player;
        const click = (id: string, action: () => void) => get(id).addEventListener("click", action);
        click("play", () => (player.playing ? player.pause() : player.play()));
        click("first", () => player.step(-Infinity));
        click("back", () => player.step(-1));
        click("forward", () => player.step(1));
        click("last", () => player.step(Infinity));
        click("loop", () => this.toggleLoop());
        click("follow-end", () => (player.followEnd ? player.pause() : player.toEnd()));
        const scrub = get<HTMLInputElement>("scrub");
        scrub.addEventListener("input", () => {
            const wanted = Number(scrub.value); // pausing writes the current frame there
            player.pause();
            player.seek(wanted);
        });
        get<HTMLSelectElement>("speed").addEventListener("change", (event) => (player.speed = Number((event.target as HTMLSelectElement).value)));
    }

    private bindView() {
        const app = this.app;
        for (const [name, id] of OVERLAYS)
            get<HTMLInputElement>(id).addEventListener("change", (event) => this.setOverlay(name, (event.target as HTMLInputElement).checked));
        const depth = get<HTMLInputElement>("tree-depth");
        depth.addEventListener("input", () => {
            get("tree-depth-text").textContent = depth.value;
            app.setTreeDepth(Number(depth.value));
        });
        get("colour").addEventListener("change", (event) => app.setColourBy((event.target as HTMLSelectElement).value as ColourBy));
        get("smooth").addEventListener("change", (event) => (app.player.smooth = (event.target as HTMLInputElement).checked));
        for (const [name, button] of Object.entries(PANELS)) get(button).addEventListener("click", () => this.togglePanel(name as Panel));
        get("zoom-selection").addEventListener("click", () => app.zoomToSelection());
        get("zoom-body").addEventListener("click", () => app.zoomToSelection());
        get("hide-one").addEventListener("click", () => app.selected >= 0 && app.hide(app.selected));
        get("isolate").addEventListener("click", () => app.isolate(app.selected));
        get("show-all").addEventListener("click", () => app.setHidden([]));
        get("frame-all").addEventListener("click", () => void app.fit());
        get("toggle-plots").addEventListener("click", () => this.togglePlots());
        get("toggle-theme").addEventListener("click", () => this.setTheme(this.theme === "dark" ? "light" : "dark"));
        get("open-help").addEventListener("click", () => get<HTMLDialogElement>("help").showModal());
        get("follow").addEventListener("click", () => app.follow(!app.following));
        get("deselect").addEventListener("click", () => app.select(-1));
        get("next-joint").addEventListener("click", () => this.nextJoint());
        get("deselect-joint").addEventListener("click", () => app.select(-1));
        window.addEventListener("hashchange", () => this.restore());
    }

    // Shows what the address says, where it says something.
    restore() {
        const text = location.hash.slice(1);
        if (text === "") return;
        const said = new URLSearchParams(text);
        const theme = said.get("theme");
        if (theme === "dark" || theme === "light") this.setTheme(theme);
        if ((said.get("plots") === "0") !== get("plots").hidden) this.togglePlots();
        readState(this.app, text);
        for (const [other, id] of OVERLAYS) get<HTMLInputElement>(id).checked = this.app.shown[other];
        get("tree-depth-row").hidden = !this.app.shown.tree;
        get<HTMLInputElement>("tree-depth").value = get("tree-depth-text").textContent = String(this.app.treeDepth);
        get<HTMLSelectElement>("colour").value = this.app.colourBy;
        get<HTMLInputElement>("smooth").checked = this.app.player.smooth;
        get<HTMLSelectElement>("speed").value = String(this.app.player.speed);
        this.panel.refresh();
    }

    // A click that was no drag chooses a body; a double one zooms to it.
    private bindCanvas() {
        const canvas = this.app.stage.canvas;
        let down: PointerEvent | null = null, last: PointerEvent | null = null;
        canvas.addEventListener("pointerdown", (event) => (down = event.isPrimary ? event : null));
        canvas.addEventListener("pointerup", (event) => {
            if (!down || Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 5 || event.button !== 0) return;
            const again = last && event.timeStamp - last.timeStamp < DOUBLE && Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) < DOUBLE_REACH;
            last = again ? null : event;
            if (again) return this.app.zoomToSelection();
            const box = canvas.getBoundingClientRect();
            this.app.pick((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
        });
    }

    private key(event: KeyboardEvent) {
        const target = event.target as HTMLElement;
        const inText = target instanceof HTMLInputElement && target.type === "search";
        const onControl = target instanceof HTMLButtonElement || target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
        if (event.key === "Escape") return this.escape();
        if (inText || event.ctrlKey || event.metaKey || event.altKey || get<HTMLDialogElement>("help").open) return;
        if (onControl && (event.key === " " || (event.key.startsWith("Arrow") && target.id !== "scrub"))) return;
        if (target.id === "scrub" && (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") && !event.shiftKey) return;
        if (target instanceof HTMLSelectElement && event.key.length === 1) return;
        const action = this.keys(event)[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (!action) return;
        event.preventDefault();
        action();
    }

    private keys(event: KeyboardEvent): Record<string, () => void> {
        const { player } = this.app, far = event.shiftKey ? 10 : 1;
        const overlay = (k: number) => () => this.setOverlay(OVERLAYS[k][0], !this.app.shown[OVERLAYS[k][0]]);
        return {
            " ": () => (player.playing ? player.pause() : player.play()),
            ArrowLeft: () => player.step(-far),
            ArrowRight: () => player.step(far),
            Home: () => player.step(-Infinity),
            End: () => player.step(Infinity),
            l: () => this.toggleLoop(),
            s: () => get<HTMLInputElement>("smooth").click(),
            e: () => player.toEnd(),
            "-": () => this.changeSpeed(-1),
            "+": () => this.changeSpeed(1),
            "=": () => this.changeSpeed(1),
            n: () => this.selectNext(1),
            b: () => this.selectNext(-1),
            f: () => this.app.follow(!this.app.following),
            z: () => this.app.zoomToSelection(),
            h: () => this.app.selected >= 0 && this.app.hide(this.app.selected),
            i: () => this.app.isolate(this.app.selected),
            u: () => this.app.setHidden([]),
            r: () => void this.app.fit(),
            t: () => this.togglePanel("bodies"),
            v: () => this.togglePanel("view-panel"),
            o: () => this.togglePanel("overlays"),
            c: () => this.panel.toggleClip(),
            k: () => void this.panel.takePicture(),
            m: () => this.panel.record(),
            y: () => void this.panel.copyCamera(),
            w: () => void this.panel.copyLink(),
            "6": () => this.panel.setView("front"),
            "7": () => this.panel.setView("top"),
            "8": () => this.panel.setView("right"),
            "9": () => this.panel.setOrthographic(!this.app.stage.isOrthographic),
            p: () => this.togglePlots(),
            d: () => this.setTheme(this.theme === "dark" ? "light" : "dark"),
            "?": () => get<HTMLDialogElement>("help").showModal(),
            g: () => this.live.togglePause(),
            a: () => this.live.restart(),
            j: overlay(5),
            x: overlay(6),
            q: () => this.nextJoint(),
            "1": overlay(0), "2": overlay(1), "3": overlay(2), "4": overlay(3), "5": overlay(4),
        };
    }

    private escape() {
        if (get<HTMLDialogElement>("help").open) return;
        const open = (Object.keys(PANELS) as Panel[]).find((name) => !get(name).hidden);
        if (open) this.togglePanel(open);
        else this.app.select(-1);
    }

    private selectNext(by: number) {
        const count = this.app.bodyCount;
        if (count > 0) this.app.select((Math.max(this.app.selected, by > 0 ? -1 : 0) + by + count) % count);
    }

    // The first one once the overlay has loaded them.
    private nextJoint() {
        if (this.app.shown.joints) this.app.joints.selectNext();
        else this.setOverlay("joints", true);
    }

    private changeSpeed(by: number) {
        const select = get<HTMLSelectElement>("speed");
        select.selectedIndex = Math.max(0, Math.min(select.options.length - 1, select.selectedIndex + by));
        this.app.player.speed = Number(select.value);
    }

    private toggleLoop() {
        this.app.player.loop = !this.app.player.loop;
        this.tellPlayback();
    }

    private setOverlay(name: keyof Shown, on: boolean) {
        this.app.setShown({ [name]: on });
        for (const [other, id] of OVERLAYS) get<HTMLInputElement>(id).checked = this.app.shown[other];
        get("tree-depth-row").hidden = !this.app.shown.tree;
    }

    private togglePanel(which: Panel) {
        for (const [name, button] of Object.entries(PANELS)) {
            const open = name === which && get(name).hidden;
            get(name).hidden = !open;
            get(button).setAttribute("aria-expanded", String(open));
        }
        const panel = get(which);
        if (which === "view-panel") this.panel.refresh();
        if (panel.hidden) get("view").focus();
        else panel.querySelector<HTMLElement>("input, button")?.focus();
        if (which === "bodies") this.list.refresh();
        if (which === "bodies") this.list.reveal();
    }

    private togglePlots() {
        const panel = get("plots");
        panel.hidden = !panel.hidden;
        get("toggle-plots").setAttribute("aria-pressed", String(!panel.hidden));
        this.tellTable();
    }

    private setTheme(theme: ThemeName) {
        this.theme = theme;
        document.documentElement.dataset.theme = theme;
        store("nacre-theme", theme);
        this.app.stage.setTheme(theme);
        this.app.repaint();
        this.tellTable();
    }

    // ---- texts --------------------------------------------------------------------------------------------------

    // Bodies may appear and disappear: then those of the current frame are counted, too.
    private tellFacts() {
        const { head, frame } = this.app;
        const count = (n: number, what: string) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
        const bodies = count(head.bodies, "body").replace("bodys", "bodies");
        get("facts").textContent = [
            frame && frame.count !== head.bodies ? `${frame.count.toLocaleString("en")} of ${bodies}` : bodies,
            count(head.frames, "frame"), `steps of ${short(head.timestep)} s`,
        ].join(" · ");
    }

    tellHead() {
        const { head } = this.app;
        if (!head) return;
        const title = head.title || head.scene || "A run";
        document.title = `${title} · Nacre`;
        get("title").textContent = title;
        this.tellFacts();
        const status = get("status");
        status.hidden = head.finished || !this.app.source.grows;
        status.classList.toggle("live", this.app.growing);
        const part = head.stepsWanted > 0 ? `step ${head.lastStep} of ${head.stepsWanted}` : `step ${head.lastStep}`;
        status.textContent = this.app.growing ? `computing, ${part}` : `not complete, ${part}`;
        if (this.app.frames.held) status.textContent = "server ended";
        if (this.app.frames.held) status.hidden = false;
        if (head.paused && !head.finished) status.textContent = `paused, ${part}`;
        if (head.refused) status.textContent = "cannot start";
        this.live.refresh();
        get("follow-end").hidden = head.finished || head.refused === true || !this.app.source.grows;
        get("follow").setAttribute("aria-pressed", String(this.app.following));
        this.tellPlayback();
    }

    tellPlayback() {
        const { player, frames } = this.app;
        const scrub = get<HTMLInputElement>("scrub");
        scrub.max = String(Math.max(0, frames.count - 1));
        scrub.value = String(player.index);
        get("controls").classList.toggle("playing", player.playing);
        get("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
        get("loop").setAttribute("aria-pressed", String(player.loop));
        get("follow-end").setAttribute("aria-pressed", String(player.followEnd));
    }

    tellFrame() {
        const { app } = this;
        const now = performance.now();
        // Texts ten times per second are enough while it plays.
        if (app.player.playing && now - this.told < 100) return;
        this.told = now;
        const frame = app.frame;
        if (!frame) return;
        get("clock-time").textContent = `${frame.time.toFixed(3)} s`;
        get("clock-frame").textContent = `frame ${frame.frame}`;
        get("scrub").setAttribute("aria-valuetext", get("clock").textContent!);
        this.plots.point(app.table, app.player.index, app.frames.count);
        this.tellFacts();
        this.tellBody();
        this.tellJoint();
        this.tellNote();
        this.panel.refreshLegend();
    }

    private tellTable() {
        if (!this.app.table) return;
        this.plots.draw(this.app.table, this.app.frames.count);
        this.plots.point(this.app.table, this.app.player.index, this.app.frames.count);
    }

    private tellBody() {
        const { app } = this;
        const body = app.bodyOf(app.selected);
        get("body").hidden = !body;
        if (app.selected !== this.listed) this.list.reveal();
        this.listed = app.selected;
        if (!body) return;
        get("body-name").textContent = app.nameOf(app.selected);
        const at = app.placeOf(app.selected), contacts = app.contactsOf(app.selected), cluster = app.clusterOf(app.selected);
        const facts: [string, string][] = [
            ["type", body.type],
            ["mass", body.type === "dynamic" ? `${short(body.mass)} kg` : "–"],
            ["speed", at ? `${short(app.speedOf(app.selected))} m/s` : "not in this frame"],
            ["position", at ? shortVector(at.toArray().map((c, k) => c + app.head.origin[k])) : "–"],
            ["contacts", contacts ? `${contacts.count} with ${contacts.others}` : app.nearIsThere ? "…" : "not in this page"],
            ["cluster", !app.clusters ? "…" : cluster ? `of ${app.nameOf(cluster.name)}, ${cluster.size} bodies` : "alone"],
        ];
        fill("body", facts);
        get("follow").setAttribute("aria-pressed", String(app.following));
    }

    private tellJoint() {
        const { joints, shown } = this.app, joint = shown.joints ? joints.current : null;
        get("joint").hidden = !joint;
        if (!joint) return;
        get("joint-name").textContent = joint.name || `joint ${joint.joint}`;
        fill("joint", joints.facts());
    }

    private forcesNote(): string {
        const { app } = this;
        if (!app.head.storesContacts) return "This run has no forces: nacre run --store contacts stores them, nacre view SCENE --store contacts too.";
        if (!app.source.grows) return "An exported page has no forces.";
        if (!app.forces) return "";
        const left = app.forces.count > app.forces.contacts.length ? ` ${app.forces.contacts.length} of them are drawn.` : "";
        return `Mean forces at ${app.forces.count} contact${app.forces.count === 1 ? "" : "s"} since the frame before.${left} An arrow as long as a body: ${short(app.forceUnit, 3)} N.`;
    }

    private tellNote() {
        const { app } = this, { shown, near } = app;
        const notes: string[] = [];
        if (shown.contacts || shown.smallest) {
            if (!app.nearIsThere) notes.push("This page has no contacts: use nacre view, or nacre export with --contacts.");
            else if (near) {
                notes.push(`${near.count} contact${near.count === 1 ? "" : "s"} nearer than ${short(near.within)} m.`);
                if (near.count > near.contacts.length) notes.push(`${near.contacts.length} of them are drawn.`);
                if (shown.smallest) notes.push(near.smallest ? `Smallest: ${app.nameOf(near.smallest.a)} and ${app.nameOf(near.smallest.b)}, ${near.smallest.distance.toExponential(3)} m.` : "No two bodies are near.");
            }
        }
        if (shown.clusters && app.clusters) {
            const names = new Set(app.clusters.members.map(([, cluster]) => cluster));
            notes.push(names.size === 0 ? "No bodies were joined in this frame." : `${names.size} cluster${names.size === 1 ? "" : "s"} of ${app.clusters.members.length} bodies.`);
        }
        if (shown.forces) notes.push(this.forcesNote());
        if (shown.joints) notes.push(app.joints.note());
        if (shown.tree && !app.treesAreThere) notes.push("An exported page has no bounding boxes.");
        get("overlay-note").textContent = notes.join(" ");
    }
}

// Rows of a panel's list; each value has the id panel-name.
function fill(panel: string, facts: [string, string][]) {
    get(`${panel}-facts`).replaceChildren(
        ...facts.flatMap(([name, value]) => {
            const dt = document.createElement("dt"), dd = document.createElement("dd");
            dt.textContent = name;
            dd.textContent = value;
            dd.id = `${panel}-${name.replace(" ", "-")}`;
            return [dt, dd];
        }),
    );
}

export function trouble(sentence: string) {
    const place = get("trouble");
    place.textContent = sentence;
    place.hidden = sentence === "";
}

// Pages from file:// may have no storage.
function stored(key: string): string | null {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}
function store(key: string, value: string) {
    try {
        localStorage.setItem(key, value);
    } catch {
        // Then the theme is chosen again next time.
    }
}
