// Pictures and films of the stage, and what is copied: saved by the browser as downloads, or put on the clipboard.
import type { App } from "./app";

const FRAME_RATE = 30; // [1/s] of a film, at most: a frame is taken when one is drawn
const BITS = 8e6; // [1/s] of a film
const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

function save(blob: Blob, name: string) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const nameOf = (app: App) => (app.head.title || app.head.scene || "run").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "run";

// What the stage shows, as large as it is drawn.
export function takePicture(app: App): Promise<void> {
    app.setDraft(false);
    app.stage.touch();
    app.stage.draw(); // a canvas keeps its picture only until the browser has shown it
    return new Promise((resolve, reject) =>
        app.stage.canvas.toBlob((blob) => {
            if (!blob) return reject(new Error("the browser made no picture"));
            save(blob, `${nameOf(app)}-${app.frame?.frame ?? 0}.png`);
            resolve();
        }, "image/png"),
    );
}

// A film of the stage in real time. It begins at the first frame and ends at the last one, or when it is stopped; of a run
// that is followed as it grows, from now until it is stopped.
export class Recorder {
    onChange: () => void = () => {};
    private recorder: MediaRecorder | null = null;
    private looped = true;

    constructor(private app: App) {}

    get on(): boolean {
        return this.recorder !== null;
    }

    get possible(): boolean {
        return typeof MediaRecorder !== "undefined" && KINDS.some((kind) => MediaRecorder.isTypeSupported(kind));
    }

    start() {
        const { player, stage } = this.app, parts: Blob[] = [];
        const recorder = new MediaRecorder(stage.canvas.captureStream(FRAME_RATE), {
            mimeType: KINDS.find((kind) => MediaRecorder.isTypeSupported(kind)), videoBitsPerSecond: BITS,
        });
        recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
        recorder.addEventListener("stop", () => save(new Blob(parts, { type: "video/webm" }), `${nameOf(this.app)}.webm`));
        this.looped = player.loop;
        if (!player.followEnd) {
            player.pause();
            player.seek(0);
            player.loop = false;
            player.play();
        }
        this.recorder = recorder;
        this.app.wantsFull = true;
        this.app.setDraft(false);
        recorder.start(1000);
        this.onChange();
    }

    // The run has come to its end: so has the film, once the last frame has been drawn.
    watch() {
        const { player } = this.app;
        if (this.on && !player.playing && !player.followEnd) setTimeout(() => this.stop(), 2000 / FRAME_RATE);
    }

    stop() {
        const recorder = this.recorder;
        if (!recorder) return;
        this.recorder = null;
        this.app.wantsFull = false;
        this.app.player.loop = this.looped;
        recorder.stop();
        for (const track of recorder.stream.getTracks()) track.stop();
        this.onChange();
    }
}

// False where the browser forbids it: then the text has to be shown.
export async function copy(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return false;
    }
}
