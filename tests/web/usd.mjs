// three.js reads our .usda in a browser: node usd.mjs WEB FILE.usda POSES.json, where POSES.json is what the run has:
// [{name, x, y, z, qw, qx, qy, qz, triangles}] of frame 0.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [web, file, truth] = process.argv.slice(2);
const require = createRequire(`${web}/package.json`);
const { chromium } = require("playwright-core");
const { build } = require("esbuild");
const bundle = await build({
    entryPoints: [join(dirname(fileURLToPath(import.meta.url)), "usd_page.js")],
    bundle: true, format: "iife", write: false, nodePaths: [`${web}/node_modules`], logLevel: "error",
});

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
    const page = await browser.newPage();
    const wrongs = [];
    page.on("pageerror", (error) => wrongs.push(String(error)));
    await page.setContent("<title>USD</title>");
    await page.addScriptTag({ content: bundle.outputFiles[0].text });
    const found = await page.evaluate((text) => window.readUsd(text), readFileSync(file, "utf8"));
    const wanted = JSON.parse(readFileSync(truth, "utf8"));
    for (const body of wanted) {
        const mesh = found.find((m) => m.name === body.name);
        assert.ok(mesh, `three.js finds no ${body.name}`);
        assert.equal(mesh.triangles, body.triangles);
        const { qw: w, qx: x, qy: y, qz: z } = body, s = 2 / (w * w + x * x + y * y + z * z);
        const matrix = [1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y), 0, s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x), 0,
            s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y), 0, body.x, body.y, body.z, 1];
        mesh.matrix.forEach((value, k) => assert.ok(Math.abs(value - matrix[k]) < 1e-6, `${body.name}: matrix ${mesh.matrix}, not ${matrix}`));
        assert.ok(mesh.x.every(Number.isFinite) && mesh.x.some((v) => v !== 0));
    }
    assert.deepEqual(wrongs, []);
    console.log(`three.js reads ${wanted.length} bodies`);
} finally {
    await browser.close();
}
