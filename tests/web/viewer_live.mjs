// Runs that grow while they are looked at, and servers that end:
// node viewer_live.mjs NACRE WEB SCREENSHOTS, in a folder with the runs that viewer.sh makes.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { frameOf, open, runTests, serve, shots, shows, start, text, until } from "./browser.mjs";
import { drawnBodies, goTo } from "./runs.mjs";

async function pieces_appear_in_a_run_that_is_being_simulated(browser) {
    const server = await serve("pane.yaml", "-o", "live.nacre");
    const page = await open(browser, server.url, { hash: "" });
    await until("the end", () => page.evaluate(() => window.nacre.head.finished));
    await until("all frames", () => page.evaluate(() => window.nacre.frames.count === 31));
    await page.locator("#view").focus();
    await page.keyboard.press("End");
    await until("the last frame", async () => (await frameOf(page)) === 30);
    const names = await drawnBodies(page);
    assert.ok(!names.includes("pane") && names.includes("pane/0") && names.length > 10, `${names}`);
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function follows_a_scene_while_it_is_simulated(browser) {
    const server = await serve("bowl.yaml", "--set", "world.duration=100000");
    const page = await open(browser, server.url, { hash: "" });
    await until("the end is followed", async () => (await page.locator("#follow-end").getAttribute("aria-pressed")) === "true");
    const first = await frameOf(page);
    await until("growth", async () => (await frameOf(page)) > first + 5);
    assert.ok(await page.locator("#status").isVisible());
    // Looking at something else ends that, and the button goes back to it.
    await page.locator("#first").click();
    await until("frame 0", async () => (await frameOf(page)) === 0);
    await sleep(1000);
    assert.equal(await frameOf(page), 0);
    await page.locator("#follow-end").click();
    await until("the end again", async () => (await frameOf(page)) > first);
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
    // One that comes to its end says no more that it grows.
    const short = await serve("bowl.yaml", "--set", "world.duration=0.5");
    const other = await open(browser, short.url, { hash: "" });
    await until("the end", () => other.evaluate(() => window.nacre.head.finished && window.nacre.frames.count === 13));
    await until("no sign of life", () => other.locator("#status").isHidden());
    assert.deepEqual(other.wrongs, []);
    await other.context().close();
    await short.stop();
}

async function follows_a_run_that_another_process_writes(browser) {
    const writer = start(["run", "bowl.yaml", "-o", "other.nacre", "--set", "world.duration=100000", "-q"], { stdio: "ignore" });
    await sleep(1000);
    const server = await serve("other.nacre");
    const page = await open(browser, server.url);
    await page.keyboard.press("Home");
    await page.keyboard.press("e");
    const first = await frameOf(page);
    await until("two more frames", async () => (await frameOf(page)) > first + 2);
    await shows(page, "#status", /^computing, step \d+ of 2400000$/);
    const ended = new Promise((resolve) => writer.once("exit", resolve));
    writer.kill("SIGINT");
    assert.equal(await ended, 130, "the writer was disturbed");
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function a_page_says_that_the_server_has_ended_and_finds_it_again(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url), port = new URL(server.url).port;
    await server.stop();
    await until("a word about it", () => page.locator("#trouble").isVisible());
    assert.match(await text(page, "#trouble"), /^nacre view has ended\. (All frames|Frames that) .*can still be looked at/);
    await shows(page, "#status", /^server ended$/);
    await page.screenshot({ path: `${shots}/ended.png` });
    // What is there can be played.
    await page.locator("#view").focus();
    await page.keyboard.press("ArrowRight");
    await until("frame 1", async () => (await frameOf(page)) === 1);
    const again = await serve("bowl.nacre", "--port", port);
    await until("no more words", () => page.locator("#trouble").isHidden());
    await until("no sign", () => page.locator("#status").isHidden());
    await goTo(page, 36);
    assert.deepEqual(page.wrongs.filter((wrong) => !/Failed to load resource/.test(wrong)), []);
    await page.context().close();
    await again.stop();
}

// The page loads another run by itself: what is asked meanwhile fails, and is asked again.
const ask = (page, question, ...words) => page.evaluate(question, ...words).catch(() => null);
const generationOf = (page) => ask(page, () => window.nacre?.head.generation ?? null);
const framesOf = (page) => ask(page, () => window.nacre?.frames.count ?? null);

async function a_simulation_is_paused_continued_and_restarted(browser) {
    const server = await serve("bowl.yaml", "--set", "world.duration=100000");
    const page = await open(browser, server.url, { hash: "" });
    await until("growth", async () => (await framesOf(page)) > 30);
    await page.locator("#sim-pause").click();
    await shows(page, "#status", /^paused, step \d+ of 2400000$/);
    // Steps that were under way may still arrive. A run that is not paused makes dozens of steps per second.
    let frames = -1;
    await until("two seconds without a new frame", async () => {
        frames = await framesOf(page);
        await sleep(2000);
        return (await framesOf(page)) === frames;
    });
    await page.screenshot({ path: `${shots}/paused.png` });
    await page.locator("#view").focus();
    await page.keyboard.press("g");
    await until("growth again", async () => (await framesOf(page)) > frames + 20);
    await page.evaluate(() => window.nacre.select(2));
    assert.equal(await generationOf(page), 1);
    await page.locator("#sim-restart").click();
    await until("another run", async () => (await generationOf(page)) === 2);
    await until("its first frames", async () => (await framesOf(page)) > 3);
    await shows(page, "#body-name", /^red-box$/);
    await until("the end is followed", async () => (await page.locator("#follow-end").getAttribute("aria-pressed")) === "true");
    // The page may have requested a frame that the new run does not have yet.
    assert.deepEqual(page.wrongs.filter((wrong) => !/status of 404/.test(wrong)), []);
    await page.context().close();
    assert.equal(await server.stop(), 0);
}

async function a_scene_is_simulated_again_when_it_is_saved(browser) {
    const scene = readFileSync("bowl.yaml", "utf8").replace("duration: 1.5", "duration: 0.5");
    const more = "  - {name: fourth, shape: box, position: [0, 1.6, 0.4]}\n";
    writeFileSync("edited.yaml", scene);
    const server = await serve("edited.yaml");
    const page = await open(browser, server.url, { hash: "" });
    await until("the end", () => ask(page, () => window.nacre.head.finished));
    // Another body, and another title.
    writeFileSync("edited.yaml", scene.replace("Things in a bowl", "Four things") + more);
    await until("the run of what was saved", async () => (await generationOf(page)) === 2);
    await until("its end", () => ask(page, () => window.nacre.head.finished));
    await shows(page, "#title", /^Four things$/);
    await shows(page, "#facts", /^5 bodies · 13 frames/);
    // The page shows the line that cannot be read, and the run stays.
    writeFileSync("edited.yaml", scene.replace("density: 500", "density: heavy"));
    await shows(page, "#trouble", /edited.yaml:7:.*density/);
    assert.equal(await generationOf(page), 2);
    assert.match(await text(page, "#facts"), /^5 bodies/);
    await page.screenshot({ path: `${shots}/misspelt.png` });
    // What cannot start is shown, and what can start again is simulated.
    writeFileSync("edited.yaml", scene.replace("[-0.8, 0.6, 0.3]", "[0.6, 1.0, -0.5]"));
    await until("a refusal", async () => (await generationOf(page)) === 3 && (await text(page, "#status")) === "cannot start");
    assert.ok(await page.locator("#trouble").isHidden());
    await shows(page, "#refused-count", /^1 pair of bodies/);
    writeFileSync("edited.yaml", scene);
    await until("the run again", async () => (await generationOf(page)) === 4);
    await until("its end again", () => ask(page, () => window.nacre.head.finished));
    await shows(page, "#facts", /^4 bodies · 13 frames/);
    assert.deepEqual(page.wrongs.filter((wrong) => !/status of 404/.test(wrong)), []);
    await page.context().close();
    assert.equal(await server.stop(), 0);
}

await runTests([
    a_simulation_is_paused_continued_and_restarted,
    a_scene_is_simulated_again_when_it_is_saved,
    pieces_appear_in_a_run_that_is_being_simulated,
    follows_a_scene_while_it_is_simulated,
    follows_a_run_that_another_process_writes,
    a_page_says_that_the_server_has_ended_and_finds_it_again,
]);
