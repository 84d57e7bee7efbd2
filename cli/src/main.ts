#!/usr/bin/env node
import manifest from "../package.json" with { type: "json" };

// The version needs nothing else to be loaded.
const [first] = process.argv.slice(2);
if (first === "--version" || first === "-V") process.stdout.write(`${manifest.version}\n`);
else void import("./program.ts").then(({ run }) => run(process.argv.slice(2), manifest.version));
