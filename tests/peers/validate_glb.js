// Prints what the Khronos glTF validator says of a .glb; exit code 1 when it finds an error or a warning.
const fs = require("fs");
const path = require("path");
const validator = require("gltf-validator");

const file = process.argv[2];
validator
  .validateBytes(new Uint8Array(fs.readFileSync(file)), { uri: path.basename(file) })
  .then((report) => {
    const { numErrors, numWarnings, messages } = report.issues;
    console.log(`${path.basename(file)}: ${numErrors} errors, ${numWarnings} warnings`);
    for (const m of messages.slice(0, 10)) console.log(`  ${m.code} at ${m.pointer}: ${m.message}`);
    process.exitCode = numErrors + numWarnings > 0 ? 1 : 0;
  })
  .catch((error) => {
    console.error(`the validator gave up: ${error}`);
    process.exitCode = 1;
  });
