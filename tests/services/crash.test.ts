import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { checkZone } from "../support/name-servers/checkzone.ts";
import { patience } from "../support/patience.ts";
import { asPresented, recordLines, type ListedRecord } from "../support/records/presentation.ts";
import { RestClient } from "../support/rest-client.ts";
import { startService } from "../support/service-process.ts";
import { Writers } from "./ledger.ts";

interface ShownRecord extends ListedRecord {
  id: string;
}

const zone = "crash.example";
// Others follow in failure/: at named moments, and at random with servers behind; and in soak.test.ts, on PostgreSQL.
const kills = 4;

test("on the embedded database, acknowledged writes survive kill -9, and nothing else appears", async () => {
  expect(await killAgainAndAgain()).toBeGreaterThanOrEqual(kills);
}, 600_000);

/** @returns how many requests each client saw answered at the least. */
async function killAgainAndAgain(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-crash-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const start = () => startService({ DATA_DIR: dataDir });
  let service = await start();
  try {
    const { token, path } = await prepareZone(await service.signIn());
    const writers = new Writers();
    for (let round = 1; round <= kills; round++) {
      const kill = () => service.stop("SIGKILL");
      await writers.untilKilled(new RestClient(service.url, token), path, kill, 800);
      service = await start();
      const after = new RestClient(service.url, token);
      // The start settles what the crash left open. On a busy machine, that goes on after it.
      await vi.waitFor(() => expectNothingOpen(after, path), patience);
      await expectEditable(after, path);
      await expectNothingOpen(after, path);
      const listed = await expectListAsInFile(after, path, join(dataDir, "zones", `${zone}.zone`));
      expect(writers.reconcile(listed)).toEqual([]);
    }
    return writers.answered;
  } finally {
    await service.stop("SIGKILL");
  }
}

async function prepareZone(admin: RestClient): Promise<{ token: string | null; path: string }> {
  const { body } = await admin.post("/api/domains", { name: zone });
  const path = `/api/domains/${body.id}`;
  await admin.post(`${path}/records`, { recordType: "NS", name: "@", value: "ns.elsewhere.example" });
  return { token: admin.token, path };
}

async function expectNothingOpen(client: RestClient, path: string): Promise<void> {
  const { body: history } = await client.get(`${path}/history?limit=100`);
  expect(history.entries.filter(({ state }: { state: string }) => state === "pending")).toEqual([]);
}

async function expectEditable(client: RestClient, path: string): Promise<void> {
  const { status, body } = await client.post(`${path}/records`, { recordType: "A", name: "probe", value: "192.0.2.1" });
  expect({ status, body }).toMatchObject({ status: 201 });
  expect((await client.delete(`${path}/records/${body.id}`)).status).toBe(200);
}

async function expectListAsInFile(client: RestClient, path: string, file: string): Promise<ShownRecord[]> {
  const { body } = await client.get(`${path}/records?limit=500`);
  expect(body.records).toHaveLength(body.total);
  const { records } = await checkZone(zone, file);
  expect(recordLines(records)).toEqual(recordLines(asPresented(zone, body.records)));
  return body.records;
}
