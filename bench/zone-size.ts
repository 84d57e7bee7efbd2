import type { Figure } from "./support/report.ts";
import { median, timings } from "./support/measure.ts";
import type { Environment } from "./support/environment.ts";

const small = { name: "hundred.example", records: 100 };
const medium = { name: "thousand.example", records: 1_000 };
const large = { name: "hundred-thousand.example", records: 100_000 };

/** What must not grow with the zone, and what may only grow so far. @returns the figures and the large zone's domain */
export async function measureZoneSize(environment: Environment): Promise<{ figures: Figure[]; largeDomain: string }> {
  const peakBefore = await environment.peakMegabytes();
  const imported = await environment.importZone(large.name, large.records);
  const peak = await environment.peakMegabytes();
  const { domainId: smallDomain } = await environment.importZone(small.name, small.records);
  const { domainId: mediumDomain } = await environment.importZone(medium.name, medium.records);
  const { domainId } = imported;

  const snapshot = (id: string) => environment.client.post(`/api/domains/${id}/snapshots`);
  await timings(10, () => snapshot(smallDomain));
  const ofSmall: number[] = [];
  const ofLarge: number[] = [];
  for (let round = 0; round < 40; round++) {
    ofSmall.push(...(await timings(1, () => environment.client.post(`/api/domains/${smallDomain}/snapshots`))));
    ofLarge.push(...(await timings(1, () => snapshot(domainId))));
  }
  const mediumDiff = await diffOfTen(environment, mediumDomain);
  const largeDiff = await diffOfTen(environment, domainId);
  const sync = await timings(3, () => environment.client.post(`/api/domains/${domainId}/sync`));
  return {
    largeDomain: domainId,
    figures: [
      compared("snapshot of 100,000 records", ofLarge, "100 records", ofSmall, 1.5),
      compared("diff of ten changes at 100,000", largeDiff, "1,000 records", mediumDiff, 3),
      {
        what: "import of 100,000 records from a zone file",
        measured: `${imported.seconds.toFixed(2)} s`,
        baseline: "6 s",
        ratio: imported.seconds / 6,
        goal: { most: 1 },
      },
      {
        what: "peak memory after that import",
        measured: `${Math.round(peak)} MB (${Math.round(peakBefore)} MB before)`,
        baseline: "600 MB",
        ratio: peak / 600,
        goal: { most: 1 },
      },
      {
        what: "sync of 100,000 records without changes",
        measured: `${(median(sync) / 1000).toFixed(2)} s`,
        baseline: "2 s",
        ratio: median(sync) / 2000,
        goal: { most: 1 },
      },
    ],
  };
}

function compared(
  what: string,
  taken: readonly number[],
  other: string,
  against: readonly number[],
  most: number,
): Figure {
  const [ours, theirs] = [median(taken), median(against)];
  return {
    what,
    measured: `${ours.toFixed(2)} ms`,
    baseline: `${theirs.toFixed(2)} ms at ${other}`,
    ratio: ours / theirs,
    goal: { most },
  };
}

/** Ten changes between two snapshots, then the time of comparing those. */
async function diffOfTen(environment: Environment, domainId: string): Promise<number[]> {
  const { body: from } = await environment.client.post(`/api/domains/${domainId}/snapshots`);
  const records = Array.from({ length: 10 }, (_, index) => ({
    recordType: "A",
    name: `new${index}`,
    value: "192.0.2.1",
  }));
  const bulk = await environment.client.post(`/api/domains/${domainId}/records/bulk`, { records });
  if (bulk.body.succeeded !== 10) throw new Error("the ten changes failed");
  const { body: to } = await environment.client.post(`/api/domains/${domainId}/snapshots`);
  const path = `/api/domains/${domainId}/snapshots/diff?from=${from.id}&to=${to.id}`;
  const { body } = await environment.client.get(path);
  if (body.added.length !== 10) throw new Error("the difference is not ten records");
  return await timings(60, () => environment.client.get(path));
}
