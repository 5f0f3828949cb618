// Reads .usda files with TinyUSDZ and prints what it understood: node read_usd.mjs FILE...
// Exit code 1, with its words, when it does not understand one.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// It is built for browsers; all it wants of one is the name.
process.type = "renderer";
globalThis.window = globalThis;
const require = createRequire(import.meta.url);
const path = require.resolve("tinyusdz/tinyusdz.js");
const { default: start } = await import(path);
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
