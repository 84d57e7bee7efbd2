import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signRequest } from "../../../server/dns/wire/tsig.ts";
import { newKey } from "../../dns-service/updates/key-clients.ts";
import { prerequisite, update, UpdateClient } from "../../support/name-servers/update-client.ts";
import { freePorts } from "../../support/programs.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { startService, type ServiceProcess } from "../../support/service-process.ts";
import { createDatabase } from "../../support/servers/postgres.ts";

const zone = "twice.example";
let dataDir: string;
let instances: (ServiceProcess & { dnsPort: number })[] = [];
let admin: RestClient;
let id: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-twice-"));
  const server = process.env["TEST_DATABASE_URL"] ?? "";
  const env = { DATA_DIR: dataDir, DATABASE_URL: await createDatabase(server, "zonewright_twice") };
  const start = async () => {
    const [dnsPort = 0] = await freePorts(1);
    return { ...(await startService({ ...env, DNS_LISTEN: `127.0.0.1:${dnsPort}` })), dnsPort };
  };
  instances = [await start(), await start()];
  const [first] = instances;
  if (!first) throw new Error("There are two instances.");
  admin = await first.signIn();
  const { body } = await admin.post("/api/domains", { name: zone });
  id = body.id;
}, 120_000);
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.close()));
  await rm(dataDir, { recursive: true, force: true });
});

test("a message that reaches both instances at once runs once, and both give its answer", async () => {
  const { tsig: key } = await newKey(admin, id);
  const clients = instances.map(({ dnsPort }) => new UpdateClient(dnsPort, zone, key));
  const [client] = clients;
  if (!client) throw new Error("There are two clients.");
  for (let round = 0; round < 10; round++) {
    const message = client.message([update.add(`n${round}`, "A", "192.0.2.1")], [prerequisite.nameUnused(`n${round}`)]);
    const signed = signRequest(message, key, Math.floor(Date.now() / 1_000));
    const sent = [...clients, ...clients].map(async (one, index) => {
      const octets = await one.exchange(signed.message, index < 2 ? "udp" : "tcp");
      return one.verified(octets, signed.mac).rcode;
    });
    expect(await Promise.all(sent)).toEqual([0, 0, 0, 0]);
  }
  expect((await admin.get(`/api/domains/${id}`)).body.revision).toBe(10);
}, 60_000);
