// A scene that is simulated while it is looked at: pause, continue, restart; and what to do when another run takes its place.
import type { App } from "./app";
import { writeState } from "./state";

const get = (id: string) => document.getElementById(id)!;

export class LiveControls {
    constructor(private app: App) {
        get("sim-pause").addEventListener("click", () => this.togglePause());
        get("sim-restart").addEventListener("click", () => this.restart());
        app.onReplaced = () => this.loadAgain();
    }

    get possible(): boolean {
        return this.app.head?.controls === true && !this.app.frames.held;
    }

    togglePause() {
        const { head } = this.app;
        if (this.possible && !head.finished && !head.refused) void this.app.command(head.paused ? "continue" : "pause");
    }

    restart() {
        if (this.possible) void this.app.command("restart");
    }

    refresh() {
        const { head } = this.app, ended = head.finished || head.refused === true;
        get("sim").hidden = !this.possible;
        get("sim-pause").hidden = ended;
        get("sim-pause-text").textContent = head.paused ? "Continue" : "Pause";
        get("sim-pause").setAttribute("aria-pressed", String(head.paused === true));
    }

    // Another run has taken the place of this one: the page starts again with it. What the user has chosen stays; the frame does
    // not, and neither does a camera that nobody moved, for other bodies may matter.
    private loadAgain() {
        const state = new URLSearchParams(writeState(this.app));
        for (const key of ["frame", "live", "play", ...(this.app.stage.moved ? [] : ["camera"])]) state.delete(key);
        history.replaceState(null, "", `#${state.toString().replaceAll("%2C", ",")}`);
        location.reload();
    }
}
