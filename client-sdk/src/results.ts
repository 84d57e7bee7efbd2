import type { RouterOutputs } from "./app-router.ts";

// The package contains the types of all results by their names in the API document (named-results.ts). This is what the repository uses.

/** The effect of the changes, and the hash to apply them. */
export type Plan = RouterOutputs["records"]["plan"];
