// What a picture costs without a graphics card: node fps.mjs NACRE WEB SCREENSHOTS RUN [PICTURES]
// While the run plays, while the camera turns, and of one that stands still. Processor time of the browser is counted,
// because other work on the machine does not change it. Nothing is judged: the numbers are for docs/viewer.md.
import { readdirSync, readFileSync } from "node:fs";
import { open, runTests, serve } from "./browser.mjs";

const [file, pictures = "8"] = process.argv.slice(5);
const TICKS = 100; // per second, of /proc

// [s] of all processes that this one has started, and of those that they have.
function processorTime() {
    const rows = new Map();
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
        try {
            const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
            rows.set(Number(pid), { parent: Number(fields[1]), time: (Number(fields[11]) + Number(fields[12])) / TICKS });
        } catch {
            // It has ended.
        }
    const isOurs = (pid) => pid > 1 && (pid === process.pid || (rows.has(pid) && isOurs(rows.get(pid).parent)));
    return [...rows].filter(([pid]) => pid !== process.pid && isOurs(pid)).reduce((sum, [, row]) => sum + row.time, 0);
}

async function what_a_picture_costs(browser) {
    const server = await serve(file);
    const page = await open(browser, server.url);
    // Draws until `count` pictures are complete.
    const draw = (how, count) => page.evaluate(([kind, wanted]) => new Promise((resolve) => {
        const { nacre } = window, { stage, player } = nacre, gl = stage.renderer.getContext(), pixel = new Uint8Array(4);
        player.speed = 10;
        if (kind === "playing") player.play();
        else player.pause();
        nacre.wantsFull = kind === "still";
        if (nacre.wantsFull) nacre.setDraft(false);
        let drawn = 0, before = stage.renderer.info.render.frame;
        const next = () => {
            if (stage.renderer.info.render.frame !== before) drawn++;
            before = stage.renderer.info.render.frame;
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits until it is drawn
            if (drawn >= wanted) {
                nacre.drewAt = performance.now() + 60000; // until the next call nothing stands still
                return resolve(stage.renderer.info.render.triangles);
            }
            if (kind === "turning") stage.camera.position.applyAxisAngle(stage.camera.up, 0.02);
            if (kind !== "playing") stage.touch();
            requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
    }), [how, count]);
    for (const how of ["still", "turning", "playing"]) {
        await draw(how, 3); // programs are compiled, and it is known what a picture costs
        const begin = processorTime(), clock = Date.now(), triangles = await draw(how, Number(pictures));
        const cost = (processorTime() - begin) / Number(pictures), rate = (1000 * Number(pictures)) / (Date.now() - clock);
        console.log(`   ${how}: ${cost.toFixed(2)} s of processor time per picture (${(1 / cost).toFixed(1)} per second on one core), ${triangles} triangles; ${rate.toFixed(1)} per second now`);
    }
    await page.context().close();
    await server.stop();
}

await runTests([what_a_picture_costs]);
