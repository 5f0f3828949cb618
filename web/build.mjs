// Bundles the page into one HTML file with one inline script, and that into a C file: node build.mjs OUTPUT.c
//
// The page's content security policy names the script by its hash, so nothing else in the page is ever run: neither what
// a scene's title or a body's name might hold, nor anything from the network.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) throw new Error("usage: node build.mjs OUTPUT.c");

const bundle = await build({
    entryPoints: [join(here, "src/main.ts")],
    bundle: true,
    minify: true,
    format: "iife",
    target: ["chrome100", "firefox100", "safari15"],
    legalComments: "inline",
    write: false,
});
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");
const style = await readFile(join(here, "style.css"), "utf8");
const hash = createHash("sha256").update(script).digest("base64");
const policy =
    `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:; ` +
    `connect-src 'self'; base-uri 'none'; form-action 'none'`;
const html = (await readFile(join(here, "index.html"), "utf8"))
    .replace("{{policy}}", () => policy)
    .replace("{{style}}", () => style)
    .replace("{{script}}", () => script);

const bytes = Buffer.from(html, "utf8");
const lines = [];
for (let i = 0; i < bytes.length; i += 32) lines.push([...bytes.subarray(i, i + 32)].join(","));
await writeFile(
    output,
    `#include "view/view.h"\nconst unsigned char nc_view_page[] = {\n${lines.join(",\n")}};\n` +
        `const size_t nc_view_page_size = ${bytes.length};\n`,
);
