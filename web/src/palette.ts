// Colours of bodies and themes.
import { Color } from "three";

const PALETTE = [
    "#6fb3b8", "#e8a87c", "#b59ad0", "#8dbb84", "#e27d8a", "#6c94c4", "#e3c770", "#c98bb0", "#9fb8a3", "#d99873",
    "#7d8fd1", "#c2b06b",
].map((text) => new Color(text));
const SCRIPTED = new Color("#b9a37a");

// What does not move stays in the background: its colour is the theme's.
export const STILL = new Color("#9aa2ac");

export const THEMES = {
    dark: { back: new Color("#15181d"), ground: new Color("#2a2f37"), grid: 0xffffff, gridAlpha: 0.1, sky: 0xcfdcea, earth: 0x4a4038, ambient: 1.35, key: 2.5, still: 0x666f7a },
    light: { back: new Color("#e9edf1"), ground: new Color("#f6f8fa"), grid: 0x000000, gridAlpha: 0.12, sky: 0xffffff, earth: 0xb8a898, ambient: 1.7, key: 2.4, still: 0xb4bcc5 },
};
export type ThemeName = keyof typeof THEMES;

export const SELECTED = new Color("#ffd23f");

// Neighbours in number differ; the same number has the same colour everywhere.
export function colourOf(number: number, type: string): Color {
    if (type === "static") return STILL;
    if (type === "kinematic") return SCRIPTED;
    return PALETTE[(number * 7 + Math.floor(number / PALETTE.length) * 5) % PALETTE.length];
}

// From slow (blue) over green to fast (orange); `part` in [0, 1].
export function heat(part: number, out: Color): Color {
    return out.setHSL(0.6 - 0.53 * Math.min(1, Math.max(0, part)), 0.62, 0.56);
}
