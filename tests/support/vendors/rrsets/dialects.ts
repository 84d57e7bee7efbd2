import { desec } from "./desec.ts";
import type { RrsetDialect } from "./server.ts";

/** Every vendor whose API writes RRsets. */
export const rrsetDialects: readonly RrsetDialect[] = [desec];
