import { join } from "node:path";

/** What tests make once and use again, also the next time: it depends on nothing but the installed packages. */
export const cacheFolder = join(import.meta.dirname, "../../node_modules/.cache/zonewright-tests");
