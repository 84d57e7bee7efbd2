import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { website } from "../bulk/templates/templates.ts";

const domains = Array.from({ length: 60 }, (_, index) => ({
  name: `follow${index}.example`,
  address: `45.0.0.${index + 1}`,
}));
const patience = { timeout: 120_000, interval: 200 };

let dataDir: string;
let service: ServiceProcess;
let token: string | null;
const client = () => new RestClient(service.url, token);

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-batch-follow-"));
  service = await start();
  ({ token } = await service.signIn());
});

afterAll(async () => {
  await service.stop("SIGKILL");
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<ServiceProcess> {
  return await startService({ DATA_DIR: dataDir }, ["batches.run", "reverse.follow"]);
}

async function made({ status, body }: Answer): Promise<Answer["body"]> {
  expect({ status, body: status < 300 || body }).toEqual({ status: expect.any(Number), body: true });
  return body;
}

/** The PTR records of the reverse zone as `owner target`. */
async function pointers(path: string): Promise<string[]> {
  const { body } = await client().get(`${path}/records?type=PTR&limit=100`);
  return body.records.map(({ name, value }: Answer["body"]) => `${name} ${value}`).toSorted();
}

const expected = (host: string) => domains.map(({ name }, index) => `${index + 1} ${host}.${name}`).toSorted();

const records = (host: string) => ({ records: [{ type: "A", host, pointsTo: "%address%", ttl: 600 }] });

test("`kill -9` in the middle of a job over many domains leaves no PTR record behind", async () => {
  const reverse = await made(await client().post("/api/domains", { name: "0.0.45.in-addr.arpa" }));
  const reversePath = `/api/domains/${reverse.id}`;
  const template = await made(await client().post("/api/templates", website("follow", records("www"))));
  const config = await made(await client().post("/api/provider-configs", { kind: "manual", name: "Paper" }));
  for (const { name, address } of domains) {
    const { id } = await made(await client().post("/api/domains", { name, providerConfigId: config.id }));
    await made(await client().put(`/api/domains/${id}`, { reverse: "follow" }));
    const path = `/api/domains/${id}/templates/${template.id}`;
    const choice = { variables: { address } };
    const { planHash } = await made(await client().post(`${path}/plan`, choice));
    await made(await client().post(`${path}/apply`, { ...choice, planHash, linked: true }));
  }
  expect(await pointers(reversePath)).toEqual(expected("www"));
  await made(await client().put(`/api/templates/${template.id}`, website("follow", records("web"))));
  const linked = `/api/templates/${template.id}/linked`;
  const { planHash } = await made(await client().post(`${linked}/plan`));
  const { jobId } = await made(await client().post(`${linked}/apply`, { planHash, force: true }));
  const job = async () => (await client().get(`/api/records/replace/${jobId}`)).body;
  for (const done of [7, 25]) {
    await vi.waitFor(async () => expect((await job()).progress.done).toBeGreaterThanOrEqual(done), {
      ...patience,
      interval: 1,
    });
    await service.stop("SIGKILL");
    service = await start();
  }
  const hasEnded = async () => {
    service.runJobs();
    expect((await job()).finishedAt).not.toBeNull();
  };
  await vi.waitFor(hasEnded, patience);
  expect((await job()).progress).toMatchObject({ done: domains.length, failed: 0 });
  const haveFollowed = async () => {
    service.runJobs();
    expect(await pointers(reversePath)).toEqual(expected("web"));
  };
  await vi.waitFor(haveFollowed, patience);
});
