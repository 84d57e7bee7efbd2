import { afterAll, beforeAll, expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { Clock, day } from "../support/clock.ts";
import { startBind, startNsd, type Authoritative } from "../support/name-servers/authoritative.ts";
import { freePorts } from "../support/programs.ts";
import type { RestClient } from "../support/rest-client.ts";
import { manualConfig } from "../support/zones.ts";
import { startZonewright, type Zonewright } from "../support/zonewright.ts";
import { addresses, faultyZones, healthyZones, masterFiles, type TestZone } from "./delegation-zones.ts";

const healthy = healthyZones(1_000);
const faulty = faultyZones();
const minutes = 60_000;

const clock = new Clock();
const servers: Authoritative[] = [];
let zw: Zonewright & { stop(): Promise<void> };

beforeAll(async () => {
  const files = await masterFiles([...healthy, ...faulty]);
  const [port = 0] = await freePorts(1);
  servers.push(
    await startNsd({ address: addresses.root, port, zones: files.root }),
    await startNsd({ address: addresses.top, port, zones: files.top }),
    await startBind({ address: addresses.bind, port, zones: files.bind, secondaries: files.unloaded }),
    await startNsd({ address: addresses.nsd, port, zones: files.nsd }),
  );
  zw = await startZonewright({
    env: { RESOLVER_ROOTS: `${addresses.root}:${port}`, EGRESS_ALLOW: "127.0.0.0/8", JOBS: "off" },
    now: clock.now,
  });
  const providerConfigId = await manualConfig(zw);
  const waiting = [...healthy, ...faulty];
  const work = async () => {
    for (let zone = waiting.pop(); zone; zone = waiting.pop()) await addDomain(zw.admin, zone, providerConfigId);
  };
  await Promise.all(Array.from({ length: 8 }, work));
}, 5 * minutes);
afterAll(async () => {
  await zw?.stop();
  await Promise.all(servers.map((server) => server.stop()));
});

/** Adds a domain with the records that its servers have. */
async function addDomain(client: RestClient, zone: TestZone, providerConfigId: string): Promise<void> {
  const { status, body } = await client.post("/api/domains", { name: `${zone.name}.lab`, providerConfigId });
  if (status !== 201) throw new Error(`${zone.name} was not added: ${JSON.stringify(body)}`);
  const lines = (zone.nsd ?? (zone.bind === "unloaded" ? null : zone.bind) ?? []).join("\n");
  const zonefile = `$ORIGIN ${zone.name}.lab.\n$TTL 300\n${lines}\n`;
  const imported = await client.post(`/api/domains/${body.id}/zonefile`, { zonefile, mode: "merge" });
  if (imported.status !== 200) throw new Error(`${zone.name} was not filled: ${JSON.stringify(imported.body)}`);
}

async function found(): Promise<Map<string, string[]>> {
  const rows = await queries(zw.services.database.fork())
    .selectFrom("domains")
    .innerJoin("delegation_findings", "delegation_findings.domain_id", "domains.id")
    .select(["domains.name as zone", "code", "delegation_findings.name", "record_type", "subject"])
    .execute();
  const byZone = Map.groupBy(rows, ({ zone }) => zone);
  return new Map(
    [...byZone].map(([zone, findings]) => [
      zone,
      findings
        .map(({ code, name, record_type, subject }) => [code, name, record_type, subject].filter(Boolean).join(" "))
        .toSorted(),
    ]),
  );
}

/** Completes a relative server or target, which is the last word after the name. */
function expected({ name, faults }: TestZone): string[] {
  return faults
    .map((fault) => {
      const [code = "", owner = "", ...rest] = fault.split(" ");
      const subject = rest.pop();
      if (subject === undefined) return fault;
      const isFull = subject.endsWith(".lab") || subject.endsWith(".");
      return [code, owner, ...rest, isFull ? subject.replace(/\.$/, "") : `${subject}.${name}.lab`].join(" ");
    })
    .toSorted();
}

test(
  "every planted fault is found, and none in a thousand healthy zones",
  async () => {
    expect(faulty.length).toBeGreaterThanOrEqual(30);
    // The first checks of so many domains are spread over a day.
    await zw.services.delegationCheck.work({}, new AbortController().signal);
    clock.advance(day);
    await zw.services.delegationCheck.work({}, new AbortController().signal);

    const all = await found();
    const wrong = [...faulty, ...healthy].filter(
      (zone) => JSON.stringify(all.get(`${zone.name}.lab`) ?? []) !== JSON.stringify(expected(zone)),
    );
    expect(
      wrong.map((zone) => ({ name: zone.name, found: all.get(`${zone.name}.lab`), expected: expected(zone) })),
    ).toEqual([]);

    const facts = await queries(zw.services.database.fork()).selectFrom("delegations").select("facts").execute();
    const seen = facts.map((row) => row.facts as { parentError: string | null; servers: { state: string }[] } | null);
    expect(seen.filter((one) => one !== null && one.parentError === null)).toHaveLength(healthy.length + faulty.length);
    expect(seen.flatMap((one) => one?.servers ?? []).filter(({ state }) => state === "not_checked")).toEqual([]);
  },
  10 * minutes,
);
