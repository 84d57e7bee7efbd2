import { setTimeout as sleep } from "node:timers/promises";
import { startBindSecondary } from "../../tests/support/name-servers/secondary-bind.ts";
import { startKnotSecondary } from "../../tests/support/name-servers/secondary-knot.ts";
import { startNsdSecondary } from "../../tests/support/name-servers/secondary-nsd.ts";
import { startPowerdnsSecondary } from "../../tests/support/name-servers/secondary-powerdns.ts";
import type { Secondary } from "../../tests/support/name-servers/secondary.ts";
import { freePorts } from "../../tests/support/programs.ts";
import type { Environment } from "../support/environment.ts";
import { median, percentile } from "../support/measure.ts";
import { underLimit, type Figure } from "../support/report.ts";
import { UdpClient } from "./udp-client.ts";
import { addZone, configure } from "./zones.ts";

export const servedZone = "served.example";
const quick = { kinds: [startBindSecondary, startKnotSecondary], rounds: 200 };
/** PowerDNS looks for work once a second. */
const slow = { kinds: [startNsdSecondary, startPowerdnsSecondary], rounds: 20 };
/** Changes within 100 ms are coalesced into one NOTIFY. */
const pauseMilliseconds = 150;
const patienceMilliseconds = 10_000;

/** Measures how long after the answer to a change each secondary serves it. */
export async function measurePropagation(environment: Environment, primaryPort: number): Promise<Figure[]> {
  const kinds = [...quick.kinds, ...slow.kinds];
  const ports = await freePorts(kinds.length);
  const notify = ports.map((port) => `127.0.0.1:${port}`).join(",");
  const configId = await configure(environment, "Four secondaries", { notify, allowTransfer: "127.0.0.0/8" });
  const domainId = await addZone(environment, configId, servedZone, 100);
  const secondaries = await Promise.all(
    kinds.map((start, index) => start({ primaryPort, port: ports[index], key: null, zones: [servedZone] })),
  );
  const udp = await UdpClient.open();
  let host = 0;
  const change = async (measured: readonly Secondary[]) => {
    await sleep(pauseMilliseconds);
    const name = `served${host++}`;
    const record = { recordType: "A", name, value: "192.0.2.1" };
    const { status } = await environment.client.post(`/api/domains/${domainId}/records`, record);
    if (status !== 201) throw new Error(`the change was answered ${status}`);
    const start = performance.now();
    return await Promise.all(measured.map((secondary) => untilServed(udp, secondary, name, start)));
  };
  try {
    await change(secondaries);
    const bindAndKnot = await rounds(quick.rounds, () => change(secondaries.slice(0, quick.kinds.length)));
    const others = await rounds(slow.rounds, () => change(secondaries.slice(quick.kinds.length)));
    return [
      ...limits("BIND", column(bindAndKnot, 0)),
      ...limits("Knot", column(bindAndKnot, 1)),
      printed("NSD", column(others, 0)),
      printed("PowerDNS", column(others, 1)),
    ];
  } finally {
    udp.close();
    await Promise.all(secondaries.map((secondary) => secondary.remove()));
  }
}

/** @returns the milliseconds since `start` */
async function untilServed(
  udp: UdpClient,
  { port, name: kind }: Secondary,
  name: string,
  start: number,
): Promise<number> {
  for (;;) {
    if ((await udp.ask(port, `${name}.${servedZone}`, "A")).answers > 0) return performance.now() - start;
    if (performance.now() - start > patienceMilliseconds) throw new Error(`${kind} does not serve ${name}`);
    await sleep(2);
  }
}

async function rounds(times: number, round: () => Promise<number[]>): Promise<number[][]> {
  const taken: number[][] = [];
  for (let index = 0; index < times; index++) taken.push(await round());
  return taken;
}

function column(rows: readonly (readonly number[])[], index: number): number[] {
  return rows.map((row) => row[index] ?? Number.NaN);
}

function limits(kind: string, taken: readonly number[]): Figure[] {
  const [middle, most] = [median(taken), percentile(taken, 0.99)];
  const what = `change answered → served by ${kind}`;
  return [
    underLimit(`${what}, median of ${taken.length}`, `${middle.toFixed(0)} ms`, {
      value: middle,
      most: 150,
      unit: "ms",
    }),
    underLimit(`${what}, p99`, `${most.toFixed(0)} ms`, { value: most, most: 1_000, unit: "ms" }),
  ];
}

function printed(kind: string, taken: readonly number[]): Figure {
  return {
    what: `change answered → served by ${kind}, median of ${taken.length}`,
    measured: `${median(taken).toFixed(0)} ms, at most ${Math.max(...taken).toFixed(0)} ms`,
    baseline: "none",
    ratio: null,
    goal: null,
  };
}
