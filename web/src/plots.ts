// Plots under the timeline, linked to it: a cursor shows the current frame, values are below, a click goes there.
import type { Column, Reports } from "./source";

type Row = (reports: Table, i: number) => number; // NaN: nothing there

interface Line {
    name: string;
    value: Row;
}
interface Definition {
    id: string;
    title: string;
    unit: string;
    lines: Line[];
    stacked?: boolean;
    logarithmic?: boolean;
}

// All reports so far, a column each.
export class Table {
    count = 0;
    private columns = new Map<Column, number[]>();

    constructor(readonly outputEvery: number) {}

    add(part: Reports) {
        if (part.first !== this.count) return;
        for (const [key, value] of Object.entries(part))
            if (Array.isArray(value)) {
                const column = this.columns.get(key) ?? [];
                for (const item of value) column.push(item ?? NaN);
                this.columns.set(key, column);
            }
        this.count += part.count;
    }

    at(name: Column, i: number): number {
        return this.columns.get(name)?.[i] ?? NaN;
    }

    // A sum over the steps of a frame as a mean per step; frame 0 has no steps.
    mean(name: Column, i: number): number {
        const steps = i > 0 ? Math.min(this.outputEvery, this.at("step", i) - this.at("step", i - 1)) : 0;
        return steps > 0 ? this.at(name, i) / steps : NaN;
    }
}

const length3 = (t: Table, i: number, x: Column, y: Column, z: Column) => Math.hypot(t.at(x, i), t.at(y, i), t.at(z, i));
const mean = (name: string, column: Column, scale = 1): Line => ({ name, value: (t, i) => scale * t.mean(column, i) });

const DEFINITIONS: Definition[] = [
    {
        id: "energy", title: "Energy", unit: "J",
        lines: [
            { name: "kinetic", value: (t, i) => t.at("kinetic", i) },
            { name: "potential", value: (t, i) => t.at("potential", i) },
            { name: "total", value: (t, i) => t.at("kinetic", i) + t.at("potential", i) },
        ],
    },
    {
        id: "momentum", title: "Momentum", unit: "kg m/s, kg m²/s",
        lines: [
            { name: "linear", value: (t, i) => length3(t, i, "momentum_x", "momentum_y", "momentum_z") },
            { name: "angular", value: (t, i) => length3(t, i, "angular_momentum_x", "angular_momentum_y", "angular_momentum_z") },
        ],
    },
    {
        id: "contacts", title: "Contacts", unit: "per step",
        lines: [mean("resting", "contacts"), mean("bounces", "collisions"), mean("dynamic", "dynamic_contacts")],
    },
    {
        id: "time", title: "Time per step", unit: "ms", stacked: true,
        lines: [
            mean("collide", "seconds_collide", 1e3), mean("predict", "seconds_predict", 1e3), mean("separate", "seconds_separate", 1e3),
            mean("settle", "seconds_settle", 1e3), mean("commit", "seconds_commit", 1e3),
        ],
    },
    {
        id: "merges", title: "Merges", unit: "per step",
        lines: [mean("sticks", "sticks"), mean("halts", "halts"), mean("stalls", "stalls"), { name: "clusters", value: (t, i) => t.mean("kinematic_clusters", i) + t.mean("full_clusters", i) }],
    },
    {
        id: "distance", title: "Smallest distance", unit: "m", logarithmic: true,
        lines: [{ name: "certified", value: (t, i) => t.at("smallest_distance", i) }],
    },
];

// Four significant digits at most (or as many as asked for), in the fewest characters.
export function short(value: number, digits = 4): string {
    if (!Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e5 || size < 1e-3)) return value.toExponential(2).replace("e+", "e");
    return String(Number(value.toPrecision(digits)));
}

// Coordinates: what is a millionth of the largest one or less is rounding, and 0.
export function shortVector(values: number[]): string {
    const least = 1e-6 * Math.max(...values.map(Math.abs));
    return values.map((value) => short(Math.abs(value) <= least ? 0 : value)).join(", ");
}

class Plot {
    readonly element = document.createElement("section");
    private canvas = document.createElement("canvas");
    private cursor = document.createElement("div");
    private most = document.createElement("span");
    private least = document.createElement("span");
    private values: HTMLElement[] = [];
    private width = 0;

    constructor(private definition: Definition, seek: (part: number) => void) {
        const title = document.createElement("h2");
        const unit = document.createElement("small");
        unit.textContent = definition.unit;
        title.append(definition.title, unit);
        this.most.className = "most";
        this.least.className = "least";
        const area = document.createElement("div");
        area.className = "area";
        this.cursor.className = "cursor";
        area.append(this.canvas, this.most, this.least, this.cursor);
        const list = document.createElement("ul");
        definition.lines.forEach((line, k) => {
            const item = document.createElement("li"), value = document.createElement("b");
            item.style.setProperty("--colour", `var(--c${k})`);
            value.dataset.value = `${definition.id}.${line.name}`;
            item.append(`${line.name} `, value);
            this.values.push(value);
            list.append(item);
        });
        this.element.className = "plot";
        this.element.id = `plot-${definition.id}`;
        this.element.setAttribute("aria-label", definition.title);
        this.element.append(title, area, list);
        const go = (event: PointerEvent) => {
            const box = area.getBoundingClientRect();
            seek((event.clientX - box.left) / box.width);
        };
        area.addEventListener("pointerdown", (event) => {
            if (event.pointerType === "mouse") area.setPointerCapture(event.pointerId);
            go(event);
        });
        area.addEventListener("pointermove", (event) => {
            if (event.buttons === 1 && event.pointerType === "mouse") go(event);
        });
    }

    // The cursor and the values of frame i of `count`.
    point(table: Table, i: number, count: number) {
        this.cursor.style.transform = `translateX(${((i + 0.5) / Math.max(1, count)) * this.width}px)`;
        this.definition.lines.forEach((line, k) => {
            const text = short(line.value(table, i), this.definition.stacked ? 3 : 4);
            if (this.values[k].textContent !== text) this.values[k].textContent = text;
        });
    }

    draw(table: Table, count: number, colours: string[]) {
        const box = this.canvas.getBoundingClientRect();
        if (box.width === 0) return;
        const ratio = Math.min(2, window.devicePixelRatio);
        this.width = box.width;
        this.canvas.width = Math.round(box.width * ratio);
        this.canvas.height = Math.round(box.height * ratio);
        const context = this.canvas.getContext("2d")!;
        const series = this.series(table, count, this.canvas.width);
        const [low, high] = this.limits(series);
        this.most.textContent = Number.isFinite(high) ? short(this.back(high)) : "none yet";
        this.least.textContent = Number.isFinite(low) && low !== high ? short(this.back(low)) : "";
        const y = (value: number) => this.canvas.height * (1 - (0.05 + 0.9 * ((value - low) / (high - low || 1))));
        context.lineWidth = 1.5 * ratio;
        context.lineJoin = "round";
        // The last lines are drawn first, so that the first lie on top.
        for (let k = series.length - 1; k >= 0; k--) {
            context.strokeStyle = context.fillStyle = colours[k];
            if (this.definition.stacked) this.fill(context, series, k, y);
            else this.stroke(context, series[k], y);
        }
    }

    private back(value: number): number {
        return this.definition.logarithmic ? 10 ** value : value;
    }

    // One value per column of pixels, for each line: the largest in size of the frames there (the least, where small is
    // what matters).
    private series(table: Table, count: number, columns: number): Float64Array[] {
        const known = Math.min(table.count, count);
        const series = this.definition.lines.map(() => new Float64Array(columns).fill(NaN));
        const least = this.definition.logarithmic;
        for (let column = 0; column < columns; column++) {
            const begin = Math.floor((column * count) / columns), end = Math.max(begin + 1, Math.floor(((column + 1) * count) / columns));
            let below = 0;
            this.definition.lines.forEach((line, k) => {
                let best = NaN;
                for (let i = begin; i < end && i < known; i++) {
                    const value = line.value(table, i);
                    if (Number.isNaN(value)) continue;
                    if (Number.isNaN(best) || (least ? value < best : Math.abs(value) > Math.abs(best))) best = value;
                }
                if (this.definition.stacked) best = below += best || 0;
                series[k][column] = least ? Math.log10(best) : best;
            });
        }
        return series;
    }

    private limits(series: Float64Array[]): [number, number] {
        let low = this.definition.logarithmic ? Infinity : 0, high = this.definition.logarithmic ? -Infinity : 0, any = false;
        for (const line of series)
            for (const value of line)
                if (Number.isFinite(value)) {
                    any = true;
                    low = Math.min(low, value);
                    high = Math.max(high, value);
                }
        return any ? [low, high] : [NaN, NaN];
    }

    private stroke(context: CanvasRenderingContext2D, line: Float64Array, y: (value: number) => number) {
        context.beginPath();
        let open = false;
        line.forEach((value, x) => {
            if (!Number.isFinite(value)) open = false;
            else if (open) context.lineTo(x + 0.5, y(value));
            else {
                context.moveTo(x + 0.5, y(value));
                context.lineTo(x + 1, y(value));
                open = true;
            }
        });
        context.stroke();
    }

    private fill(context: CanvasRenderingContext2D, series: Float64Array[], k: number, y: (value: number) => number) {
        const line = series[k], below = k > 0 ? series[k - 1] : null;
        context.globalAlpha = 0.8;
        for (let x = 0; x < line.length; x++) {
            if (!Number.isFinite(line[x])) continue;
            const top = y(line[x]), bottom = y(below ? below[x] : 0);
            context.fillRect(x, top, 1, Math.max(0, bottom - top));
        }
        context.globalAlpha = 1;
    }
}

export class Plots {
    private plots: Plot[];

    constructor(readonly host: HTMLElement, seek: (part: number) => void) {
        this.plots = DEFINITIONS.map((definition) => new Plot(definition, seek));
        host.append(...this.plots.map((plot) => plot.element));
    }

    draw(table: Table, count: number) {
        if (this.host.hidden) return;
        const style = getComputedStyle(document.documentElement);
        const colours = [0, 1, 2, 3, 4].map((k) => style.getPropertyValue(`--c${k}`));
        for (const plot of this.plots) plot.draw(table, count, colours);
    }

    point(table: Table, i: number, count: number) {
        if (this.host.hidden) return;
        for (const plot of this.plots) plot.point(table, i, count);
    }
}
