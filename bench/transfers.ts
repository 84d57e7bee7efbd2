import { startBind } from "../tests/support/name-servers/bind.ts";
import { binary } from "../tests/support/binaries.ts";
import { nsupdate } from "../tests/support/name-servers/nsupdate.ts";
import { mustRun } from "../tests/support/programs.ts";
import type { UpdateServer } from "../tests/support/name-servers/update-server.ts";
import { compared, interleaved, timed } from "./support/measure.ts";
import { underLimit, type Figure } from "./support/report.ts";
import { zoneFile, type Environment } from "./support/environment.ts";

const large = { name: "transferred.example", records: 100_000 };
const small = { name: "updated.example", records: 100 };
const changed = 1_000;
const linesPerUpdate = 200;

/**
 * Measures a large zone over AXFR from BIND on loopback, and single changes to a small one by dynamic update. The environment must be fresh, so that
 * its peak memory is that of the transfers.
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
  const dig = () => timed(() => transfer(bind));
  await dig();
  const imported = await bring(environment, config, large);
  const first = compared([[imported.milliseconds, await dig()]]);
  const sync = async (changes: number) => {
    const { body } = await environment.client.post(`/api/domains/${imported.domainId}/sync`);
    if (body.synced !== large.records || body.updated !== changes)
      throw new Error(`the sync failed: ${JSON.stringify(body)}`);
  };
  const unchanged = await interleaved(5, () => timed(() => sync(0)), dig);
  const pull = async (round: number) => {
    await changeMany(bind, round);
    return await timed(() => sync(changed));
  };
  const pulled = await interleaved(3, pull, dig, { warmUp: false });
  const peak = await environment.peakMegabytes();
  return [
    ["first import of 100,000 records over AXFR", first, { seconds: 4, times: 6 }] as const,
    ["sync of 100,000 records over AXFR, none changed", unchanged, { seconds: 1.5, times: 1.5 }] as const,
    ["sync of 100,000 records over AXFR, 1,000 changed", pulled, { seconds: 2, times: null }] as const,
  ]
    .flatMap(([what, { ours, baseline, ratio, spread }, most]): Figure[] => [
      underLimit(what, seconds(ours), { value: ours / 1000, most: most.seconds, unit: "s" }),
      {
        what,
        measured: seconds(ours),
        baseline: `${seconds(baseline)} by dig, which transfers and prints the zone`,
        ratio,
        spread,
        goal: most.times === null ? null : { most: most.times },
      },
    ])
    .concat(
      underLimit("peak memory during all of these", `${Math.round(peak)} MB`, { value: peak, most: 350, unit: "MB" }),
    );
}

/** Measures one change per REST call, in turn with one `nsupdate` run per change. */
async function measureChange(environment: Environment, bind: UpdateServer, config: string): Promise<Figure[]> {
  const { domainId } = await bring(environment, config, small);
  let host = 0;
  const create = () =>
    timed(async () => {
      const record = { recordType: "A", name: `ours${host++}`, value: "192.0.2.1", ttl: 300 };
      const { status, body } = await environment.client.post(`/api/domains/${domainId}/records`, record);
      if (status !== 201) throw new Error(`the change failed: ${JSON.stringify(body)}`);
    });
  const add = () => `update add theirs${host++}.${small.name}. 300 A 192.0.2.1`;
  for (let warm = 0; warm < 5; warm++) await create();
  const single = await interleaved(40, create, () => timed(() => nsupdate(bind, small.name, [add()])));
  const sends = 20;
  const burst = () => nsupdate(bind, small.name, Array.from({ length: sends }, () => [add(), "send"]).flat());
  const sent = await interleaved(10, create, async () => (await timed(burst)) / sends);
  const what = "one record by dynamic update to BIND";
  return [
    {
      what,
      measured: `${single.ours.toFixed(1)} ms`,
      baseline: `${single.baseline.toFixed(1)} ms for a run of nsupdate with one update, including its start`,
      ratio: single.ratio,
      spread: single.spread,
      goal: { most: 3 },
    },
    {
      what,
      measured: `${sent.ours.toFixed(1)} ms`,
      baseline: `${sent.baseline.toFixed(1)} ms for each of ${sends} sends in one run of nsupdate`,
      ratio: sent.ratio,
      spread: sent.spread,
      goal: { most: 4 },
    },
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

/** Transfers the zone as a secondary would, without parsing it. */
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

/** Changes the addresses of the same 1,000 hosts outside Zonewright. */
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
