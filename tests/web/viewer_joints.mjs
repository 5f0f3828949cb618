// Joints in the page: node viewer_joints.mjs NACRE WEB SCREENSHOTS, in a folder with the runs that viewer.sh makes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { drawn, open, runTests, serve, shots, text, until } from "./browser.mjs";
import { goTo, near } from "./runs.mjs";

const truth = JSON.parse(readFileSync("joints.json", "utf8")); // rows of the table `joint`
const rowOf = (frame, name) => truth.find((row) => row.frame === frame && row.name === name);
const LAST = Math.max(...truth.map((row) => row.frame));

const arrived = (page) => until("joints", () => page.evaluate(() => window.nacre.joints.joints?.frame === window.nacre.frame.frame));
const counts = (page) => page.evaluate(() => window.nacre.joints.drawn);
// The line segments of a set, six numbers each.
const linesOf = (page, name) => page.evaluate((n) => {
    const lines = window.nacre.joints[n];
    return lines.object.visible ? Array.from({ length: lines.count }, (_, k) => [...lines.positions.slice(6 * k, 6 * k + 6)]) : [];
}, name);
const anchorOnScreen = (page, name) => page.evaluate((n) => {
    const { stage, joints } = window.nacre, joint = joints.joints.joints.find((one) => one.name === n);
    stage.camera.updateMatrixWorld();
    const at = stage.root.position.clone().set(...joint.anchorA).applyQuaternion(stage.root.quaternion).project(stage.camera);
    const box = stage.canvas.getBoundingClientRect();
    return { x: box.left + (0.5 + 0.5 * at.x) * box.width, y: box.top + (0.5 - 0.5 * at.y) * box.height };
}, name);

// The same, once the camera has come to rest.
async function settled(page, name) {
    let before = { x: NaN, y: NaN };
    return until("a camera at rest", async () => {
        await sleep(250);
        await drawn(page);
        const now = await anchorOnScreen(page, name), still = Math.hypot(now.x - before.x, now.y - before.y) < 0.1;
        before = now;
        return still ? now : null;
    });
}

async function joints_are_drawn_where_the_run_has_them_with_limits_and_breaks(browser) {
    const server = await serve("joints.nacre");
    const page = await open(browser, server.url);
    assert.deepEqual(await counts(page), { anchors: 0, axes: 0, arcs: 0, segments: 0, broken: 0 });
    await page.keyboard.press("x");
    await arrived(page);
    assert.deepEqual(await counts(page), { anchors: 4, axes: 2, arcs: 1, segments: 1, broken: 0 });
    // The arc stands still, as the world does that carries the hinge; the pointer turns on it by the joint's angle.
    const first = { arc: (await linesOf(page, "limits")).slice(0, -3), pointer: (await linesOf(page, "pointers"))[0] };
    await goTo(page, LAST);
    await arrived(page);
    assert.deepEqual(await counts(page), { anchors: 4, axes: 2, arcs: 1, segments: 1, broken: 1 });
    const arc = (await linesOf(page, "limits")).slice(0, -3), pointer = (await linesOf(page, "pointers"))[0];
    for (const [k, line] of arc.entries()) for (const [i, c] of line.entries()) assert.ok(Math.abs(c - first.arc[k][i]) < 1e-3, `line ${k} of the arc moved`);
    const angle = ([x0, y0, , x1, y1]) => Math.atan2(y1 - y0, x1 - x0);
    const turned = angle(pointer) - angle(first.pointer), wanted = rowOf(LAST, "top").turn_x;
    assert.ok(Math.abs(wanted) > 0.3 && Math.abs(Math.atan2(Math.sin(turned - wanted), Math.cos(turned - wanted))) < 1e-3, `turned ${turned}, not ${wanted}`);
    // The segment of the slider goes from limit to limit of its axis.
    const [from, to] = await page.evaluate(() => {
        const { limits } = window.nacre.joints, all = Array.from({ length: limits.count }, (_, k) => [...limits.positions.slice(6 * k, 6 * k + 6)]);
        return [all, all.find(([x0, y0, z0, x1, y1, z1]) => y0 === y1 && z0 === z1 && Math.abs(Math.abs(x1 - x0) - 1) < 1e-5)];
    });
    assert.ok(from.length > 5 && to, "no segment of 1 m along x");
    await page.keyboard.press("o");
    assert.equal(await text(page, "#overlay-note"), "4 joints, 1 broken.");
    await page.keyboard.press("o");
    await drawn(page);
    await page.screenshot({ path: `${shots}/joints.png` });
    await page.locator("#view").focus();
    await page.keyboard.press("x");
    assert.deepEqual(await counts(page), { anchors: 0, axes: 0, arcs: 0, segments: 0, broken: 0 });
    assert.deepEqual(await linesOf(page, "limits"), []);
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function a_click_on_an_anchor_selects_the_joint(browser) {
    const server = await serve("joints.nacre");
    const page = await open(browser, server.url, { hash: "#frame=12&show=joints" });
    await arrived(page);
    const at = await settled(page, "top");
    await page.mouse.click(at.x + 3, at.y - 3);
    await until("the panel of the hinge", async () => (await text(page, "#joint-name")) === "top");
    assert.equal(await text(page, "#joint-kind"), "hinge");
    assert.equal(await text(page, "#joint-bodies"), "rod on the world");
    const row = rowOf(12, "top"), [position, velocity] = (await text(page, "#joint-about-x")).split(", ");
    assert.ok(near(position.replace(" rad", ""), row.turn_x), `${position}, not ${row.turn_x}`);
    assert.ok(near(velocity.replace(" rad/s", ""), row.wx), `${velocity}, not ${row.wx}`);
    assert.ok(near((await text(page, "#joint-force")).replace(" N", ""), Math.hypot(row.fx, row.fy, row.fz)));
    assert.equal(await text(page, "#joint-limits"), "-1 to 1.2 rad");
    assert.ok(await page.locator("#body").isHidden());
    await page.screenshot({ path: `${shots}/joint_selected.png` });
    // The key goes on to the next one; a body takes the panel back.
    await page.locator("#view").focus();
    await page.keyboard.press("q");
    await until("the next joint", async () => (await text(page, "#joint-name")) === "rail");
    await page.keyboard.press("n");
    assert.ok(await page.locator("#joint").isHidden());
    assert.ok(await page.locator("#body").isVisible());
    await page.keyboard.press("q");
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#joint").isHidden());
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

async function an_exported_page_and_a_link_have_them_too(browser) {
    const page = await open(browser, `file://${process.cwd()}/joints.html`, { hash: `#frame=${LAST}&show=joints&joint=0` });
    await arrived(page);
    assert.equal((await counts(page)).anchors, 4);
    assert.equal((await counts(page)).broken, 1);
    assert.equal(await text(page, "#joint-name"), "top");
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
}

async function a_run_without_joints_says_so(browser) {
    const server = await serve("toss.nacre");
    const page = await open(browser, server.url);
    await page.keyboard.press("x");
    await arrived(page);
    await page.keyboard.press("o");
    assert.equal(await text(page, "#overlay-note"), "0 joints.");
    assert.deepEqual(page.wrongs, []);
    await page.context().close();
    await server.stop();
}

await runTests([
    joints_are_drawn_where_the_run_has_them_with_limits_and_breaks,
    a_click_on_an_anchor_selects_the_joint,
    an_exported_page_and_a_link_have_them_too,
    a_run_without_joints_says_so,
]);
