// The page of `make demo` opens from the disk and plays: node demo.mjs PACKAGES PAGE SCREENSHOTS.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";

const [packages, path, shots] = process.argv.slice(2);
const { chromium } = createRequire(`${packages}/package.json`)("playwright-core");
const NEEDED = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];

async function until(what, ask, seconds = 60) {
    const end = Date.now() + 1000 * seconds;
    while (!(await ask())) {
        if (Date.now() > end) throw new Error(`waited ${seconds} s in vain: ${what}`);
        await sleep(50);
    }
}

const browser = await chromium.launch({ executablePath: process.env.NACRE_CHROMIUM ?? "/usr/bin/chromium", args: NEEDED });
try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const wrongs = [];
    page.on("pageerror", (error) => wrongs.push(error.message));
    page.on("console", (message) => message.type() === "error" && wrongs.push(message.text()));
    await page.goto(`file://${path}`);
    await until("the run", () => page.evaluate(() => !!window.nacre?.frame));
    assert.equal(await page.locator("#title").textContent(), "Chainmail falls on a sphere");
    assert.equal(await page.evaluate(() => window.nacre.frames.count), 121);
    const frame = () => page.evaluate(() => window.nacre.frame.frame);
    if ((await page.locator("#play").getAttribute("aria-label")) !== "Pause") await page.locator("#play").click();
    const first = await frame();
    await until("playing", async () => (await frame()) !== first);
    mkdirSync(shots, { recursive: true });
    await page.screenshot({ path: `${shots}/demo.png` });
    assert.deepEqual(wrongs, []);
    console.log("ok      the_page_of_the_demo_opens_and_plays");
} finally {
    await browser.close();
}
