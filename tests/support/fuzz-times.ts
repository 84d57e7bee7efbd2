/** How many times as often as usual a test tries mutations at random. `npm run proof:fuzz` sets it. */
export const fuzzTimes = Number(process.env["FUZZ_TIMES"] ?? 1);

/** A seed for each time: the first one always, so that a usual run repeats itself. */
export const fuzzSeeds = (first: number) => Array.from({ length: fuzzTimes }, (_, time) => first + 1_000 * time);

/** For titles: a number of tries, as often as they are made. */
export const tries = (usual: number) => (usual * fuzzTimes).toLocaleString("en-US");
