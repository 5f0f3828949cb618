// Frames at hand: fetched in runs ahead of where the player is, the farthest ones forgotten when there are too many.
import type { Frame, Source } from "./source";

const BUDGET = 256 * 1024 * 1024; // bytes kept
const REPLY = 4 * 1024 * 1024; // bytes a reply, as the server bounds it
const AT_ONCE = 2; // requests under way

export class FrameStore {
    count = 0; // frames the run has
    held = false; // nothing is requested, as nobody would answer
    onArrival: () => void = () => {};
    onTrouble: (error: unknown) => void = () => {};
    private frames = new Map<number, Frame>();
    private asked = new Set<number>();
    private bytes = 0;
    private underway = 0;
    private here = 0;

    constructor(private source: Source) {}

    get(index: number): Frame | undefined {
        return this.frames.get(index);
    }

    // Makes sure that `index` and what follows it will be there.
    want(index: number) {
        this.here = index;
        if (this.held) return;
        for (let k = 0; k < 3 && this.underway < AT_ONCE; k++) {
            const first = this.firstMissing(index, k === 0 ? 1 : this.chunk() * 2);
            if (first < 0) return;
            void this.fetch(first);
        }
    }

    async load(index: number): Promise<Frame> {
        const known = this.frames.get(index);
        if (known) return known;
        const [frame] = await this.source.frames(index, 1);
        this.keep(index, frame);
        return frame;
    }

    // Whether all frames are at hand.
    get complete(): boolean {
        return this.frames.size >= this.count;
    }

    private chunk(): number {
        const one = this.frames.values().next().value?.bytes ?? REPLY;
        return Math.max(1, Math.min(64, Math.floor(REPLY / one)));
    }

    private firstMissing(index: number, within: number): number {
        for (let i = index; i < Math.min(this.count, index + within); i++)
            if (!this.frames.has(i) && !this.asked.has(i)) return i;
        return -1;
    }

    private async fetch(first: number) {
        let count = 0;
        while (count < this.chunk() && first + count < this.count && !this.frames.has(first + count)) count++;
        for (let i = 0; i < count; i++) this.asked.add(first + i);
        this.underway++;
        try {
            const frames = await this.source.frames(first, count);
            frames.forEach((frame, i) => this.keep(first + i, frame));
            this.onArrival();
        } catch (error) {
            this.onTrouble(error);
        } finally {
            for (let i = 0; i < count; i++) this.asked.delete(first + i);
            this.underway--;
        }
    }

    private keep(index: number, frame: Frame) {
        if (!this.frames.has(index)) this.bytes += frame.bytes;
        this.frames.set(index, frame);
        if (this.bytes <= BUDGET) return;
        const farthest = [...this.frames.keys()].sort((a, b) => Math.abs(b - this.here) - Math.abs(a - this.here));
        for (const other of farthest) {
            if (this.bytes <= 0.8 * BUDGET) break;
            this.bytes -= this.frames.get(other)!.bytes;
            this.frames.delete(other);
        }
    }
}
