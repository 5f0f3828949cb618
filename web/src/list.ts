// The list of bodies: only the rows that can be seen are elements of the page, so that its length costs nothing.
import type { App } from "./app";

const ROW = 34; // [px] height of a row, as style.css has it

const get = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;
const EYE = "M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z";

export class BodyList {
    private rows: number[] = []; // bodies that match the search
    private view = get("list-view");
    private room = get("list-room");
    private search = get<HTMLInputElement>("find");

    constructor(private app: App) {
        this.view.addEventListener("scroll", () => this.draw());
        this.view.addEventListener("keydown", (event) => this.key(event));
        this.search.addEventListener("input", () => this.filter());
        this.search.addEventListener("keydown", (event) => {
            if (event.key === "ArrowDown") this.view.focus();
            if (event.key === "Enter" && this.rows.length > 0) app.select(this.best());
        });
        this.room.addEventListener("click", (event) => this.click(event));
        this.room.addEventListener("dblclick", (event) => {
            if (!(event.target as Element).closest(".eye")) app.zoomToSelection();
        });
        new ResizeObserver(() => this.draw()).observe(this.view);
    }

    get isOpen(): boolean {
        return !get("bodies").hidden;
    }

    // A body whose whole name or number was typed comes before those that only contain it.
    private best(): number {
        const wanted = this.search.value.trim().toLowerCase();
        const exact = this.rows.find((body) => this.app.bodyOf(body)!.name.toLowerCase() === wanted);
        return exact ?? this.rows.find((body) => String(body) === wanted) ?? this.rows[0];
    }

    filter() {
        this.rows = this.app.matches(this.search.value);
        this.view.scrollTop = 0;
        this.draw();
    }

    // The bodies, or which of them are hidden, have changed.
    refresh() {
        if (!this.isOpen) return;
        this.rows = this.app.matches(this.search.value);
        this.draw();
    }

    // Brings the selected body into the list's window.
    reveal() {
        const at = this.rows.indexOf(this.app.selected);
        if (!this.isOpen || at < 0) return this.draw();
        const top = at * ROW, bottom = top + ROW;
        if (top < this.view.scrollTop) this.view.scrollTop = top;
        else if (bottom > this.view.scrollTop + this.view.clientHeight) this.view.scrollTop = bottom - this.view.clientHeight;
        this.draw();
    }

    draw() {
        if (!this.isOpen) return;
        const { app, rows } = this, first = Math.max(0, Math.floor(this.view.scrollTop / ROW) - 2);
        const count = Math.ceil(this.view.clientHeight / ROW) + 4;
        this.room.style.height = `${rows.length * ROW}px`;
        this.room.replaceChildren(...rows.slice(first, first + count).map((body, k) => this.row(body, first + k)));
        const hidden = app.hiddenBodies.length, all = app.bodyCount;
        const found = rows.length === all ? `${all.toLocaleString("en")} ${all === 1 ? "body" : "bodies"}` : `${rows.length.toLocaleString("en")} of ${all.toLocaleString("en")}`;
        get("list-count").textContent = hidden > 0 ? `${found}, ${hidden.toLocaleString("en")} hidden` : found;
        get<HTMLButtonElement>("show-all").disabled = hidden === 0;
        get<HTMLButtonElement>("hide-one").disabled = get<HTMLButtonElement>("isolate").disabled = app.selected < 0;
    }

    private row(body: number, at: number): HTMLElement {
        const { app } = this, hidden = app.isHidden(body), name = app.nameOf(body);
        const row = document.createElement("div"), pick = document.createElement("button"), eye = document.createElement("button");
        row.className = "body-row";
        row.style.top = `${at * ROW}px`;
        row.dataset.body = String(body);
        row.classList.toggle("unseen", hidden);
        pick.className = "pick";
        pick.setAttribute("aria-pressed", String(body === app.selected));
        pick.style.setProperty("--colour", app.colourTextOf(body));
        pick.textContent = name;
        pick.title = name;
        eye.className = "eye";
        eye.setAttribute("aria-pressed", String(!hidden));
        eye.setAttribute("aria-label", `${hidden ? "Show" : "Hide"} ${name}`);
        eye.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${EYE}${hidden ? "M4 4l16 16" : ""}"/></svg>`;
        row.append(pick, eye);
        return row;
    }

    private click(event: Event) {
        const target = event.target as Element, row = target.closest<HTMLElement>(".body-row");
        if (!row) return;
        const body = Number(row.dataset.body);
        if (target.closest(".eye")) this.app.hide(body);
        else this.app.select(body);
    }

    private key(event: KeyboardEvent) {
        const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
        if (by === undefined || this.rows.length === 0) return;
        event.preventDefault();
        event.stopPropagation();
        const at = this.rows.indexOf(this.app.selected);
        this.app.select(this.rows[Math.min(this.rows.length - 1, Math.max(0, at < 0 ? 0 : at + by))]);
        this.view.focus();
    }
}
