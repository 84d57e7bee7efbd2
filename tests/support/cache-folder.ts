import { join } from "node:path";

/** Files that tests create once and reuse, even in later runs: they depend only on the installed packages. */
export const cacheFolder = join(import.meta.dirname, "../../node_modules/.cache/zonewright-tests");
