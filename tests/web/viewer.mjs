// What is seen and done in the viewer's page: node viewer.mjs NACRE WEB SCREENSHOTS, in a folder with the runs that
// viewer.sh makes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { drawn, frameOf, fullness, open, placeOf, runTests, serve, shots, start, text, until } from "./browser.mjs";

const truth = JSON.parse(readFileSync("truth.json", "utf8"));

// As the page writes numbers.
const near = (shown, wanted) => Math.abs(Number(shown) - wanted) <= 6e-3 * Math.abs(wanted) + 1e-12;

// ---- tests ------------------------------------------------------------------------------------------------------

async function page_shows_a_run_and_the_canvas_is_not_empty(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url);
    assert.equal(await text(page, "#title"), "Things in a bowl");
    assert.match(await text(page, "#facts"), /4 bodies · 37 frames/);
    assert.ok((await fullness(page)) > 0.02, "the canvas is empty");
    await page.screenshot({ path: `${shots}/dark.png` });
    // The measure of emptiness must see an empty stage.
    await page.evaluate(() => {
        window.nacre.stage.scene.children.forEach((child) => (child.visible = false));
        window.nacre.stage.touch();
    });
    assert.ok((await fullness(page)) < 0.005, "an empty canvas counts as full");
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function plays_steps_scrubs_and_loops(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url);
    await page.locator("#play").click();
    await until("playing", async () => (await frameOf(page)) > 5);
    assert.equal(await page.locator("#play").getAttribute("aria-label"), "Pause");
    await page.keyboard.press("Escape");
    await page.locator("#view").focus();
    await page.keyboard.press("Space");
    const paused = await frameOf(page);
    await sleep(200);
    assert.equal(await frameOf(page), paused);
    for (const [key, frame] of [["Home", 0], ["ArrowRight", 1], ["Shift+ArrowRight", 11], ["ArrowLeft", 10], ["End", 36], ["ArrowRight", 36]]) {
        await page.keyboard.press(key);
        await until(`frame ${frame} after ${key}`, async () => (await frameOf(page)) === frame, 5);
    }
    await page.locator("#scrub").fill("20");
    await until("frame 20", async () => (await frameOf(page)) === 20);
    assert.match(await text(page, "#clock"), /^0\.833 s · frame 20$/);
    // From the end it starts again, and with the loop it goes round.
    await page.locator("#speed").selectOption("10");
    await page.locator("#last").click();
    await page.locator("#play").click();
    const seen = new Set();
    await until("a loop", async () => {
        seen.add(await frameOf(page));
        return [...seen].some((f) => f > 30) && [...seen].some((f) => f < 10);
    });
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function slow_motion_is_interpolated_only_when_asked_for_and_says_so(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url);
    const body = truth.bodies.find((b) => b.name === "red-box").id;
    // Where the body is drawn: the last column of its matrix.
    const drawnAt = () => page.evaluate((b) => {
        const bodies = window.nacre.bodies, at = 16 * bodies.slotOf[b] + 12;
        return [window.nacre.frame.frame, ...bodies.batches[bodies.batchOf[b]].matrices.slice(at, at + 3)];
    }, body);
    const stored = (frame) => ["x", "y", "z"].map((k) => truth.poses.find((p) => p.frame === frame && p.body === body)[k]);
    const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    await page.locator("#speed").selectOption("0.1");
    await page.locator("#scrub").fill("3");
    await page.locator("#play").click();
    // Without it, what is drawn is always a stored frame.
    for (let i = 0; i < 12; i++) {
        const [frame, ...at] = await drawnAt();
        assert.ok(far(at, stored(frame)) < 1e-4, `frame ${frame}: ${at} is not ${stored(frame)}`);
        assert.ok(await page.locator("#between").isHidden());
        await sleep(30);
    }
    await page.locator("#view").focus();
    await page.keyboard.press("s");
    let seen = 0;
    await until("poses between frames", async () => {
        const [frame, ...at] = await drawnAt();
        if (frame < 36) {
            const from = stored(frame), to = stored(frame + 1), whole = far(from, to);
            assert.ok(far(at, from) + far(at, to) < whole + 1e-4, `${at} is not between ${from} and ${to}`);
            if (far(at, from) > 0.02 * whole && far(at, to) > 0.02 * whole && (await page.locator("#between").isVisible())) seen++;
        }
        return seen >= 3;
    });
    // Pausing shows the stored frame again, and the sign is gone.
    await page.keyboard.press("Space");
    await until("no sign", () => page.locator("#between").isHidden());
    const [frame, ...at] = await drawnAt();
    assert.ok(far(at, stored(frame)) < 1e-4);
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function a_click_picks_a_body_and_tells_what_is_stored_of_it(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url);
    await page.locator("#scrub").fill("6");
    await until("frame 6", async () => (await frameOf(page)) === 6);
    await drawn(page);
    const body = truth.bodies.find((b) => b.name === "red-box");
    const pose = truth.poses.find((p) => p.frame === 6 && p.body === body.id);
    const at = await placeOf(page, body.id);
    await page.mouse.click(at.x, at.y);
    await until("the panel", () => page.locator("#body").isVisible());
    assert.equal(await text(page, "#body-name"), "red-box");
    assert.ok(near((await text(page, "#body-mass")).split(" ")[0], body.mass), `mass ${await text(page, "#body-mass")}, not ${body.mass}`);
    const speed = Math.hypot(pose.vx, pose.vy, pose.vz);
    assert.ok(near((await text(page, "#body-speed")).split(" ")[0], speed), `speed ${await text(page, "#body-speed")}, not ${speed}`);
    assert.ok((await text(page, "#body-position")).split(", ").every((c, k) => near(c, pose["xyz"[k]])));
    await until("contacts", async () => /^\d+ with \d+$/.test(await text(page, "#body-contacts")));
    // At the end it lies in the bowl: it has contacts. It can be followed.
    await page.keyboard.press("End");
    await until("a contact", async () => /^[1-9]\d* with [1-9]/.test(await text(page, "#body-contacts")));
    await page.locator("#follow").click();
    await page.keyboard.press("Home");
    await until("frame 0", async () => (await frameOf(page)) === 0);
    const middle = await placeOf(page, body.id), box = await page.locator("#view").boundingBox();
    assert.ok(Math.abs(middle.x - box.x - box.width / 2) < 3 && Math.abs(middle.y - box.y - box.height / 2) < 3, "it is not followed");
    await page.locator("#deselect").click();
    assert.ok(await page.locator("#body").isHidden());
    // A click beside everything picks nothing; the keyboard picks too, and so does its name.
    await page.mouse.click(box.x + 5, box.y + box.height - 5);
    assert.ok(await page.locator("#body").isHidden());
    await page.locator("#view").focus();
    await page.keyboard.press("n");
    assert.equal(await text(page, "#body-name"), "bowl");
    await page.keyboard.press("t");
    await page.locator("#find").fill("blue");
    await page.locator("#find").press("Enter");
    assert.equal(await text(page, "#body-name"), "blue-box");
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function plots_tell_the_reports_of_the_present_frame(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url);
    for (const frame of [5, 30, 36]) {
        await page.locator("#scrub").fill(String(frame));
        await until(`frame ${frame}`, async () => (await frameOf(page)) === frame);
        const r = truth.reports[frame];
        const wanted = {
            "energy.kinetic": r.kinetic, "energy.potential": r.potential, "energy.total": r.kinetic + r.potential,
            "momentum.linear": Math.hypot(r.momentum_x, r.momentum_y, r.momentum_z),
            "momentum.angular": Math.hypot(r.angular_momentum_x, r.angular_momentum_y, r.angular_momentum_z),
            "contacts.resting": r.contacts, "contacts.bounces": r.collisions, "time.collide": 1000 * r.seconds_collide,
            "time.settle": 1000 * r.seconds_settle, "merges.sticks": r.sticks, "merges.halts": r.halts,
        };
        if (r.smallest_distance !== null) wanted["distance.certified"] = r.smallest_distance;
        for (const [name, value] of Object.entries(wanted)) {
            const shown = await text(page, `[data-value="${name}"]`);
            assert.ok(near(shown, value), `frame ${frame}: ${name} is ${value}, the page says ${shown}`);
        }
    }
    // A click in a plot goes to that frame; the plots are drawn.
    const area = page.locator("#plot-energy .area");
    const box = await area.boundingBox();
    await page.mouse.click(box.x + (10.5 / 37) * box.width, box.y + 20);
    await until("frame 10", async () => (await frameOf(page)) === 10);
    const inked = await page.evaluate(() => {
        const canvas = document.querySelector("#plot-energy canvas");
        return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.filter((v, i) => i % 4 === 3 && v > 0).length;
    });
    assert.ok(inked > 200, `the plot has ${inked} pixels`);
    await page.keyboard.press("p");
    assert.ok(await page.locator("#plots").isHidden());
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function overlays_show_what_they_say(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url);
    await page.locator("#last").click();
    await until("the end", async () => (await frameOf(page)) === 36);
    await drawn(page);
    await page.evaluate(() => window.nacre.stage.touch()); // once more, without drawing shadows again
    await drawn(page);
    const before = await page.evaluate(() => window.nacre.stage.renderer.info.render.calls);
    await page.locator("#open-overlays").click();
    for (const name of ["contacts", "smallest", "velocity", "tree", "clusters"]) await page.locator(`#show-${name}`).check();
    await until("contacts", () => page.evaluate(() => window.nacre.near?.count > 0));
    await until("boxes", async () => (await page.evaluate(() => window.nacre.stage.renderer.info.render.calls)) >= before + 4);
    assert.match(await text(page, "#overlay-note"), /\d+ contacts? nearer than .* m\. Smallest: .* m\./);
    assert.match(await text(page, "#tag"), /^\d\.\d\de-?\d+ m$/);
    // The distance found from the poses is not below what was certified on the way there.
    const smallest = await page.evaluate(() => window.nacre.near.smallest.distance);
    assert.ok(smallest >= truth.reports[36].smallest_distance, `${smallest} is below what was certified`);
    await page.locator("#colour").selectOption("speed");
    await drawn(page);
    await page.screenshot({ path: `${shots}/overlays.png` });
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function clusters_are_told_by_the_server_and_by_an_exported_page(browser) {
    const server = await serve("meet.nacre");
    for (const url of [server.url, `file://${process.cwd()}/meet.html`]) {
        const page = await open(browser, url);
        await page.locator("#forward").click();
        await until("frame 1", async () => (await frameOf(page)) === 1);
        await page.locator("#open-overlays").click();
        await page.locator("#show-clusters").check();
        await until("a cluster", async () => /1 cluster of 2 bodies/.test(await text(page, "#overlay-note")));
        await page.locator("#open-bodies").click();
        for (const [name, cluster] of [["right", "of left, 2 bodies"], ["other", "alone"]]) {
            await page.locator("#find").fill(name);
            await page.locator("#find").press("Enter");
            await until(`the cluster of ${name}`, async () => (await text(page, "#body-cluster")) === cluster, 5);
        }
        await page.locator("#first").click();
        await until("none", async () => /No bodies were joined/.test(await text(page, "#overlay-note")));
        assert.deepEqual(page.wrongs, []);
        await page.context().close();
    }
    await server.stop();
}

async function follows_a_scene_while_it_is_simulated(browser) {
    const server = await serve("bowl.yaml", "--set", "world.duration=100000");
    const page = await open(browser, server.url, { hash: "" });
    assert.equal(await page.locator("#follow-end").getAttribute("aria-pressed"), "true", "it is not followed");
    const first = await frameOf(page);
    await until("growth", async () => (await frameOf(page)) > first + 5, 60);
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
    await until("the end", () => other.evaluate(() => window.nacre.head.finished && window.nacre.frames.count === 13), 60);
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
    await until("two more frames", async () => (await frameOf(page)) > first + 2, 60);
    await until("a word about it", async () => /^computing, step \d+ of 2400000$/.test(await text(page, "#status")), 10);
    const ended = new Promise((resolve) => writer.once("exit", resolve));
    writer.kill("SIGINT");
    assert.equal(await ended, 130, "the writer was disturbed");
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function an_exported_page_works_from_the_disk(browser) {
    const page = await open(browser, `file://${process.cwd()}/bowl.html`);
    assert.equal(await text(page, "#title"), "Things in a bowl");
    assert.ok((await fullness(page)) > 0.02, "the canvas is empty");
    await page.locator("#play").click();
    await until("playing", async () => (await frameOf(page)) > 3);
    await page.locator("#scrub").fill("6");
    await until("frame 6", async () => (await frameOf(page)) === 6);
    await drawn(page);
    const at = await placeOf(page, 2);
    await page.mouse.click(at.x, at.y);
    assert.equal(await text(page, "#body-name"), "red-box");
    await until("an honest word", async () => (await text(page, "#body-contacts")) === "not in this page");
    assert.ok(near(await text(page, '[data-value="energy.kinetic"]'), truth.reports[6].kinetic));
    await page.screenshot({ path: `${shots}/exported.png` });
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    // With --contacts they are in the page; every fourth frame of 37 is 10 frames.
    const other = await open(browser, `file://${process.cwd()}/contacts.html`);
    assert.equal(await other.evaluate(() => window.nacre.frames.count), 10);
    await other.keyboard.press("End");
    await until("frame 36", async () => (await frameOf(other)) === 36);
    await other.locator("#open-overlays").click();
    await other.locator("#show-contacts").check();
    await until("contacts", async () => /^[1-9]\d* contacts? nearer/.test(await text(other, "#overlay-note")));
    assert.deepEqual(other.wrongs, []);
    await other.context().close();
}

async function is_readable_on_a_phone_and_in_the_light(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url, { viewport: { width: 390, height: 844 }, colorScheme: "light", hasTouch: true, isMobile: true });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
    assert.ok((await fullness(page)) > 0.01, "the canvas is empty");
    const widest = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(widest <= 390, `the page is ${widest} wide`);
    for (const id of ["play", "back", "forward", "scrub", "speed", "loop", "open-overlays", "frame-all"]) {
        const box = await page.locator(`#${id}`).boundingBox();
        assert.ok(box && box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844, `${id} is outside the screen`);
        assert.ok(box.height >= 30, `${id} is too small to touch`);
    }
    await page.touchscreen.tap(...Object.values(await placeOf(page, 2)));
    await until("the panel", () => page.locator("#body").isVisible());
    await page.screenshot({ path: `${shots}/phone.png` });
    await page.locator("#deselect").tap();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator("#frame-all").tap();
    await drawn(page);
    await page.screenshot({ path: `${shots}/light.png` });
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function everything_has_a_label_and_the_keyboard_reaches_it(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url);
    await page.keyboard.press("o");
    const nameless = await page.evaluate(() =>
        [...document.querySelectorAll("button, input, select")]
            .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim()))
            .map((e) => e.id),
    );
    assert.deepEqual(nameless, []);
    const reached = new Set();
    for (let i = 0; i < 60; i++) {
        await page.keyboard.press("Tab");
        reached.add(await page.evaluate(() => document.activeElement?.id ?? ""));
    }
    for (const id of ["view", "open-bodies", "open-view", "open-overlays", "show-contacts", "toggle-theme", "play", "scrub", "speed", "loop"]) assert.ok(reached.has(id), `Tab does not reach ${id}`);
    await page.locator("#view").focus();
    await page.keyboard.press("?");
    assert.ok(await page.locator("#help").isVisible());
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#help").isHidden());
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    const before = await theme();
    await page.keyboard.press("d");
    assert.notEqual(await theme(), before);
    await page.context().close();
    await server.stop();
}

async function sixty_shapes_cost_few_draw_calls(browser) {
    const server = await serve("shapes.nacre");
    const page = await open(browser, server.url);
    await drawn(page);
    const { calls, meshes } = await page.evaluate(() => ({ calls: window.nacre.stage.renderer.info.render.calls, meshes: window.nacre.head.meshes }));
    console.log(`   ${calls} draw calls for ${meshes} meshes`);
    assert.equal(meshes, 60);
    assert.ok(calls <= meshes + 20, `${calls} draw calls for ${meshes} meshes`);
    assert.ok((await fullness(page)) > 0.02, "the canvas is empty");
    await page.screenshot({ path: `${shots}/shapes.png` });
    // Those that share a draw call can be picked as well.
    const at = await placeOf(page, 59);
    await page.mouse.click(at.x, at.y);
    assert.equal(await text(page, "#body-name"), "s60");
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function ten_thousand_boats_open_soon_and_play_lightly(browser) {
    const server = await serve("many.nacre");
    let page = await open(browser, server.url);
    // Another program may have had the processor: the best of three counts.
    let soonest = page.openTime;
    for (let attempt = 1; attempt < 3 && soonest >= 3000; attempt++) {
        await page.context().close();
        page = await open(browser, server.url);
        soonest = Math.min(soonest, page.openTime);
    }
    console.log(`   10,000 boats open in ${soonest} ms`);
    assert.ok(soonest < 3000, `opening took ${soonest} ms`);
    await page.evaluate(() => (window.nacre.player.speed = 10));
    await page.locator("#play").click();
    // The time of the scripts of a refresh, everything from the frame's numbers to the last call of WebGL.
    let best = Infinity;
    for (let attempt = 0; attempt < 3 && best >= 8; attempt++) {
        const times = [];
        let before = null;
        await until("nine frames", async () => {
            const [frame, time] = await page.evaluate(() => [window.nacre.frame.frame, window.nacre.scriptTime]);
            if (frame !== before) times.push(time);
            before = frame;
            return times.length >= 9;
        }, 90);
        best = Math.min(best, times.sort((a, b) => a - b)[4]);
    }
    const calls = await page.evaluate(() => window.nacre.stage.renderer.info.render.calls);
    console.log(`   ${best.toFixed(2)} ms of scripts per frame, ${calls} draw calls`);
    assert.ok(best < 8, `${best} ms of scripts per frame`);
    assert.ok(calls <= 21, `${calls} draw calls`);
    await page.evaluate(() => window.nacre.player.pause()); // software takes seconds to draw them once
    await page.screenshot({ path: `${shots}/many.png`, timeout: 120000 });
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

// Which bodies are drawn: those whose matrix is not zero.
const drawnBodies = (page) => page.evaluate(() => {
    const { bodies } = window.nacre;
    return bodies.list.flatMap((body, i) => (bodies.batches[bodies.batchOf[i]].matrices[16 * bodies.slotOf[i] + 15] !== 0 ? [body.name] : []));
});

async function bodies_that_break_vanish_and_their_pieces_appear(browser) {
    const server = await serve("pane.nacre");
    for (const url of [server.url, `file://${process.cwd()}/pane.html`]) {
        const page = await open(browser, url);
        const all = await page.evaluate(() => window.nacre.bodyCount);
        assert.ok(all > 10, `${all} bodies`);
        await page.locator("#view").focus();
        const seen = [];
        for (let frame = 0; frame < 6; frame++) {
            await until(`frame ${frame}`, async () => (await frameOf(page)) === frame, 5);
            await drawn(page);
            const names = await drawnBodies(page), whole = names.includes("pane");
            assert.ok(names.includes("ball"));
            assert.equal(names.length, whole ? 2 : all - 1, `frame ${frame}: ${names}`);
            assert.match(await text(page, "#facts"), new RegExp(`^${names.length} of ${all} bodies`));
            seen.push(whole);
            await page.keyboard.press("ArrowRight");
        }
        // Whole at first, broken later, and never whole again; going back makes it whole.
        assert.ok(seen[0] && !seen[5] && seen.every((whole, i) => i === 0 || seen[i - 1] || !whole), `${seen}`);
        await page.screenshot({ path: `${shots}/broken.png` });
        await page.keyboard.press("Home");
        await until("the start", async () => (await frameOf(page)) === 0, 5);
        assert.deepEqual(await drawnBodies(page), ["ball", "pane"]);
        // A body that is not in the frame says so.
        await page.evaluate(() => window.nacre.select(window.nacre.matches("pane/3")[0]));
        assert.equal(await text(page, "#body-speed"), "not in this frame");
        assert.deepEqual(page.wrongs, []);
        await page.context().close();
    }
    await server.stop();
}

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

// Vertices of an object of an OBJ file, three numbers each.
function verticesIn(file, name) {
    const all = [];
    let inside = false;
    for (const line of readFileSync(file, "utf8").split("\n")) {
        if (line.startsWith("o ")) inside = line.slice(2) === name;
        else if (inside && line.startsWith("v ")) all.push(...line.slice(2).split(" ").map(Number));
    }
    return all;
}

// What of a picture is as red as what is marked.
async function redness(page) {
    const picture = await page.locator("#view").screenshot();
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
        for (let i = 0; i < data.length; i += 4) if (data[i] > 150 && data[i] > 1.8 * data[i + 1] && data[i] > 1.8 * data[i + 2]) count++;
        return count / (data.length / 4);
    }, picture.toString("base64"));
}

async function a_scene_that_cannot_start_shows_what_touches_and_overlaps(browser) {
    const server = await serve("refused.yaml");
    const page = await open(browser, server.url);
    assert.equal(await text(page, "#status"), "cannot start");
    assert.match(await text(page, "#refused-count"), /^2 pairs of bodies touch or overlap/);
    const pairs = page.locator("#refused-pairs button");
    assert.equal(await pairs.count(), 2);
    assert.match(await pairs.nth(0).textContent(), /floor and low.*touching: apart when "low" moves up/);
    assert.match(await pairs.nth(1).textContent(), /low and high.*overlapping: 40 mm deep; apart when "high" moves up/);
    assert.equal(await text(page, "#refused-command"), "nacre repair refused.yaml -o repaired.yaml");
    assert.match(await text(page, "#refused-sentence"), /refused.yaml:7:5: .*starts intersecting/);
    assert.ok((await redness(page)) > 0.01, "nothing is marked");
    await page.screenshot({ path: `${shots}/refused.png` });
    // One pair alone, from near, and all of them again.
    await pairs.nth(1).click();
    assert.equal(await pairs.nth(1).getAttribute("aria-pressed"), "true");
    assert.equal(await page.evaluate(() => window.nacre.refusal.chosen), 1);
    await drawn(page);
    await page.screenshot({ path: `${shots}/refused_pair.png` });
    await pairs.nth(1).click();
    assert.equal(await page.evaluate(() => window.nacre.refusal.chosen), -1);
    // The measure of redness must see that nothing is marked.
    await page.evaluate(() => {
        window.nacre.refusal.group.visible = false;
        window.nacre.stage.touch();
    });
    await drawn(page);
    assert.ok((await redness(page)) < 0.005, "what is not marked counts as marked");
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    assert.equal(await server.stop(), 4);
}

async function cloth_that_crosses_itself_is_shown_with_its_place(browser) {
    const server = await serve("tangled.yaml");
    const page = await open(browser, server.url);
    assert.match(await page.locator("#refused-pairs button").textContent(), /rag with itself.*overlapping: 1 pair of triangles/);
    assert.ok(await page.locator("#refused-remedy").isHidden());
    assert.ok((await redness(page)) > 0.01, "nothing is marked");
    await page.screenshot({ path: `${shots}/tangled.png` });
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    assert.equal(await server.stop(), 4);
}

async function cloth_is_where_the_run_has_it_in_every_frame(browser) {
    const server = await serve("cloth.nacre");
    for (const url of [server.url, `file://${process.cwd()}/cloth.html`]) {
        const page = await open(browser, url);
        assert.ok((await fullness(page)) > 0.02, "the canvas is empty");
        for (const frame of [0, 12, 5]) {
            await page.locator("#scrub").fill(String(frame));
            await until(`frame ${frame}`, async () => (await frameOf(page)) === frame);
            await drawn(page);
            const wanted = verticesIn(`cloth${frame}.obj`, "sheet");
            const { shape, box } = await page.evaluate(() => {
                const { bodies, frame } = window.nacre;
                const { min, max } = bodies.geometries[bodies.list[1].mesh].boundingBox;
                return { shape: [...frame.shapes.get(1)], box: [min.x, min.y, min.z, max.x, max.y, max.z] };
            });
            assert.equal(shape.length, wanted.length);
            shape.forEach((c, i) => assert.ok(Math.abs(c - wanted[i]) < 1e-6, `coordinate ${i}: ${c}, wanted ${wanted[i]}`));
            for (let axis = 0; axis < 3; axis++) { // what is drawn has moved, too
                const along = wanted.filter((_, i) => i % 3 === axis);
                assert.ok(Math.abs(box[axis] - Math.min(...along)) < 1e-6 && Math.abs(box[3 + axis] - Math.max(...along)) < 1e-6);
            }
        }
        await page.screenshot({ path: `${shots}/cloth.png` });
        assert.deepEqual(page.wrongs, []);
        await page.context().close();
    }
    await server.stop();
}

await runTests([
    page_shows_a_run_and_the_canvas_is_not_empty, plays_steps_scrubs_and_loops, slow_motion_is_interpolated_only_when_asked_for_and_says_so,
    a_click_picks_a_body_and_tells_what_is_stored_of_it,
    plots_tell_the_reports_of_the_present_frame, overlays_show_what_they_say,
    clusters_are_told_by_the_server_and_by_an_exported_page, bodies_that_break_vanish_and_their_pieces_appear,
    pieces_appear_in_a_run_that_is_being_simulated, follows_a_scene_while_it_is_simulated,
    follows_a_run_that_another_process_writes, an_exported_page_works_from_the_disk, is_readable_on_a_phone_and_in_the_light,
    a_scene_that_cannot_start_shows_what_touches_and_overlaps, cloth_that_crosses_itself_is_shown_with_its_place,
    cloth_is_where_the_run_has_it_in_every_frame, everything_has_a_label_and_the_keyboard_reaches_it, sixty_shapes_cost_few_draw_calls, ten_thousand_boats_open_soon_and_play_lightly,
]);
