// Very many bodies: node viewer_crowds.mjs NACRE WEB SCREENSHOTS, in a folder with the runs that viewer.sh makes.
import assert from "node:assert/strict";
import { drawn, fullness, open, placeOf, runTests, serve, shots, text, until } from "./browser.mjs";

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
    const page = await open(browser, server.url, { counted: true });
    // Other programs on the machine do not change processor time.
    const opening = await page.mainThread();
    console.log(`   10,000 boats open with ${opening.task.toFixed(2)} s of processor time of the page (${page.openTime} ms by the clock)`);
    assert.ok(opening.task < 2, `opening took ${opening.task} s of processor time`);
    await page.evaluate(() => (window.nacre.player.speed = 10));
    await page.locator("#play").click();
    await until("a draft", () => page.evaluate(() => window.nacre.stage.draft), 90);
    // Scripts of a frame: everything from its numbers to the last call of WebGL.
    const FRAMES = 12, before = await page.mainThread();
    await page.evaluate((count) => new Promise((resolve) => {
        let seen = 0, last = window.nacre.frame;
        const look = () => {
            if (window.nacre.frame !== last) seen++;
            last = window.nacre.frame;
            if (seen < count) requestAnimationFrame(look);
            else resolve();
        };
        requestAnimationFrame(look);
    }), FRAMES);
    const each = (1000 * ((await page.mainThread()).script - before.script)) / FRAMES;
    const calls = await page.evaluate(() => window.nacre.stage.renderer.info.render.calls);
    console.log(`   ${each.toFixed(2)} ms of processor time of scripts per frame, ${calls} draw calls`);
    assert.ok(each < 5, `${each} ms of scripts per frame`);
    assert.ok(calls <= 21, `${calls} draw calls`);
    await page.evaluate(() => window.nacre.player.pause()); // software takes seconds to draw them once
    await page.screenshot({ path: `${shots}/many.png`, timeout: 120000 });
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function a_list_of_ten_thousand_has_few_rows(browser) {
    const server = await serve("many.nacre");
    const page = await open(browser, server.url);
    await page.locator("#open-bodies").click();
    assert.equal(await text(page, "#list-count"), "10,000 bodies");
    assert.ok((await page.locator(".body-row").count()) < 40, "all rows are elements");
    await page.evaluate(() => (document.getElementById("list-view").scrollTop = 34 * 7000));
    await until("row 7000", () => page.locator('.body-row[data-body="7000"]').count());
    assert.ok((await page.locator(".body-row").count()) < 40);
    const time = await page.evaluate(() => {
        const begin = performance.now();
        window.nacre.isolate(7001);
        return performance.now() - begin;
    });
    console.log(`   isolating one of 10,000 takes ${time.toFixed(0)} ms`);
    assert.ok(time < 500, `${time} ms`);
    assert.match(await text(page, "#list-count"), /9,999 hidden/);
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function a_crowd_that_moves_slowly_is_drawn_as_a_draft(browser) {
    const server = await serve("many.nacre");
    const page = await open(browser, server.url);
    const triangles = () => page.evaluate(() => window.nacre.stage.renderer.info.render.triangles);
    // On a busy machine it may be a draft already.
    const full = await until("a whole picture", () => page.evaluate(() => {
        const { draft, renderer } = window.nacre.stage;
        return !draft && renderer.info.render.triangles > 300000 && renderer.info.render.triangles;
    }), 120);
    await page.evaluate(() => {
        window.nacre.isCostly = true; // as it would find out by itself without a graphics card
        window.nacre.player.play();
    });
    await until("a draft", async () => (await triangles()) < full / 4, 120);
    assert.ok(await page.evaluate(() => window.nacre.stage.draft));
    // A crowd in one mesh is where its bodies are.
    const apart = await page.evaluate(() => {
        const { bodies } = window.nacre, [[batch, crowd]] = bodies.crowds, at = crowd.mesh.geometry.getAttribute("position").array;
        let most = 0;
        for (let i = 0; i < batch.bodies.length; i++) {
            const from = crowd.local.length * i, m = batch.matrices.subarray(16 * i);
            most = Math.max(most, Math.abs(m[0] * crowd.local[0] + m[4] * crowd.local[1] + m[8] * crowd.local[2] + m[12] - at[from]));
        }
        return most;
    });
    assert.ok(apart < 1e-3, `${apart} m`);
    await page.screenshot({ path: `${shots}/draft.png`, timeout: 120000 });
    await page.evaluate(() => window.nacre.player.pause());
    await until("everything as it is", async () => (await triangles()) >= full / 2 && !(await page.evaluate(() => window.nacre.stage.draft)), 120);
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

await runTests([
    sixty_shapes_cost_few_draw_calls,
    ten_thousand_boats_open_soon_and_play_lightly,
    a_list_of_ten_thousand_has_few_rows,
    a_crowd_that_moves_slowly_is_drawn_as_a_draft,
]);
