import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { transfer } from "../../support/name-servers/transfer-client.ts";
import { prerequisite as pre, update } from "../../support/name-servers/update-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newZone } from "./key-clients.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });

test("an update of a zone file is in the file when it is answered", async () => {
  const { body } = await zw.admin.get("/api/provider-configs");
  const configs: { id: string; kind: string }[] = body.configs ?? body.providerConfigs;
  const providerConfigId = configs.find(({ kind }) => kind === "zonefile")?.id ?? "";
  const { client } = await newZone(zw, "file.example", { providerConfigId });
  const text = async () => await readFile(join(zw.dataDir, "zones", "file.example.zone"), "utf8");
  expect(await client.update([update.add("www", "A", "192.0.2.1")], [pre.nameUnused("www")])).toBe(0);
  expect(await text()).toMatch(/www\s+300\s+IN\s+A\s+192\.0\.2\.1/);
  expect(await client.update([update.deleteName("www")], [pre.nameInUse("www")])).toBe(0);
  expect(await text()).not.toContain("192.0.2.1");
});

test("an update of a zone of kind primary raises the serial that its secondaries transfer", async () => {
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1" };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Secondaries", config });
  const { client, key } = await newZone(zw, "primary.example", { providerConfigId: body.id });
  const before = await transfer(client.port, client.zone);
  expect(await client.update([update.add("www", "A", "192.0.2.1")])).toBe(0);
  const after = await transfer(client.port, client.zone);
  expect(after.lines).toContain("www.primary.example 300 A 192.0.2.1");
  const serial = ({ lines }: typeof before) => Number(lines[0]?.split(" ").at(-1));
  expect(serial(after)).toBe(serial(before) + 1);
  // The key's client sees the same zone, its serial included.
  expect((await transfer(client.port, client.zone, { key: key.tsig })).lines).toEqual(after.lines);
});
