import autocannon from "autocannon";

export function median(numbers: readonly number[]): number {
  return percentile(numbers, 0.5);
}

/** @param share 0.95 for p95 */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Milliseconds that each of `times` runs takes, one after another. */
export async function timings(times: number, work: (run: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let run = 0; run < times; run++) {
    const start = performance.now();
    await work(run);
    taken.push(performance.now() - start);
  }
  return taken;
}

export interface Load {
  url: string;
  token?: string;
  seconds: number;
  method?: "GET" | "POST";
  /** Makes the path and body of each request. */
  next?: () => { path: string; body: string };
}

/** Requests per second that ten connections get. @throws Error when anything but success was answered. */
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

/** Medians of two loads taken in turn, so that what else the machine does falls on both. */
export async function inTurns(
  rounds: number,
  one: () => Promise<number>,
  other: () => Promise<number>,
): Promise<[number, number]> {
  // Both run once before they count: what is measured is a service at work, not its first seconds.
  await one();
  await other();
  const first: number[] = [];
  const second: number[] = [];
  for (let round = 0; round < rounds; round++) {
    first.push(await one());
    second.push(await other());
  }
  return [median(first), median(second)];
}
