// Which frame is shown: plays in simulated time, waits for frames that are not there yet, follows the end of a run that
// grows.
import type { FrameStore } from "./frames";

export class Player {
    index = 0;
    playing = false;
    loop = true;
    speed = 1;
    smooth = false; // in slow motion, show what may lie between two frames
    followEnd = false;
    interval = 1 / 24; // [s] simulated time between frames
    onChange: () => void = () => {};
    private owed = 0; // [s] simulated time not yet shown

    constructor(private frames: FrameStore) {}

    get last(): number {
        return Math.max(0, this.frames.count - 1);
    }

    // How far slow motion is from this frame to the next, in [0, 1); 0 when only stored frames are shown.
    get between(): number {
        if (!this.smooth || !this.playing || this.speed >= 1 || this.index >= this.last) return 0;
        return Math.min(0.999, Math.max(0, this.owed / this.interval));
    }

    seek(index: number) {
        const clipped = Math.min(this.last, Math.max(0, Math.round(index)));
        this.owed = 0;
        this.frames.want(clipped);
        if (clipped === this.index) return;
        this.index = clipped;
        this.onChange();
    }

    step(by: number) {
        this.pause();
        this.seek(this.index + by);
    }

    play() {
        if (this.index === this.last && !this.followEnd) this.seek(0);
        this.playing = true;
        this.followEnd = false;
        this.owed = 0;
        this.onChange();
    }

    pause() {
        this.playing = false;
        this.followEnd = false;
        this.onChange();
    }

    toEnd() {
        this.playing = false;
        this.followEnd = true;
        this.seek(this.last);
        this.onChange();
    }

    // The run has grown.
    grown() {
        if (this.followEnd) this.seek(this.last);
        this.onChange();
    }

    // `seconds` of real time went by.
    tick(seconds: number) {
        if (!this.playing) return;
        this.owed += Math.min(0.25, seconds) * this.speed;
        let steps = Math.floor(this.owed / this.interval);
        if (steps <= 0) return;
        let next = this.index;
        while (steps-- > 0) {
            const after = next < this.last ? next + 1 : this.loop ? 0 : -1;
            if (after < 0) {
                this.playing = false;
                break;
            }
            if (!this.frames.get(after)) {
                this.frames.want(after);
                this.owed = 0;
                break;
            }
            next = after;
            this.owed -= this.interval;
        }
        if (next !== this.index || !this.playing) {
            this.index = next;
            this.frames.want(next);
            this.onChange();
        }
    }
}
