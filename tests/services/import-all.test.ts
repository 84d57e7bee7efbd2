import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startBind } from "../support/name-servers/bind.ts";
import { countMessages } from "../support/name-servers/message-counter.ts";
import type { Answer, RestClient } from "../support/rest-client.ts";
import { startService } from "../support/service-process.ts";
import { startFaultyProxy } from "./failure/faulty-proxy.ts";
import { dnsWire } from "./failure/wire-requests.ts";

type Body = Answer["body"];

async function ended(client: RestClient, path: string): Promise<Body> {
  return await vi.waitFor(
    async () => {
      const { body } = await client.get(path);
      expect(body.finishedAt).not.toBeNull();
      return body;
    },
    { timeout: 60_000, interval: 50 },
  );
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-import-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function listed(client: RestClient): Promise<string[]> {
  const { body } = await client.get("/api/domains?limit=100");
  return body.domains.map(({ name }: Body) => name);
}

test("all zones of a name server are imported, a few at a time", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `import${index}.example`);
  const bind = await startBind(names);
  onTestFinished(() => bind.stop());
  const between = await countMessages(bind.port);
  onTestFinished(() => between.stop());
  const service = await startService({ DATA_DIR: await newFolder() });
  onTestFinished(() => service.close());
  const client = await service.signIn();
  const config = { ...bind.config, port: between.port };
  const { body } = await client.post("/api/provider-configs", { kind: "rfc2136", name: "BIND", config });
  const path = `/api/provider-configs/${body.id}/import`;
  expect((await client.post(path, { all: true })).body.progress).toMatchObject({ total: 40, finishedAt: null });
  const progress = await ended(client, path);
  expect(progress.results.map(({ state, records }: Body) => `${state} ${records}`)).toEqual(names.map(() => "done 2"));
  expect(await listed(client)).toEqual(names.toSorted());
  expect(between.mostConnections()).toBeGreaterThan(1);
  // Four in parallel; the closing connection of each may overlap with the next.
  expect(between.mostConnections()).toBeLessThanOrEqual(8);
});

test("after kill -9 during an import, the progress names the imported zones, and a second import completes it", async () => {
  const dataDir = await newFolder();
  const names = Array.from({ length: 90 }, (_, index) => `killed${index}.example`);
  const bind = await startBind(names);
  onTestFinished(() => bind.stop());
  const proxy = await startFaultyProxy(bind.port, dnsWire);
  onTestFinished(() => proxy.stop());
  let service = await startService({ DATA_DIR: dataDir });
  let client = await service.signIn();
  const config = { ...bind.config, port: proxy.port, timeoutSeconds: 60 };
  const { body } = await client.post("/api/provider-configs", { kind: "rfc2136", name: "BIND", config });
  const path = `/api/provider-configs/${body.id}/import`;
  // One zone never comes, so that the import lasts until the kill.
  const held = proxy.next({ does: "hold answer", to: "transfer" });
  await client.post(path, { all: true });
  await vi.waitFor(async () => expect((await client.get(path)).body.done).toBeGreaterThan(5), {
    timeout: 60_000,
    interval: 1,
  });
  await service.stop("SIGKILL");
  (await held).cut();

  service = await startService({ DATA_DIR: dataDir });
  onTestFinished(() => service.close());
  client = await service.signIn();
  const broken = (await client.get(path)).body;
  expect(broken).toMatchObject({ finishedAt: expect.any(String), total: 90, done: 90 });
  const came = broken.results.flatMap(({ name, state }: Body) => (state === "done" ? [name] : []));
  expect(came.length).toBeLessThan(90);
  expect(await listed(client)).toEqual(came.toSorted());
  expect((await client.post(path, { all: true })).body.progress.total).toBe(90 - came.length);
  await ended(client, path);
  expect(await listed(client)).toEqual(names.toSorted());
});
