// Exported pages, small screens, cloth, fragments, materials, scenes that cannot start:
// node viewer_looks.mjs NACRE WEB SCREENSHOTS, in a folder with the runs that viewer.sh makes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drawn, frameOf, fullness, open, placeOf, runTests, serve, shots, text, until } from "./browser.mjs";
import { drawnBodies, goTo, near, picture, truth } from "./runs.mjs";

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

// Single pixels much darker than all around them, in rings of two and three pixels.
async function darkDots(page) {
    const shot = await picture(page);
    return page.evaluate(async (base64) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        const light = (x, y) => data[4 * (y * canvas.width + x)] + data[4 * (y * canvas.width + x) + 1] + data[4 * (y * canvas.width + x) + 2];
        const around = [[-3, 0], [3, 0], [0, -3], [0, 3], [-2, -2], [2, 2], [-2, 2], [2, -2]];
        let count = 0;
        for (let y = 60; y < canvas.height - 4; y++)
            for (let x = 4; x < canvas.width - 4; x++) if (light(x, y) < 0.8 * Math.min(...around.map(([i, j]) => light(x + i, y + j)))) count++;
        return count;
    }, shot.toString("base64"));
}

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

async function everything_fits_on_a_screen_of_320_pixels(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url, { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true });
    const isInside = async (selector) => {
        const box = await page.locator(selector).boundingBox();
        assert.ok(box && box.x >= 0 && box.x + box.width <= 320 && box.y >= 0 && box.y + box.height <= 568, `${selector} is outside: ${JSON.stringify(box)}`);
    };
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
    for (const button of ["open-bodies", "open-view", "open-overlays", "frame-all", "toggle-plots", "toggle-theme", "open-help", "play", "back", "forward", "scrub", "clock", "speed", "loop"]) {
        await isInside(`#${button}`);
        assert.ok((await page.locator(`#${button}`).boundingBox()).height >= 15);
    }
    for (const [button, panel] of [["open-bodies", "bodies"], ["open-view", "view-panel"], ["open-overlays", "overlays"]]) {
        await page.locator(`#${button}`).tap();
        await isInside(`#${panel}`);
        // No two of its controls lie on each other, and none reaches out of it.
        const bad = await page.evaluate((id) => {
            const host = document.getElementById(id), all = [...host.querySelectorAll("button, input, select")].filter((e) => e.offsetParent), out = host.getBoundingClientRect();
            const boxes = all.map((e) => [e.id || e.textContent, e.getBoundingClientRect()]);
            const over = boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([, q]) => p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1).map(([b]) => `${a} on ${b}`));
            return [...over, ...boxes.filter(([, p]) => p.left < out.left || p.right > out.right).map(([a]) => `${a} reaches out`)];
        }, panel);
        assert.deepEqual(bad, []);
        await page.screenshot({ path: `${shots}/narrow_${panel}.png` });
        await page.locator(`#${button}`).tap();
    }
    // Two taps zoom to a body; what it is fits, too.
    const at = await placeOf(page, 2);
    await page.touchscreen.tap(at.x, at.y);
    await until("the panel", () => page.locator("#body").isVisible());
    await isInside("#body");
    // Each name is beside its value. Most of the stage stays free, and the clock is not cut off.
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("#body-facts dt")].filter((e) => {
        const name = e.getBoundingClientRect(), value = e.nextElementSibling.getBoundingClientRect();
        return Math.abs(name.top - value.top) > 2 || value.left < name.right - 1;
    }).map((e) => e.textContent)), []);
    const part = await page.evaluate(() => document.getElementById("body").offsetHeight / document.getElementById("view").clientHeight);
    assert.ok(part < 0.45, `the panel takes ${part} of the stage`);
    assert.ok(await page.evaluate(() => [...document.querySelectorAll("#clock span")].every((e) => e.getBoundingClientRect().right <= document.getElementById("speed").getBoundingClientRect().left)));
    await page.screenshot({ path: `${shots}/narrow.png` });
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
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

async function bodies_have_their_own_colours_and_materials(browser) {
    const server = await serve("bowl.nacre");
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "dark" });
    const page = await context.newPage(), wrongs = [];
    page.on("pageerror", (error) => wrongs.push(error.message));
    page.on("console", (message) => message.type() === "error" && wrongs.push(message.text()));
    await page.route("**/api/bodies*", async (route) => {
        const bodies = await (await route.fetch()).json();
        Object.assign(bodies[1], { color: "#c08a54", material: "wood" });
        Object.assign(bodies[2], { color: "#d43a2f", material: "metal" });
        Object.assign(bodies[3], { color: "#eaf6f4", material: "glass" });
        await route.fulfill({ json: bodies });
    });
    await page.goto(`${server.url}#frame=8`);
    await until("the run", () => page.evaluate(() => window.nacre?.frame?.frame === 8));
    const looks = await page.evaluate(() => [1, 2, 3].map((b) => {
        const { bodies } = window.nacre, batch = bodies.batches[bodies.batchOf[b]], at = batch.stride * bodies.slotOf[b];
        const { metalness, transparent, envMap } = batch.object.material;
        return { red: batch.colours[at] > 2 * batch.colours[at + 2], metalness, transparent, reflects: envMap !== null };
    }));
    assert.deepEqual(looks, [
        { red: true, metalness: 0, transparent: false, reflects: true }, { red: true, metalness: 1, transparent: false, reflects: true },
        { red: false, metalness: 0, transparent: true, reflects: true },
    ]);
    // The two boxes have one mesh and two materials: each can be picked.
    const at = await placeOf(page, 2);
    await page.mouse.click(at.x, at.y);
    assert.equal(await text(page, "#body-name"), "red-box");
    await page.keyboard.press("Escape");
    await drawn(page);
    await page.screenshot({ path: `${shots}/materials.png` });
    assert.deepEqual(wrongs, []);
    await context.close();
    await server.stop();
}

async function folds_of_cloth_have_no_dark_dots(browser) {
    const server = await serve("fold.nacre");
    const page = await open(browser, server.url);
    await page.evaluate(() => document.querySelectorAll("#head, #tools, #plots").forEach((e) => (e.hidden = true)));
    let dots = 0;
    for (const frame of [12, 15, 18]) {
        await goTo(page, frame);
        for (const [x, y] of [[1, 0.3], [-0.4, 0.5], [0.2, 0.15]]) {
            await page.evaluate(([a, b]) => {
                const { stage, main } = window.nacre;
                stage.look(main);
                const target = stage.controls.target.clone(), away = target.clone().set(a, b, 1).normalize();
                stage.stand(target.clone().addScaledVector(away, 0.8 * stage.distance), target);
            }, [x, y]);
            dots += await darkDots(page);
        }
    }
    await page.screenshot({ path: `${shots}/folds.png` });
    console.log(`   ${dots} dark dots in nine pictures`);
    // Corners whose undersides are seen count, too: 12. With backs as near as fronts there were 85.
    assert.ok(dots <= 45, `${dots} dark dots`);
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

await runTests([
    bodies_that_break_vanish_and_their_pieces_appear,
    an_exported_page_works_from_the_disk,
    is_readable_on_a_phone_and_in_the_light,
    everything_fits_on_a_screen_of_320_pixels,
    a_scene_that_cannot_start_shows_what_touches_and_overlaps,
    cloth_that_crosses_itself_is_shown_with_its_place,
    cloth_is_where_the_run_has_it_in_every_frame,
    bodies_have_their_own_colours_and_materials,
    folds_of_cloth_have_no_dark_dots,
]);
