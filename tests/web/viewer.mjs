// What is seen of a run, and how it is played: node viewer.mjs NACRE WEB SCREENSHOTS, in a folder with the runs that viewer.sh makes.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { drawn, frameOf, fullness, open, placeOf, runTests, serve, shots, text, until } from "./browser.mjs";
import { near, truth } from "./runs.mjs";

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

async function a_complete_run_plays_by_itself_unless_little_motion_is_wanted(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url, { hash: "" });
    await until("playing", async () => (await frameOf(page)) > 3);
    await page.screenshot({ path: `${shots}/autoplay.png` });
    assert.equal(await page.locator("#play").getAttribute("aria-label"), "Pause");
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    const calm = await open(browser, server.url, { hash: "", reducedMotion: "reduce" });
    await sleep(500);
    assert.equal(await frameOf(calm), 0);
    await calm.context().close();
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

async function forces_at_contacts_are_arrows_that_explain_the_motion(browser) {
    const server = await serve("forces.nacre");
    const page = await open(browser, server.url);
    await page.keyboard.press("j");
    const box = truth.bodies.find((body) => body.name === "red-box"), FRAME = 30;
    await page.locator("#scrub").fill(String(FRAME));
    await until("forces", () => page.evaluate((frame) => window.nacre.forces?.frame === frame && window.nacre.forces.count > 0, FRAME));
    // Momentum gained since the frame before is what contacts and gravity gave.
    const sum = await page.evaluate((body) => {
        const sum = [0, 0, 0];
        for (const [a, b, , , , ...force] of window.nacre.forces.contacts)
            for (let k = 0; k < 3; k++) sum[k] += a === body ? force[k] : b === body ? -force[k] : 0;
        return sum;
    }, box.id);
    const [before, after] = [FRAME - 1, FRAME].map((frame) => truth.poses.find((pose) => pose.frame === frame && pose.body === box.id));
    ["vx", "vy", "vz"].forEach((key, k) => {
        const wanted = box.mass * ((after[key] - before[key]) * 24 + (k === 1 ? 9.81 : 0));
        assert.ok(Math.abs(sum[k] - wanted) < 0.01 * 9.81 * box.mass, `${key}: the forces sum up to ${sum}, wanted ${wanted}`);
    });
    assert.match(await text(page, "#overlay-note"), /^Mean forces at \d+ contacts since the frame before\. An arrow as long as a body: [\d.]+ N\.$/);
    const all = await page.evaluate(() => window.nacre.arrows.drawn);
    await drawn(page);
    await page.screenshot({ path: `${shots}/forces.png` });
    // Of a selected body, those that act on it.
    await page.evaluate((body) => window.nacre.select(body), box.id);
    const own = await page.evaluate(() => window.nacre.arrows.drawn);
    assert.ok(all > own && own > 0, `${own} of ${all} arrows`);
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
    // A run that stores none says how to store them.
    const other = await serve("bowl.nacre");
    const bare = await open(browser, other.url);
    await bare.keyboard.press("j");
    await until("a word about it", async () => /--store contacts/.test(await text(bare, "#overlay-note")));
    await bare.context().close();
    await other.stop();
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

await runTests([
    page_shows_a_run_and_the_canvas_is_not_empty,
    plays_steps_scrubs_and_loops,
    slow_motion_is_interpolated_only_when_asked_for_and_says_so,
    a_complete_run_plays_by_itself_unless_little_motion_is_wanted,
    a_click_picks_a_body_and_tells_what_is_stored_of_it,
    plots_tell_the_reports_of_the_present_frame,
    overlays_show_what_they_say,
    forces_at_contacts_are_arrows_that_explain_the_motion,
    clusters_are_told_by_the_server_and_by_an_exported_page,
    everything_has_a_label_and_the_keyboard_reaches_it,
]);
