import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A file of the built console, with its compressed forms. */
export interface ConsoleFile {
  type: string;
  identity: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
}

/** The built console: `index.html`, and the other files by their path, such as `/assets/index-abc.js`. */
export interface ConsoleBundle {
  index: ConsoleFile;
  files: ReadonlyMap<string, ConsoleFile>;
}

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/** The folder that the build writes to. */
const consoleFolder = join(import.meta.dirname, "../../web/dist");

let ours: ConsoleBundle | null = null;

/** This installation's console, read once it is built; null before that. */
export function ourBundle(): ConsoleBundle | null {
  ours ??= readBundle(consoleFolder);
  return ours;
}

/** Reads a built console into memory. Returns null if it was not built. */
function readBundle(folder: string): ConsoleBundle | null {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return null;
  }
  const present = new Set(names);
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    const type = types[name.slice(name.lastIndexOf(".") + 1)];
    if (type === undefined) continue;
    const form = (suffix: string) => (present.has(name + suffix) ? readFileSync(join(folder, name + suffix)) : null);
    const identity = readFileSync(join(folder, name));
    files.set(`/${name.replaceAll("\\", "/")}`, { type, identity, br: form(".br"), gzip: form(".gz") });
  }
  const index = files.get("/index.html");
  if (!index) return null;
  files.delete("/index.html");
  return { index, files };
}
