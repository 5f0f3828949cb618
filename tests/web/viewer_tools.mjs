// The tools of the page: node viewer_tools.mjs NACRE WEB SCREENSHOTS, in a folder with the runs that viewer.sh makes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { drawn, frameOf, fullness, nacre, open, placeOf, runTests, serve, shots, text, until } from "./browser.mjs";
import { goTo, picture } from "./runs.mjs";

const run = (...words) => execFileSync(nacre, words, { encoding: "utf8" });

// How many pixels of two pictures (PNG) differ by more than a shade.
async function difference(page, a, b) {
    return page.evaluate(async (both) => {
        const pixels = await Promise.all(both.map(async (base64) => {
            const image = new Image();
            image.src = `data:image/png;base64,${base64}`;
            await image.decode();
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [image.width, image.height];
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            return context.getImageData(0, 0, canvas.width, canvas.height).data;
        }));
        if (pixels[0].length !== pixels[1].length) return Infinity;
        let count = 0;
        for (let i = 0; i < pixels[0].length; i += 4)
            if (Math.abs(pixels[0][i] - pixels[1][i]) + Math.abs(pixels[0][i + 1] - pixels[1][i + 1]) + Math.abs(pixels[0][i + 2] - pixels[1][i + 2]) > 24) count++;
        return count;
    }, [a.toString("base64"), b.toString("base64")]);
}

// Until the camera has come to rest after a drag.
async function rest(page) {
    let before = "";
    await until("a camera at rest", async () => {
        const now = await page.evaluate(() => [...window.nacre.stage.camera.position.toArray(), window.nacre.stage.camera.zoom].map((c) => c.toFixed(6)).join());
        await sleep(150);
        await drawn(page);
        const still = now === before;
        before = now;
        return still;
    });
}

const hiddenNames = (page) => page.evaluate(() => window.nacre.hiddenBodies.map((b) => window.nacre.nameOf(b)));

// Where the corners of a body's box are in the picture, x and y in [-1, 1], in the frame that is shown.
const cornersOf = (page, body) => page.evaluate((b) => {
    const { bodies, stage } = window.nacre, box = bodies.geometries[bodies.list[b].mesh].boundingBox;
    const at = 16 * bodies.slotOf[b], pose = stage.root.matrixWorld.clone().fromArray(bodies.batches[bodies.batchOf[b]].matrices, at);
    stage.camera.updateMatrixWorld();
    return [...Array(8).keys()].map((k) => {
        const corner = box.min.clone().set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
        return corner.applyMatrix4(pose).applyQuaternion(stage.root.quaternion).project(stage.camera).toArray().slice(0, 2);
    });
}, body);

async function the_camera_has_what_moves_in_sight_in_every_frame_and_not_the_floor(browser) {
    const server = await serve("toss.nacre");
    const page = await open(browser, server.url);
    let lowest = 1, highest = -1;
    for (const frame of [0, 12, 24, 36, 47]) {
        await goTo(page, frame);
        for (const [x, y] of await cornersOf(page, 1)) {
            assert.ok(Math.abs(x) < 1 && Math.abs(y) < 1, `frame ${frame}: a corner of the ball at ${x}, ${y}`);
            lowest = Math.min(lowest, y);
            highest = Math.max(highest, y);
        }
        if (frame === 24) await page.screenshot({ path: `${shots}/fitted.png` });
    }
    assert.ok(highest - lowest > 1.2, `the flight takes ${highest - lowest} of the picture's 2`);
    assert.ok((await cornersOf(page, 0)).some(([x]) => Math.abs(x) > 1), "the floor was fitted");
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function a_double_click_zooms_to_a_body(browser) {
    const server = await serve("toss.nacre");
    const page = await open(browser, server.url);
    const size = async () => {
        const corners = await cornersOf(page, 1), x = corners.map((c) => c[0]), y = corners.map((c) => c[1]);
        return { tall: Math.max(...y) - Math.min(...y), middle: [(Math.max(...x) + Math.min(...x)) / 2, (Math.max(...y) + Math.min(...y)) / 2] };
    };
    const before = (await size()).tall, at = await placeOf(page, 1);
    await page.mouse.dblclick(at.x, at.y);
    await drawn(page);
    assert.equal(await text(page, "#body-name"), "ball");
    const after = await size();
    assert.ok(after.tall > 0.5 && after.tall < 2 && after.tall > 3 * before, `${before} became ${after.tall}`);
    assert.ok(Math.hypot(...after.middle) < 0.2, `it is at ${after.middle}`);
    await page.screenshot({ path: `${shots}/zoomed.png` });
    // The box around it is a little larger than it is, however large the floor; coordinates that are only rounding are 0.
    const tall = await page.evaluate(() => {
        const { geometry } = window.nacre.overlays.selection.object, at = geometry.getAttribute("position");
        const heights = Array.from({ length: geometry.drawRange.count }, (_, i) => at.getY(i));
        return Math.max(...heights) - Math.min(...heights);
    });
    assert.ok(tall > 0.55 && tall < 0.7, `the box around a ball of 0.6 m is ${tall} m tall`);
    assert.equal(await text(page, "#body-position"), "0, 0.5, 0");
    // A colour is seen in the next picture, also in the first one after the shadows were drawn.
    const yellow = await page.evaluate(() => {
        const { nacre } = window, { stage } = nacre, gl = stage.renderer.getContext(), pixel = new Uint8Array(4);
        const drawAs = (body) => {
            nacre.select(body);
            stage.draw();
            gl.readPixels(gl.drawingBufferWidth / 2, gl.drawingBufferHeight / 2, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            return Math.min(pixel[0], pixel[1]) > 1.5 * pixel[2];
        };
        stage.renderer.shadowMap.needsUpdate = true;
        return [drawAs(-1), drawAs(1), drawAs(-1), drawAs(1)];
    });
    assert.deepEqual(yellow, [false, true, false, true]);
    // The key and the button do the same from elsewhere; without a body everything is fitted.
    await page.keyboard.press("r");
    await until("fitted", async () => (await size()).tall < 1.2 * before);
    await page.locator("#zoom-body").click();
    assert.ok(Math.abs((await size()).tall - after.tall) < 0.1);
    await page.keyboard.press("Escape");
    await page.locator("#view").focus();
    await page.keyboard.press("z");
    await until("fitted again", async () => (await size()).tall < 1.2 * before);
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function bodies_are_listed_found_hidden_and_isolated(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url);
    await page.keyboard.press("t");
    assert.equal(await text(page, "#list-count"), "4 bodies");
    assert.deepEqual(await page.locator(".body-row .pick").allTextContents(), ["bowl", "boat", "red-box", "blue-box"]);
    await page.locator("#find").fill("BOX");
    assert.equal(await text(page, "#list-count"), "2 of 4");
    await page.locator("#find").press("Enter");
    assert.equal(await text(page, "#body-name"), "red-box");
    await page.locator("#find").fill("");
    await page.locator("#list-view").focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await text(page, "#body-name"), "blue-box");
    // What is hidden is not drawn and cannot be clicked; what is isolated is alone.
    const before = await fullness(page);
    await page.locator('.body-row[data-body="0"] .eye').click();
    assert.deepEqual(await hiddenNames(page), ["bowl"]);
    assert.match(await text(page, "#list-count"), /1 hidden/);
    assert.ok((await fullness(page)) < 0.6 * before, "the bowl is still drawn");
    await page.screenshot({ path: `${shots}/list.png` });
    await page.locator("#isolate").click();
    assert.deepEqual(await hiddenNames(page), ["bowl", "boat", "red-box"]);
    const at = await placeOf(page, 1);
    await page.mouse.click(at.x, at.y);
    assert.ok(await page.locator("#body").isHidden(), "a hidden body was picked");
    await page.locator("#show-all").click();
    assert.deepEqual(await hiddenNames(page), []);
    assert.ok(Math.abs((await fullness(page)) - before) < 0.3 * before);
    // By keys, and it stays so in other frames.
    await page.keyboard.press("Escape");
    await page.evaluate(() => window.nacre.select(2));
    await page.keyboard.press("h");
    await goTo(page, 20);
    assert.deepEqual(await hiddenNames(page), ["red-box"]);
    const scale = await page.evaluate(() => window.nacre.bodies.batches[window.nacre.bodies.batchOf[2]].matrices[16 * window.nacre.bodies.slotOf[2] + 15]);
    assert.equal(scale, 0);
    // Its velocity is hidden with it.
    const velocities = () => page.evaluate(() => window.nacre.overlays.velocity.object.geometry.drawRange.count / 2);
    await page.keyboard.press("3");
    assert.equal(await velocities(), 2);
    await page.keyboard.press("u");
    assert.equal(await velocities(), 3);
    assert.deepEqual(await hiddenNames(page), []);
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function standard_views_look_along_axes_and_parallels_stay_parallel(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url);
    const away = () => page.evaluate(() => {
        const { camera, controls } = window.nacre.stage;
        return camera.position.clone().sub(controls.target).normalize().toArray();
    });
    const isAlong = (found, wanted, what) => assert.ok(Math.hypot(...found.map((c, k) => c - wanted[k])) < 1e-3, `${what}: ${found}`);
    await page.locator("#view").focus();
    for (const [key, wanted] of [["6", [0, 0, 1]], ["7", [0, 1, 0]], ["8", [1, 0, 0]]]) {
        await page.keyboard.press(key);
        await drawn(page);
        isAlong(await away(), wanted, `key ${key}`);
        assert.ok((await fullness(page)) > 0.02, `key ${key}: the canvas is empty`);
    }
    await page.keyboard.press("v");
    for (const [name, wanted] of [["back", [0, 0, -1]], ["left", [-1, 0, 0]], ["bottom", [0, -1, 0]]]) {
        await page.locator(`[data-view="${name}"]`).click();
        isAlong(await away(), wanted, name);
    }
    // Two points at different depths: equal steps look equal only without perspective.
    const steps = () => page.evaluate(() => {
        const { stage } = window.nacre, target = stage.controls.target;
        stage.camera.updateMatrixWorld();
        const width = (z) => target.clone().set(target.x + 1, target.y, z).project(stage.camera).x - target.clone().set(target.x, target.y, z).project(stage.camera).x;
        return width(target.z + 1) / width(target.z - 1);
    });
    await page.locator('[data-view="front"]').click();
    assert.ok((await steps()) > 1.05, "no perspective");
    await page.locator("#ortho").check();
    await drawn(page);
    assert.ok(Math.abs((await steps()) - 1) < 1e-6, "perspective");
    assert.ok((await fullness(page)) > 0.02, "the canvas is empty");
    await page.screenshot({ path: `${shots}/front.png` });
    // Clicking works there, too; the wheel zooms; going back shows what was shown.
    await goTo(page, 6);
    const at = await placeOf(page, 2);
    await page.mouse.click(at.x, at.y);
    assert.equal(await text(page, "#body-name"), "red-box");
    const seen = () => page.evaluate(() => window.nacre.stage.distance);
    const before = await seen();
    await page.mouse.wheel(0, -400);
    await until("a zoom", async () => (await seen()) < 0.95 * before);
    await sleep(300);
    const zoomed = await seen();
    await page.keyboard.press("9");
    assert.ok(Math.abs((await seen()) - zoomed) < 1e-3 * zoomed, "another size");
    assert.ok((await steps()) > 1.05);
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function a_clip_plane_cuts_what_is_drawn_and_clicked(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url);
    await page.keyboard.press("v");
    const whole = await picture(page), full = await fullness(page);
    await page.locator("#clip-axis").selectOption("x");
    await page.screenshot({ path: `${shots}/clipped.png` });
    assert.ok((await difference(page, whole, await picture(page))) > 2000, "nothing was cut");
    // The boat is at x = 0.2, the boxes at -0.8 and 0.6: at the low end nothing is left, and the other side is everything.
    await page.locator("#clip-at").fill("0");
    const none = await fullness(page);
    await page.locator("#clip-flip").check();
    assert.ok(none < 0.2 * full, `${none} of ${full} is left`);
    assert.ok(Math.abs((await fullness(page)) - full) < 0.1 * full, "not everything is there");
    const picked = async (body) => {
        const at = await placeOf(page, body);
        await page.mouse.click(at.x, at.y);
        return (await page.locator("#body").isVisible()) && (await text(page, "#body-name"));
    };
    await page.evaluate(() => window.nacre.stage.setClip({ axis: 0, at: 0.2, flip: false })); // below 0.2 stays
    assert.equal(await picked(2), "red-box");
    assert.notEqual(await picked(3), "blue-box");
    await page.locator("#clip-axis").selectOption("");
    assert.ok((await difference(page, whole, await picture(page))) < 20000 && (await page.evaluate(() => window.nacre.stage.clipped.length)) === 0);
    assert.equal(await picked(3), "blue-box");
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function pictures_and_films_are_saved_and_play(browser) {
    const page = await open(browser, `file://${process.cwd()}/bowl.html`, { acceptDownloads: true });
    await goTo(page, 6);
    await page.keyboard.press("v");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.locator("#take-picture").click()]);
    assert.equal(saved.suggestedFilename(), "things-in-a-bowl-6.png");
    await saved.saveAs(`${shots}/saved.png`);
    const size = readFileSync(`${shots}/saved.png`).subarray(16, 24);
    const canvas = await page.evaluate(() => [window.nacre.stage.canvas.width, window.nacre.stage.canvas.height]);
    assert.deepEqual([size.readUInt32BE(0), size.readUInt32BE(4)], canvas);
    // Empty it is not: it is far from a picture of one colour.
    assert.ok(readFileSync(`${shots}/saved.png`).length > 10000, "the picture is empty");
    // A film of the whole run ends by itself.
    const [film] = await Promise.all([page.waitForEvent("download", { timeout: 60000 }), page.locator("#record").click()]);
    assert.equal(film.suggestedFilename(), "things-in-a-bowl.webm");
    await film.saveAs(`${shots}/film.webm`);
    assert.equal(await frameOf(page), 36);
    assert.ok(await page.locator("#recording").isHidden());
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    // It plays, and its pictures change.
    const player = await (await browser.newContext()).newPage();
    await player.setContent(`<video muted src="data:video/webm;base64,${readFileSync(`${shots}/film.webm`).toString("base64")}"></video>`);
    const played = await player.evaluate(async () => {
        const video = document.querySelector("video"), sums = new Set();
        const canvas = new OffscreenCanvas(64, 36), context = canvas.getContext("2d", { willReadFrequently: true });
        await video.play();
        await new Promise((resolve, reject) => {
            video.onended = resolve;
            setTimeout(() => reject(new Error("the film does not end")), 30000);
            video.ontimeupdate = () => {
                context.drawImage(video, 0, 0, 64, 36);
                sums.add(context.getImageData(0, 0, 64, 36).data.reduce((sum, v, i) => sum + v * ((i % 97) + 1), 0));
            };
        });
        return { width: video.videoWidth, height: video.videoHeight, seconds: video.currentTime, pictures: sums.size };
    });
    console.log(`   a film of ${played.seconds.toFixed(1)} s, ${played.width} x ${played.height}`);
    assert.deepEqual([played.width, played.height], canvas);
    assert.ok(played.seconds > 1 && played.pictures >= 3, JSON.stringify(played));
    await player.context().close();
}

async function the_camera_is_copied_as_a_scene_takes_it(browser) {
    const server = await serve("bowl.nacre");
    const page = await open(browser, server.url, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.mouse.move(600, 300);
    await page.mouse.down();
    await page.mouse.move(760, 260, { steps: 4 });
    await page.mouse.up();
    await rest(page);
    await page.keyboard.press("y");
    await until("a word", () => page.locator("#said").isVisible());
    const yaml = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(yaml, /^camera:\n {2}position: \[.*\]\n {2}target: \[.*\]\n {2}fov: 38\n$/);
    const [position, target] = [...yaml.matchAll(/\[(.*)\]/g)].map((m) => m[1].split(", ").map(Number));
    const { camera, aim } = await page.evaluate(() => ({ camera: window.nacre.stage.camera.position.toArray(), aim: window.nacre.stage.controls.target.toArray() }));
    for (let k = 0; k < 3; k++) assert.ok(Math.abs(position[k] - camera[k]) < 1e-5 && Math.abs(target[k] - aim[k]) < 1e-5, yaml);
    writeFileSync("with_camera.yaml", readFileSync("bowl.yaml", "utf8") + yaml);
    run("info", "with_camera.yaml");
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function a_link_restores_the_same_picture(browser) {
    const server = await serve("bowl.nacre");
    for (const url of [server.url, `file://${process.cwd()}/bowl.html`]) {
        const page = await open(browser, url, { permissions: ["clipboard-read", "clipboard-write"] });
        await goTo(page, 17);
        await page.evaluate(() => {
            const { nacre } = window;
            nacre.select(2);
            nacre.hide(1);
            nacre.setShown({ velocity: true });
            nacre.stage.setOrthographic(true);
            nacre.stage.setClip({ axis: 2, at: 0.5, flip: false });
        });
        await page.keyboard.press("d");
        await page.locator("#open-overlays").click();
        await page.locator("#colour").selectOption("speed");
        await page.keyboard.press("Escape");
        await page.mouse.move(600, 300);
        await page.mouse.down();
        await page.mouse.move(720, 340, { steps: 4 });
        await page.mouse.up();
        await page.mouse.wheel(0, -300);
        await rest(page);
        await page.keyboard.press("w");
        await until("the link", () => page.evaluate(() => location.hash.includes("camera=")));
        const link = await page.evaluate(() => location.href);
        if (await page.locator("#copy-dialog").isVisible()) await page.locator("#copy-dialog button").click();
        else assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
        await page.evaluate(() => (document.getElementById("said").hidden = true));
        const before = await picture(page);
        writeFileSync(`${shots}/link.png`, before);
        await page.context().close();
        const other = await open(browser, link.split("#")[0], { hash: `#${link.split("#")[1]}`, colorScheme: "light" });
        await until("frame 17", async () => (await frameOf(other)) === 17);
        const state = await other.evaluate(() => {
            const { nacre } = window;
            return [nacre.frame.frame, nacre.selected, nacre.hiddenBodies, nacre.shown.velocity, nacre.stage.isOrthographic, nacre.stage.clip, nacre.colourBy, document.documentElement.dataset.theme];
        });
        assert.deepEqual(state, [17, 2, [1], true, true, { axis: 2, at: 0.5, flip: false }, "speed", "light"]);
        const after = await picture(other), differing = await difference(other, before, after);
        await other.screenshot({ path: `${shots}/linked.png` });
        assert.ok(differing < 50, `${differing} pixels differ`);
        // The measure sees another picture.
        await other.keyboard.press("ArrowRight");
        await until("the next frame", async () => (await frameOf(other)) === 18);
        assert.ok((await difference(other, before, await picture(other))) > 200, "every picture is the same");
        // Nonsense in an address is left alone.
        await other.evaluate(() => (location.hash = "#frame=1e9&camera=a,b&hide=x-3&select=-7&clip=q,1&show=tree,what&speed=fast"));
        await sleep(200);
        assert.deepEqual(other.wrongs, []);
        await other.context().close();
    }
    await server.stop();
}

async function colours_of_speed_have_a_legend(browser) {
    const server = await serve("toss.nacre");
    const page = await open(browser, server.url);
    assert.ok(await page.locator("#legend").isHidden());
    await page.locator("#open-overlays").click();
    await page.locator("#colour").selectOption("speed");
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#legend").isVisible());
    // The ball is thrown at 9.81 m/s and is never faster by much; the scale is that of the run, not of the frame.
    const most = Number((await text(page, "#legend-most")).replace(" m/s", ""));
    assert.ok(most > 9.3 && most < 10.5, `${most}`);
    const hue = () => page.evaluate(() => {
        const { bodies } = window.nacre, batch = bodies.batches[bodies.batchOf[1]], at = batch.stride * bodies.slotOf[1];
        return [...batch.colours.slice(at, at + 3)];
    });
    const fast = await hue();
    await goTo(page, 24);
    const slow = await hue();
    assert.ok(fast[0] > fast[2] && slow[2] > slow[0], `fast ${fast}, slow ${slow}`);
    assert.equal(Number((await text(page, "#legend-most")).replace(" m/s", "")), most);
    await page.screenshot({ path: `${shots}/legend.png` });
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

await runTests([
    the_camera_has_what_moves_in_sight_in_every_frame_and_not_the_floor,
    a_double_click_zooms_to_a_body,
    bodies_are_listed_found_hidden_and_isolated,
    standard_views_look_along_axes_and_parallels_stay_parallel,
    a_clip_plane_cuts_what_is_drawn_and_clicked,
    pictures_and_films_are_saved_and_play,
    the_camera_is_copied_as_a_scene_takes_it,
    a_link_restores_the_same_picture,
    colours_of_speed_have_a_legend,
]);
