import { startBind } from "../tests/support/name-servers/bind.ts";
import { binary } from "../tests/support/binaries.ts";
import { nsupdate } from "../tests/support/name-servers/nsupdate.ts";
import { mustRun } from "../tests/support/programs.ts";
import type { UpdateServer } from "../tests/support/name-servers/update-server.ts";
import { median, timings } from "./support/measure.ts";
import type { Figure } from "./support/report.ts";
import { zoneFile, type Environment } from "./support/environment.ts";

const large = { name: "transferred.example", records: 100_000 };
const small = { name: "updated.example", records: 100 };
const changed = 1_000;
const linesPerUpdate = 200;

/**
 * A large zone over AXFR from a BIND on loopback, and single changes to a small one by dynamic update. The environment must be fresh, so that the
 * peak of its memory is that of the transfers.
 */
export async function measureTransfers(environment: Environment): Promise<Figure[]> {
  const records = new Map([large, small].map((zone) => [zone.name, zone.records]));
  const bind = await startBind([...records.keys()], { contentOf: (zone) => zoneFile(zone, records.get(zone) ?? 0) });
  try {
    const { body } = await environment.client.post("/api/provider-configs", {
      kind: "rfc2136",
      name: "BIND",
      config: bind.config,
    });
    return [...(await measureSync(environment, bind, body.id)), ...(await measureChange(environment, bind, body.id))];
  } finally {
    await bind.stop();
  }
}

async function measureSync(environment: Environment, bind: UpdateServer, config: string): Promise<Figure[]> {
  const transferred = median(await timings(5, () => transfer(bind)));
  const imported = await bring(environment, config, large);
  const sync = async (changes: number) => {
    const { body } = await environment.client.post(`/api/domains/${imported.domainId}/sync`);
    if (body.synced !== large.records || body.updated !== changes)
      throw new Error(`the sync went wrong: ${JSON.stringify(body)}`);
  };
  const unchanged = await timings(5, () => sync(0));
  const pulled: number[] = [];
  for (let round = 0; round < 3; round++) {
    await changeMany(bind, round);
    pulled.push(...(await timings(1, () => sync(changed))));
  }
  const peak = await environment.peakMegabytes();
  const against = (what: string, milliseconds: number, goalSeconds: number): Figure => ({
    what,
    measured: `${seconds(milliseconds)}, ${(milliseconds / transferred).toFixed(1)} × dig AXFR (${seconds(transferred)})`,
    baseline: `${goalSeconds} s`,
    ratio: milliseconds / 1000 / goalSeconds,
    goal: { most: 1 },
  });
  return [
    against("first import of 100,000 records over AXFR", imported.milliseconds, 4),
    against("sync of 100,000 records without changes", median(unchanged), 1.5),
    against("sync of 100,000 records of which 1,000 changed", median(pulled), 2),
    {
      what: "peak memory over all of these",
      measured: `${Math.round(peak)} MB`,
      baseline: "700 MB",
      ratio: peak / 700,
      goal: { most: 1 },
    },
  ];
}

/** One change a call, over REST, in turn with one `nsupdate` a change. */
async function measureChange(environment: Environment, bind: UpdateServer, config: string): Promise<Figure[]> {
  const { domainId } = await bring(environment, config, small);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < 45; round++) {
    ours.push(
      ...(await timings(1, async () => {
        const record = { recordType: "A", name: `ours${round}`, value: "192.0.2.1", ttl: 300 };
        const { status, body } = await environment.client.post(`/api/domains/${domainId}/records`, record);
        if (status !== 201) throw new Error(`the change failed: ${JSON.stringify(body)}`);
      })),
    );
    const line = `update add theirs${round}.${small.name}. 300 A 192.0.2.1`;
    theirs.push(...(await timings(1, () => nsupdate(bind, small.name, [line]))));
  }
  // The first few are those of a cold start, on both sides.
  const [mine, other] = [median(ours.slice(5)), median(theirs.slice(5))];
  const sends = Array.from({ length: 50 }, (_, index) => [
    `update add sent${index}.${small.name}. 300 A 192.0.2.1`,
    "send",
  ]);
  const [all = 0] = await timings(1, () => nsupdate(bind, small.name, sends.flat()));
  const send = all / sends.length;
  const figure = { what: "one record by dynamic update to BIND", measured: `${mine.toFixed(1)} ms` };
  return [
    { ...figure, baseline: `${other.toFixed(1)} ms of a run of nsupdate`, ratio: mine / other, goal: { most: 3 } },
    { ...figure, baseline: `${send.toFixed(1)} ms of each of 50 sends in one run`, ratio: mine / send, goal: null },
  ];
}

async function bring(environment: Environment, config: string, zone: { name: string; records: number }) {
  const start = performance.now();
  const { body } = await environment.client.post(`/api/provider-configs/${config}/import`, { zones: [zone.name] });
  const milliseconds = performance.now() - start;
  const [result] = body.results;
  if (result?.records !== zone.records) throw new Error(`the import of ${zone.name} failed: ${JSON.stringify(body)}`);
  return { domainId: result.domainId as string, milliseconds };
}

/** As much as a secondary would do, without reading what came. */
async function transfer({ port, key }: UpdateServer): Promise<void> {
  const signed = ["-y", `${key.algorithm}:${key.name}:${key.secret}`];
  const printed = await mustRun(binary("dig"), [
    "@127.0.0.1",
    "-p",
    String(port),
    "+tcp",
    ...signed,
    `${large.name}.`,
    "AXFR",
  ]);
  if (!printed.includes("XFR size")) throw new Error(`the transfer failed:\n${printed.slice(-500)}`);
}

/** Gives the same 1,000 hosts other addresses, by somebody else. */
async function changeMany(bind: UpdateServer, round: number): Promise<void> {
  const lines: string[] = [];
  for (let host = 0; host < changed; host++) {
    const name = `h${host * 97}.${large.name}.`;
    lines.push(`update delete ${name} A`, `update add ${name} 300 A 192.0.${round}.${host & 255}`);
    if (lines.length % linesPerUpdate === 0 && host < changed - 1) lines.push("send");
  }
  await nsupdate(bind, large.name, lines);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
