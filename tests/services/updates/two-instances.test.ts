import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signRequest } from "../../../server/dns/wire/tsig.ts";
import { newKey } from "../../dns-service/updates/key-clients.ts";
import { prerequisite, update, UpdateClient } from "../../support/name-servers/update-client.ts";
import { freePorts } from "../../support/programs.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { startService, type ServiceProcess } from "../../support/service-process.ts";
import { migratedDatabase } from "../../support/servers/postgres.ts";

let dataDir: string;
let instances: (ServiceProcess & { dnsPort: number })[] = [];
let admin: RestClient;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-twice-"));
  const env = { DATA_DIR: dataDir, DATABASE_URL: await migratedDatabase("zonewright_twice") };
  const start = async () => {
    const [dnsPort = 0] = await freePorts(1);
    return { ...(await startService({ ...env, DNS_LISTEN: `127.0.0.1:${dnsPort}` })), dnsPort };
  };
  instances = [await start(), await start()];
  const [first] = instances;
  if (!first) throw new Error("There are two instances.");
  admin = await first.signIn();
});
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.close()));
  await rm(dataDir, { recursive: true, force: true });
});

const places = [
  ["a zone with a back end", "twice.example", "zonefile"],
  ["a zone without one", "twice-manual.example", "manual"],
] as const;

describe.each(places)("a message that reaches both instances at once, for %s,", (_, zone, kind) => {
  let id: string;
  let clients: UpdateClient[];
  beforeAll(async () => {
    const made = kind === "manual" ? await admin.post("/api/provider-configs", { kind, name: "Manual" }) : null;
    const place = made ? { providerConfigId: made.body.id } : {};
    const { status, body } = await admin.post("/api/domains", { name: zone, ...place });
    if (status !== 201) throw new Error(`The domain was not created: ${JSON.stringify(body)}`);
    id = body.id;
    const { tsig: key } = await newKey(admin, id);
    clients = instances.map(({ dnsPort }) => new UpdateClient(dnsPort, zone, key));
  });

  const revision = async (): Promise<number> => (await admin.get(`/api/domains/${id}`)).body.revision;

  /** Sends one message to both instances, by UDP and TCP. @returns the RCODEs */
  async function sendToAll(...[updates, prerequisites]: Parameters<UpdateClient["message"]>): Promise<number[]> {
    const [client] = clients;
    if (!client) throw new Error("There are two clients.");
    const signed = signRequest(client.message(updates, prerequisites), client.key, Math.floor(Date.now() / 1_000));
    return await Promise.all(
      [...clients, ...clients].map(async (one, index) => {
        const octets = await one.exchange(signed.message, index < 2 ? "udp" : "tcp");
        return one.verified(octets, signed.mac).rcode;
      }),
    );
  }

  test("a message sent to both instances runs once, and both give its answer", async () => {
    const before = await revision();
    for (let round = 0; round < 10; round++) {
      const added = update.add(`n${round}`, "A", "192.0.2.1");
      expect(await sendToAll([added], [prerequisite.nameUnused(`n${round}`)])).toEqual([0, 0, 0, 0]);
    }
    expect(await revision()).toBe(before + 10);
  });

  test("both instances refuse a message whose prerequisite the zone does not meet", async () => {
    const before = await revision();
    for (let round = 0; round < 5; round++) {
      const added = update.add(`never${round}`, "A", "192.0.2.1");
      expect(await sendToAll([added], [prerequisite.nameInUse(`nobody${round}`)])).toEqual([3, 3, 3, 3]);
    }
    expect(await revision()).toBe(before);
  });

  test("both instances give one answer while another update decides whether the prerequisite is met", async () => {
    for (let round = 0; round < 10; round++) {
      const name = `raced${round}`;
      const [, other] = clients;
      const [answers] = await Promise.all([
        sendToAll([update.add(name, "A", "192.0.2.1")], [prerequisite.nameInUse(name)]),
        other?.update([update.add(name, "TXT", '"here"')]),
      ]);
      expect(new Set(answers).size).toBe(1);
    }
  });
});
