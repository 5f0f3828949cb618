// Reads .usda files with TinyUSDZ and prints what it understood: node read_usd.mjs FILE...
// Exit code 1, with its words, when it does not understand one.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// It is built for browsers; all it wants of one is the name.
process.type = "renderer";
globalThis.window = globalThis;
const require = createRequire(import.meta.url);
const path = require.resolve("tinyusdz/tinyusdz.js");
// An ES module whose package does not say so: Node 18, which Debian 12 has, believes the name alone.
const folder = mkdtempSync(join(tmpdir(), "tinyusdz-"));
copyFileSync(path, join(folder, "tinyusdz.mjs"));
const { default: start } = await import(pathToFileURL(join(folder, "tinyusdz.mjs")).href);
rmSync(folder, { recursive: true });
const tiny = await start({ wasmBinary: readFileSync(path.replace(/js$/, "wasm")) });

for (const file of process.argv.slice(2)) {
    const bytes = new Uint8Array(readFileSync(file));
    const stage = new tiny.TinyUSDZLoaderNative(), layer = new tiny.TinyUSDZLoaderNative();
    if (!stage.loadFromBinary(bytes, file) || !layer.loadAsLayerFromBinary(bytes, file)) {
        console.error(`${file}: ${stage.error() || layer.error() || "not understood"}`);
        process.exit(1);
    }
    process.stdout.write(layer.layerToString());
}
