import { underLimit, type Figure } from "./support/report.ts";
import { interleaved, median, timed, timings, type Comparison } from "./support/measure.ts";
import type { Environment } from "./support/environment.ts";

const small = { name: "hundred.example", records: 100 };
const medium = { name: "thousand.example", records: 1_000 };
const large = { name: "hundred-thousand.example", records: 100_000 };

/** Measures operations whose cost must not grow, or must grow little, with the zone. @returns the measurements and the large zone's domain */
export async function measureZoneSize(environment: Environment): Promise<{ figures: Figure[]; largeDomain: string }> {
  const peakBefore = await environment.peakMegabytes();
  const imported = await environment.importZone(large.name, large.records);
  const peak = await environment.peakMegabytes();
  const { domainId: smallDomain } = await environment.importZone(small.name, small.records);
  const { domainId: mediumDomain } = await environment.importZone(medium.name, medium.records);
  const { domainId } = imported;

  const snapshot = (id: string) => environment.client.post(`/api/domains/${id}/snapshots`);
  await timings(10, () => snapshot(smallDomain));
  const snapshots = await interleaved(
    40,
    () => timed(() => snapshot(domainId)),
    () => timed(() => snapshot(smallDomain)),
  );
  const ofLarge = await diffOfTen(environment, domainId);
  const ofMedium = await diffOfTen(environment, mediumDomain);
  const diffs = await interleaved(60, ofLarge, ofMedium);
  const sync = await timings(3, () => environment.client.post(`/api/domains/${domainId}/sync`));
  return {
    largeDomain: domainId,
    figures: [
      figure("snapshot of 100,000 records", snapshots, "for a snapshot of 100 records", 1.5),
      figure("diff of ten changes at 100,000 records", diffs, "for a diff of ten changes at 1,000 records", 3),
      underLimit("import of 100,000 records from a zone file", `${imported.seconds.toFixed(2)} s`, {
        value: imported.seconds,
        most: 6,
        unit: "s",
      }),
      underLimit("peak memory after that import", `${Math.round(peak)} MB (${Math.round(peakBefore)} MB before)`, {
        value: peak,
        most: 600,
        unit: "MB",
      }),
      underLimit("sync of 100,000 records without changes", `${(median(sync) / 1000).toFixed(2)} s`, {
        value: median(sync) / 1000,
        most: 2,
        unit: "s",
      }),
    ],
  };
}

function figure(what: string, { ours, baseline, ratio, spread }: Comparison, of: string, most: number): Figure {
  return {
    what,
    measured: `${ours.toFixed(2)} ms`,
    baseline: `${baseline.toFixed(2)} ms ${of}`,
    ratio,
    spread,
    goal: { most },
  };
}

/** Makes ten changes between two snapshots. @returns a call that times a diff of the two, in milliseconds */
async function diffOfTen(environment: Environment, domainId: string): Promise<() => Promise<number>> {
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
  if (body.added.length !== 10) throw new Error("the diff does not have ten records");
  return () => timed(() => environment.client.get(path));
}
