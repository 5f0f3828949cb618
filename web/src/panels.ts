// The panel of the view: standard views, clip plane, pictures, films, what is copied; and the legend of colours.
import { Color, Vector3 } from "three";
import type { App } from "./app";
import { heat } from "./palette";
import { copy, Recorder, takePicture } from "./pictures";
import { short } from "./plots";
import type { Clip, ViewName } from "./stage";
import { cameraYaml, writeState } from "./state";

const get = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;
const STEPS = 400; // of the slider of the clip plane

export class ViewPanel {
    readonly recorder: Recorder;
    private saying = 0;

    constructor(private app: App) {
        this.recorder = new Recorder(app);
        this.recorder.onChange = () => this.refresh();
        for (const button of document.querySelectorAll<HTMLButtonElement>("[data-view]")) button.addEventListener("click", () => this.setView(button.dataset.view as ViewName));
        get("ortho").addEventListener("change", (event) => this.setOrthographic((event.target as HTMLInputElement).checked));
        get("clip-axis").addEventListener("change", () => this.setClip(true));
        get("clip-at").addEventListener("input", () => this.setClip(false));
        get("clip-flip").addEventListener("change", () => this.setClip(false));
        get("take-picture").addEventListener("click", () => void this.takePicture());
        get("record").addEventListener("click", () => this.record());
        get("copy-camera").addEventListener("click", () => void this.copyCamera());
        get("copy-link").addEventListener("click", () => void this.copyLink());
        get("record").hidden = !this.recorder.possible;
        const stops = Array.from({ length: 9 }, (_, k) => `#${heat(k / 8, new Color()).getHexString()}`);
        get("legend-bar").style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    }

    // Writes what is so into the controls.
    refresh() {
        const { stage } = this.app, { clip } = stage;
        get<HTMLInputElement>("ortho").checked = stage.isOrthographic;
        get<HTMLSelectElement>("clip-axis").value = clip ? "xyz"[clip.axis] : "";
        get("clip-rows").hidden = !clip;
        if (clip) {
            const [low, high] = this.reach(clip.axis);
            get<HTMLInputElement>("clip-at").value = String(Math.round((STEPS * (clip.at - low)) / (high - low)));
            get<HTMLInputElement>("clip-flip").checked = clip.flip;
            get("clip-text").textContent = `${short(clip.at + this.app.head.origin[clip.axis], 3)} m`;
        }
        get("record").setAttribute("aria-pressed", String(this.recorder.on));
        get("record-text").textContent = this.recorder.on ? "Stop recording" : "Record film";
        get("recording").hidden = !this.recorder.on;
    }

    // What the colours of speed mean.
    refreshLegend() {
        const shown = this.app.colourBy === "speed" && !this.app.shown.clusters;
        get("legend").hidden = !shown;
        if (shown) get("legend-most").textContent = `${short(this.app.fastest, 3)} m/s`;
    }

    setView(name: ViewName) {
        this.app.follow(false);
        this.app.stage.setView(name);
    }

    setOrthographic(on: boolean) {
        this.app.stage.setOrthographic(on);
        this.refresh();
    }

    toggleClip() {
        const axis = get<HTMLSelectElement>("clip-axis");
        axis.value = this.app.stage.clip ? "" : axis.value || "x";
        this.setClip(true);
    }

    // From the controls; another axis begins in the middle of what matters.
    private setClip(middle: boolean) {
        const axis = "xyz".indexOf(get<HTMLSelectElement>("clip-axis").value || "?") as Clip["axis"] | -1;
        if (axis === -1) this.app.stage.setClip(null);
        else {
            const [low, high] = this.reach(axis), part = middle ? 0.5 : Number(get<HTMLInputElement>("clip-at").value) / STEPS;
            this.app.stage.setClip({ axis, at: low + part * (high - low), flip: get<HTMLInputElement>("clip-flip").checked });
        }
        this.refresh();
    }

    // From where to where the plane goes along an axis of the run, a little beyond what matters.
    private reach(axis: 0 | 1 | 2): [number, number] {
        const turn = this.app.stage.root.quaternion.clone().invert(), at = new Vector3();
        const { min, max } = this.app.main;
        let low = Infinity, high = -Infinity;
        for (let k = 0; k < 8; k++) {
            const c = at.set(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z).applyQuaternion(turn).getComponent(axis);
            low = Math.min(low, c);
            high = Math.max(high, c);
        }
        const margin = 0.02 * (high - low) || 1e-6;
        return [low - margin, high + margin];
    }

    async takePicture() {
        await takePicture(this.app);
        this.say("Picture saved");
    }

    record() {
        if (!this.recorder.possible) return this.say("This browser cannot record");
        if (this.recorder.on) this.recorder.stop();
        else this.recorder.start();
    }

    async copyCamera() {
        await this.copy(cameraYaml(this.app), "Camera copied, as a scene's camera block");
    }

    async copyLink() {
        history.replaceState(null, "", `#${writeState(this.app)}`);
        await this.copy(location.href, "Link copied; it is in the address, too");
    }

    private async copy(text: string, done: string) {
        if (await copy(text)) return this.say(done);
        const field = get<HTMLTextAreaElement>("copy-text");
        field.value = text;
        get<HTMLDialogElement>("copy-dialog").showModal();
        field.select();
    }

    say(sentence: string) {
        get("said").textContent = sentence;
        get("said").hidden = false;
        clearTimeout(this.saying);
        this.saying = window.setTimeout(() => (get("said").hidden = true), 3000);
    }
}
