import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { patience } from "../../support/patience.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone } from "../../support/zones.ts";

const zw = useZonewright();

test("the name servers at a zone's apex follow at a mirror whose provider allows them, also when one is replaced", async () => {
  const body = { kind: "zonefile", name: "Mirror", config: { folder: "mirror" } };
  const config = await zw.admin.post("/api/provider-configs", body);
  const zone = await fileZone(zw);
  const { id: recordId } = await zone.add("NS", "@", "ns8.example.net");
  expect((await zone.post("/mirrors", { providerConfigId: config.body.id })).status).toBe(200);
  const file = join(zw.dataDir, "zones", "mirror", `${zone.name}.zone`);
  const nameServers = async () => {
    const text = await readFile(file, "utf8").catch(() => "");
    return [...text.matchAll(/\sNS\s+(ns[89]\.example\.net\.)$/gm)].map(([, server]) => server);
  };
  await vi.waitFor(async () => expect(await nameServers()).toEqual(["ns8.example.net."]), patience);
  expect((await zone.update(recordId, { value: "ns9.example.net" })).status).toBe(200);
  await vi.waitFor(async () => expect(await nameServers()).toEqual(["ns9.example.net."]), patience);
});
