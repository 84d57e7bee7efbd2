import { configureGlobal } from "fast-check";

/**
 * Of every property that names no seed of its own: the same in each run, so that the same code gives the same result. With
 * `FUZZ_SEED`, a run tries other examples; `npm run proof:properties` does so with many.
 */
configureGlobal({ seed: Number(process.env["FUZZ_SEED"] ?? 20_260_101) });
