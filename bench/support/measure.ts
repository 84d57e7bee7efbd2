import autocannon from "autocannon";

export function median(numbers: readonly number[]): number {
  return percentile(numbers, 0.5);
}

/** @param share 0.95 for p95 */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the milliseconds of each of `times` sequential runs. */
export async function timings(times: number, work: (run: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let run = 0; run < times; run++) taken.push(await timed(() => work(run)));
  return taken;
}

export interface Load {
  url: string;
  token?: string;
  seconds: number;
  method?: "GET" | "POST";
  /** Returns the path and body of each request. */
  next?: () => { path: string; body: string };
}

/** Returns the requests per second over ten connections. @throws Error if any request fails */
export async function requestsPerSecond({ url, token, seconds, method = "GET", next }: Load): Promise<number> {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(next ? { "content-type": "application/json" } : {}),
  };
  const requests = next
    ? [{ method, setupRequest: (request: object) => ({ ...request, method, headers, ...next() }) }]
    : undefined;
  const result = await autocannon({
    url,
    connections: 10,
    duration: seconds,
    method,
    headers,
    ...(requests ? { requests } : {}),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals and ${result.errors} errors`);
  return result.requests.average;
}

/** Two measurements taken alternately. */
export interface Comparison {
  /** Medians over the rounds. */
  ours: number;
  baseline: number;
  /** The median over the rounds of the ratio of ours to the baseline. */
  ratio: number;
  /** The smallest and the largest of these ratios; the middle half of them from 20 rounds on. */
  spread: readonly [number, number];
}

/**
 * Measures ours and the baseline alternately: A B A B …. Other load on the machine affects both, and the spread shows how much.
 *
 * @param warmUp runs both once uncounted, to measure a warm service.
 */
export async function interleaved(
  rounds: number,
  ours: (round: number) => Promise<number>,
  baseline: (round: number) => Promise<number>,
  { warmUp = true } = {},
): Promise<Comparison> {
  const pairs: [number, number][] = [];
  for (let round = warmUp ? -1 : 0; round < rounds; round++) {
    const pair: [number, number] = [await ours(round), await baseline(round)];
    if (round >= 0) pairs.push(pair);
  }
  return compared(pairs);
}

/** Compares pairs of measurements taken in turn. */
export function compared(pairs: readonly (readonly [ours: number, baseline: number])[]): Comparison {
  const ratios = pairs.map(([ours, baseline]) => ours / baseline);
  const outer = pairs.length < 20 ? 0 : 0.25;
  return {
    ours: median(pairs.map(([ours]) => ours)),
    baseline: median(pairs.map(([, baseline]) => baseline)),
    ratio: median(ratios),
    spread: [percentile(ratios, outer), percentile(ratios, 1 - outer)],
  };
}

/** Returns the milliseconds of one run. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
