// What is known of the runs that viewer.sh makes, and what is asked of a page that shows one.
import { readFileSync } from "node:fs";
import { drawn, frameOf, until } from "./browser.mjs";

// Bodies, poses and reports of bowl.nacre.
export const truth = JSON.parse(readFileSync("truth.json", "utf8"));

// As the page writes numbers.
export const near = (shown, wanted) => Math.abs(Number(shown) - wanted) <= 6e-3 * Math.abs(wanted) + 1e-12;

// Which bodies are drawn: those whose matrix is not zero.
export const drawnBodies = (page) => page.evaluate(() => {
    const { bodies } = window.nacre;
    return bodies.list.flatMap((body, i) => (bodies.batches[bodies.batchOf[i]].matrices[16 * bodies.slotOf[i] + 15] !== 0 ? [body.name] : []));
});

export async function goTo(page, frame) {
    await page.locator("#scrub").fill(String(frame));
    await until(`frame ${frame}`, async () => (await frameOf(page)) === frame);
    await drawn(page);
}

export const picture = async (page) => {
    await page.evaluate(() => document.activeElement.blur()); // without the frame around it
    await drawn(page);
    return page.locator("#view").screenshot();
};
