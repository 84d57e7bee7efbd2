import { binary } from "../../tests/support/binaries.ts";
import { serialOfLine, transfer } from "../../tests/support/name-servers/transfer-client.ts";
import type { ServerKey, UpdateServer } from "../../tests/support/name-servers/update-server.ts";
import { freePorts, mustRun } from "../../tests/support/programs.ts";
import type { Environment } from "../support/environment.ts";
import { compared, interleaved, timed } from "../support/measure.ts";
import type { Figure } from "../support/report.ts";

export const large = { name: "large.example", records: 100_000 };
export const medium = { name: "medium.example", records: 10_000 };
export const small = { name: "small.example", records: 1_000 };
const changes = 10;

/** Measures whole transfers of the large zone, from the first one right after its import. */
export async function measureTransfer(port: number, bind: UpdateServer): Promise<Figure[]> {
  const theirs = () => timed(() => axfr(bind.port, bind.key, large.name));
  await theirs();
  const ours = () => timed(() => axfr(port, bind.key, large.name));
  const first = compared([[await ours(), await theirs()]]);
  const all = await interleaved(15, ours, theirs);
  return [
    { what: "first AXFR of 100,000 records, right after their import", ...first },
    { what: "AXFR of 100,000 records", ...all },
  ].map(({ what, ours: measured, baseline, ratio, spread }): Figure => ({
    what,
    measured: seconds(measured),
    baseline: `${seconds(baseline)} by the same dig from BIND as the primary of the same zone, both signed with TSIG`,
    ratio,
    spread,
    goal: { most: 3 },
  }));
}

/** Compares the peak memory of two new instances, one of which transfers only the large zone, and the other only the medium one. */
export async function measureTransferMemory(environment: Environment, key: ServerKey): Promise<Figure[]> {
  const peakAfter = async (times: number, zone: string) => {
    const [port = 0] = await freePorts(1);
    const instance = await environment.startInstance({ DNS_LISTEN: `127.0.0.1:${port}`, JOBS: "off" });
    try {
      for (let run = 0; run < times; run++) await axfr(port, key, zone);
      return await instance.peakMegabytes();
    } finally {
      await instance.program.stop("SIGTERM");
    }
  };
  const single = await interleaved(
    3,
    () => peakAfter(1, large.name),
    () => peakAfter(1, medium.name),
    { warmUp: false },
  );
  const many = await interleaved(
    3,
    () => peakAfter(10, large.name),
    () => peakAfter(100, medium.name),
    { warmUp: false },
  );
  return [
    { times: "1 AXFR", of: "1 AXFR", ...single },
    { times: "10 AXFRs", of: "100 AXFRs, as many records in all,", ...many },
  ].map(({ times, of, ours, baseline, ratio, spread }): Figure => ({
    what: `peak memory of a new instance after ${times} of 100,000 records`,
    measured: `${Math.round(ours)} MB`,
    baseline: `${Math.round(baseline)} MB after ${of} of 10,000 records`,
    ratio,
    spread,
    goal: { most: 1.2 },
  }));
}

interface Zones {
  port: number;
  key: ServerKey;
  largeId: string;
  smallId: string;
}

/** Measures the transfer of what ten changes made different, in the large and in the small zone. */
export async function measureDifferences(
  { client }: Environment,
  { port, key, largeId, smallId }: Zones,
): Promise<Figure> {
  const signed = { ...key, secret: Buffer.from(key.secret, "base64") };
  const changed = async (zone: string, id: string) => {
    const { lines } = await transfer(port, zone, { key: signed });
    const since = serialOfLine(lines[0] ?? "");
    for (let change = 0; change < changes; change++) {
      const record = { recordType: "A", name: `new${change}`, value: "192.0.2.1" };
      const { status } = await client.post(`/api/domains/${id}/records`, record);
      if (status !== 201) throw new Error(`the change was answered ${status}`);
    }
    return () =>
      timed(async () => {
        const { lines: difference } = await transfer(port, zone, { key: signed, since });
        if (difference.length !== changes + 4) throw new Error(`the difference has ${difference.length} records`);
      });
  };
  const ofLarge = await changed(large.name, largeId);
  const ofSmall = await changed(small.name, smallId);
  const { ours, baseline, ratio, spread } = await interleaved(60, ofLarge, ofSmall);
  return {
    what: "IXFR of 10 changes in a zone of 100,000 records",
    measured: `${ours.toFixed(2)} ms`,
    baseline: `${baseline.toFixed(2)} ms for 10 changes in a zone of 1,000 records`,
    ratio,
    spread,
    goal: { most: 2 },
  };
}

async function axfr(port: number, { name, algorithm, secret }: ServerKey, zone: string): Promise<void> {
  const server = ["@127.0.0.1", "-p", String(port), "-y", `${algorithm}:${name}:${secret}`];
  const printed = await mustRun(binary("dig"), [...server, "+tcp", `${zone}.`, "AXFR"]);
  if (!printed.includes("XFR size")) throw new Error(`the transfer failed:\n${printed.slice(-500)}`);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
