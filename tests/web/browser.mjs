// A browser, servers of `nacre view`, and questions to the page, for the tests of the viewer. The page forbids evaluated
// strings, so waiting is by asking again and again.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";

export const [nacre, web, shots] = process.argv.slice(2);
const { chromium } = createRequire(`${web}/package.json`)("playwright-core");
const NEEDED = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];

// ---- tools ------------------------------------------------------------------------------------------------------

// Whatever a test leaves running ends with the tests.
const children = new Set();
export function start(words, options) {
    const child = spawn(nacre, words, options);
    children.add(child);
    child.once("exit", () => children.delete(child));
    return child;
}

// A server of `nacre view`, with its address.
export async function serve(...words) {
    const child = start(["view", ...words, "--no-open", "-q"], { stdio: ["ignore", "pipe", "inherit"] });
    const url = await new Promise((resolve, reject) => {
        child.stdout.once("data", (data) => resolve(String(data).trim()));
        child.once("exit", (code) => reject(new Error(`nacre view ended with ${code}`)));
    });
    return {
        url,
        stop: () => new Promise((resolve) => {
            child.once("exit", resolve);
            child.kill("SIGINT");
        }),
    };
}

// Asks until the answer is true. It ends at once then, so the limit may be long: what is tested is that it happens, and the
// machine may be busy with other tests.
export async function until(what, ask, seconds = 90) {
    const end = Date.now() + 1000 * seconds;
    for (;;) {
        const answer = await ask();
        if (answer) return answer;
        if (Date.now() > end) throw new Error(`waited ${seconds} s in vain: ${what}`);
        await sleep(30);
    }
}

// Of the page's main thread: processor time [s] of everything and of scripts alone.
async function countProcessorTime(page) {
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    return async () => {
        const { metrics } = await session.send("Performance.getMetrics");
        const value = (name) => metrics.find((one) => one.name === name).value;
        return { task: value("TaskDuration"), script: value("ScriptDuration") };
    };
}

// A page that complains about every error, and every request to anywhere else. It stands at frame 0 unless `hash` says
// something else; with an empty one it plays, or follows a run that grows. `counted`: page.mainThread() tells what it has
// computed.
export async function open(browser, url, { hash = "#frame=0", counted = false, ...options } = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "dark", ...options });
    const page = await context.newPage();
    if (counted) page.mainThread = await countProcessorTime(page);
    page.wrongs = [];
    page.on("pageerror", (error) => page.wrongs.push(error.message));
    page.on("console", (message) => message.type() === "error" && page.wrongs.push(message.text()));
    page.on("request", (request) => {
        if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) page.wrongs.push(`a request to ${request.url()}`);
    });
    const begin = Date.now();
    await page.goto(url + hash);
    await until("the run", () => page.evaluate(() => !!window.nacre?.frame));
    page.openTime = Date.now() - begin;
    return page;
}

export const frameOf = (page) => page.evaluate(() => window.nacre.frame.frame);
export const text = (page, selector) => page.locator(selector).textContent();

// Waits for a text that matches; fails with what stands there instead.
export async function shows(page, selector, pattern, seconds) {
    let seen = "";
    await until(`${pattern} in ${selector}`, async () => pattern.test((seen = await text(page, selector))), seconds).catch((error) => {
        throw new Error(`${error.message}; it shows "${seen}"`);
    });
}
export const drawn = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

// The part of the canvas that is not background: pixels far from the colour of the upper corner, in a picture of the
// stage without what is written over it.
export async function fullness(page) {
    await page.evaluate(() => document.querySelectorAll("#stage > :not(canvas)").forEach((e) => (e.style.visibility = "hidden")));
    await drawn(page);
    const picture = await page.locator("#view").screenshot();
    await page.evaluate(() => document.querySelectorAll("#stage > :not(canvas)").forEach((e) => (e.style.visibility = "")));
    return page.evaluate(async (base64) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4)
            if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) > 60) count++;
        return count / (data.length / 4);
    }, picture.toString("base64"));
}

// Where a body is on the screen.
export const placeOf = (page, body) =>
    page.evaluate((b) => {
        const { stage } = window.nacre;
        stage.camera.updateMatrixWorld();
        const at = window.nacre.placeOf(b).applyQuaternion(stage.root.quaternion).project(stage.camera);
        const box = stage.canvas.getBoundingClientRect();
        return { x: box.left + (0.5 + 0.5 * at.x) * box.width, y: box.top + (0.5 - 0.5 * at.y) * box.height };
    }, body);

// Runs tests one after the other; NACRE_WEB_TEST chooses those whose names have it in them. Ends the process.
export async function runTests(tests) {
    const only = process.env.NACRE_WEB_TEST;
    const browser = await chromium.launch({ executablePath: process.env.NACRE_CHROMIUM ?? "/usr/bin/chromium", args: NEEDED });
    let failed = 0;
    for (const test of tests) {
        if (only && !test.name.includes(only)) continue;
        const begin = Date.now();
        try {
            await test(browser);
            console.log(`ok      ${test.name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
        } catch (error) {
            failed++;
            console.log(`FAILED  ${test.name}\n   ${error.stack}`);
        }
    }
    await browser.close();
    for (const child of children) child.kill("SIGKILL");
    process.exit(failed > 0 ? 1 : 0);
}
