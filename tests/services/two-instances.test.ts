import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { checkZone } from "../support/name-servers/checkzone.ts";
import { createDatabase } from "../support/servers/postgres.ts";
import { asPresented, recordLines } from "../support/records/presentation.ts";
import { isBusyAnswer, untilDone } from "../support/patience.ts";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { registered, startGandi, type RegistrarAccount } from "../support/vendors/registrars/account.ts";
import { adminPassword } from "../support/zonewright.ts";

const zone = "shared.example";

let dataDir: string;
let gandi: RegistrarAccount;
let instances: ServiceProcess[] = [];

// Both at once on an empty database, as a deployment does.
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-two-"));
  const server = process.env["TEST_DATABASE_URL"] ?? "";
  const databaseUrl = await createDatabase(server, "zonewright_two");
  gandi = await startGandi();
  const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, EGRESS_ALLOW: "127.0.0.0/8" };
  instances = await Promise.all([startService(env), startService(env)]);
});

afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.close()));
  await gandi.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Expects that what ended at one instance is refused at the other once its cache is a second old. */
async function refusedSoon(call: () => Promise<Answer>): Promise<void> {
  await vi.waitFor(async () => expect((await call()).status).toBe(401), { timeout: 60_000, interval: 20 });
}

test("a session of one instance is valid at the other, and ends there too", async () => {
  const [one, other] = instances;
  if (!one || !other) throw new Error("There are two instances.");
  const here = await one.signIn();
  const there = new RestClient(other.url, here.token);
  expect((await there.get("/api/auth/me")).body).toMatchObject({ username: "admin" });
  expect((await here.post("/api/auth/logout")).status).toBe(200);
  expect((await here.get("/api/auth/me")).status).toBe(401);
  await refusedSoon(() => there.get("/api/auth/me"));
});

test("a personal token of one instance is valid at the other, and deleting it ends it there too", async () => {
  const [one, other] = instances;
  if (!one || !other) throw new Error("There are two instances.");
  const here = await one.signIn();
  const { body } = await here.post("/api/auth/me/tokens", { name: "Both", permissions: ["domains:read"] });
  const domains = ({ url }: ServiceProcess) => new RestClient(url, body.token).get("/api/v1/domains");
  expect((await domains(other)).status).toBe(200);
  expect((await here.delete(`/api/auth/me/tokens/${body.id}`)).status).toBe(200);
  expect((await domains(one)).status).toBe(401);
  await refusedSoon(() => domains(other));
});

test("fifty simultaneous refreshes at two instances leave one live chain", async () => {
  const [one] = instances;
  if (!one) throw new Error("There are two instances.");
  const credentials = { username: "admin", password: adminPassword };
  const refresh = (refreshToken: string, instance: number) =>
    new RestClient(instances[instance % 2]?.url ?? "").post("/api/auth/refresh", { refreshToken });
  const attempt = async () => {
    const { body: session } = await new RestClient(one.url).post("/api/auth/login", credentials);
    const begun = performance.now();
    const many = Array.from({ length: 50 }, (_, index) => refresh(session.refreshToken, index));
    return { body: session, answers: await Promise.all(many), milliseconds: performance.now() - begun };
  };
  // A token is answered again for ten seconds: a machine that was too busy for that says nothing.
  const { body, answers } = await untilDone(attempt, ({ milliseconds }) => milliseconds >= 10_000);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const successors = new Set(answers.map((answer) => answer.body.refreshToken as string));
  expect(successors.size).toBe(1);
  const [successor = ""] = successors;
  expect((await refresh(successor, 1)).status).toBe(200);
  // The token is older than the previous one, which ends the whole chain at both instances.
  expect((await refresh(body.refreshToken, 0)).status).toBe(401);
  expect((await refresh(successor, 1)).status).toBe(401);
});

test("one plan for a registration, carried out at two instances at once, is sent to the registrar once", async () => {
  const [one, other] = await Promise.all(instances.map((instance) => instance.signIn()));
  if (!one || !other) throw new Error("There are two instances.");
  const name = "registered.example";
  gandi.domains.set(name, registered());
  const { body: account } = await one.post("/api/registrar-configs", {
    kind: "gandi",
    name: "G",
    config: gandi.config,
  });
  const { body: domain } = await one.post("/api/domains", { name });
  await one.put(`/api/domains/${domain.id}`, { registrarConfigId: account.id });
  const put = (client: RestClient, body: object) => client.put(`/api/domains/${domain.id}/registration`, body);
  const { body: plan } = await put(one, { autoRenew: false, dryRun: true });
  const change = { autoRenew: false, planHash: plan.planHash };
  let second: Promise<Answer> | undefined;
  gandi.meanwhile(
    ({ method }) => method !== "GET",
    async () => {
      second = put(other, change);
      await Promise.race([second, sleep(1_000)]);
    },
  );
  const first = await put(one, change);
  expect([first.status, (await second)?.status]).toEqual([200, 409]);
  expect(gandi.changes()).toHaveLength(1);
});

test("two instances writing one zone simultaneously make every record once, in the lists and the file", async () => {
  const clients = await Promise.all(instances.map((instance) => instance.signIn()));
  const [one, other] = clients;
  if (!one || !other) throw new Error("There are two instances.");
  const { status, body } = await one.post("/api/domains", { name: zone });
  expect(status).toBe(201);
  const path = `/api/domains/${body.id}`;
  await other.post(`${path}/records`, { recordType: "NS", name: "@", value: "ns.elsewhere.example" });

  const answers = await Promise.all(
    clients.flatMap((client, instance) =>
      Array.from({ length: 15 }, (_, index) =>
        untilDone(
          () =>
            client.post(`${path}/records`, {
              recordType: "A",
              name: `host-${instance}-${index}`,
              value: `192.0.2.${instance * 100 + index}`,
            }),
          isBusyAnswer,
        ),
      ),
    ),
  );
  expect(answers.filter((answer) => answer.status !== 201).map((answer) => answer.body)).toEqual([]);

  const lists = await Promise.all(clients.map((client) => client.get(`${path}/records?limit=500`)));
  const lines = lists.map((list) => recordLines(asPresented(zone, list.body.records)));
  expect(lines[0]).toHaveLength(31);
  expect(lines[1]).toEqual(lines[0]);
  const { records } = await checkZone(zone, join(dataDir, "zones", `${zone}.zone`));
  expect(recordLines(records)).toEqual(lines[0]);
  const { body: domain } = await other.get(path);
  expect(domain).toMatchObject({ recordCount: 31, revision: 31 });
});
