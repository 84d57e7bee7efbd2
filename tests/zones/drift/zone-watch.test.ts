import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { watchFolder } from "../../../server/dns-providers/zonefile/folder.ts";
import { patience } from "../../support/patience.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Body } from "../../support/zones.ts";

// A zone's turn comes once an hour: what is found within seconds was found by watching.
const zw = useZonewright();

const notices = async (domainId: string) =>
  (await zw.admin.get("/api/notifications")).body.notifications.filter(
    ({ event, metadata }: Body) => event === "zone.drift" && metadata.domainId === domainId,
  );

describe("a zone file edited by another program", () => {
  test("a zone file edited elsewhere is found to differ within seconds, and reported once", async () => {
    const zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
    await zone.edit((text) => `${text}new 300 A 192.0.2.9\n`);
    await vi.waitUntil(async () => (await zone.detail()).driftedAt !== null, patience);
    expect((await zone.detail()).drift).toMatchObject({ created: 1, updated: 0, deleted: 0 });
    const content = "The provider has other records: 1 to create. Review the plan of a sync first.";
    expect(await notices(zone.id)).toMatchObject([{ content }]);
    await zone.edit((text) => `${text}newer 300 A 192.0.2.10\n`);
    await vi.waitUntil(async () => (await zone.detail()).drift?.created === 2, patience);
    expect(await notices(zone.id)).toHaveLength(1);
  });

  test("a zone file whose edit is reverted is found to agree within seconds", async () => {
    const zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
    let before = "";
    await zone.edit((text) => `${(before = text)}new 300 A 192.0.2.9\n`);
    await vi.waitUntil(async () => (await zone.detail()).driftedAt !== null, patience);
    await zone.edit(() => before);
    await vi.waitUntil(async () => (await zone.detail()).driftedAt === null, patience);
    expect(await zone.detail()).toMatchObject({ drift: null, revision: 1 });
  });

  test("a deleted zone file is found within seconds, and reported once", async () => {
    const zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
    await rm(zone.file);
    await vi.waitUntil(async () => (await zone.detail()).driftError !== null, patience);
    expect(await notices(zone.id)).toMatchObject([
      { title: `${zone.name} cannot be read at its provider`, metadata: { error: expect.any(String) } },
    ]);
  });

  test("edits to a zone file by Zonewright are not drift, unlike those of others", async () => {
    const zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
    const other = await fileZone(zw, "www 300 A 192.0.2.1\n");
    for (let index = 0; index < 5; index += 1) await zone.add("A", `h${index}`, "192.0.2.2");
    await other.edit((text) => `${text}new 300 A 192.0.2.9\n`);
    await vi.waitUntil(async () => (await other.detail()).driftedAt !== null, patience);
    expect((await zone.detail()).driftedAt).toBeNull();
  });
});

describe("a zone file of a configuration", () => {
  test("zone files of a new configuration are watched as soon as it is created", async () => {
    const config = { kind: "zonefile", name: "Just made", config: { folder: "just-made" } };
    const { body } = await zw.admin.post("/api/provider-configs", config);
    const name = "just-made.example";
    const made = await zw.admin.post("/api/domains", { name, providerConfigId: body.id });
    expect(made.body).toMatchObject({ name });
    const file = join(zw.dataDir, "zones", "just-made", `${name}.zone`);
    await writeFile(file, `${await readFile(file, "utf8")}new 300 A 192.0.2.9\n`);
    const driftedAt = async () => (await zw.admin.get(`/api/domains/${made.body.id}`)).body.driftedAt;
    // Other instances look for new configurations twice a minute.
    await vi.waitUntil(async () => (await driftedAt()) !== null, patience);
  });
});

describe("a watched folder", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "zonewright-watch-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each([
    ["by file system events", true],
    ["by polling if there are no events", false],
  ])("a watched folder reports files that are written, replaced and deleted, %s", async (_how, listen) => {
    const changed = new Set<string>();
    await writeFile(join(folder, "kept.zone"), "1");
    onTestFinished(watchFolder(folder, (file) => changed.add(file), { listen, everyMilliseconds: 50 }));
    // Files that exist at the start are not changes, so one is rewritten until the first poll has run.
    let round = 0;
    await vi.waitUntil(
      async () => {
        await writeFile(join(folder, "new.zone"), `${(round += 1)}`);
        return changed.has("new.zone");
      },
      { ...patience, interval: 700 },
    );
    expect(changed.has("kept.zone")).toBe(false);
    changed.clear();
    await writeFile(join(folder, "temporary"), "2");
    await rename(join(folder, "temporary"), join(folder, "kept.zone"));
    await rm(join(folder, "new.zone"));
    await vi.waitUntil(() => changed.has("kept.zone") && changed.has("new.zone"), patience);
    expect(changed).toContain("kept.zone");
  });
});
