import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkZone } from "../support/name-servers/checkzone.ts";
import { startRoute53 } from "../support/vendors/route53/server.ts";
import { startZonewright } from "../support/zonewright.ts";

test("a zone with aliases and routed RRsets is exported as a file that BIND loads", async () => {
  const server = await startRoute53();
  const zw = await startZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
  const folder = await mkdtemp(join(tmpdir(), "zonewright-export-"));
  onTestFinished(async () => {
    await Promise.all([server.stop(), zw.stop(), rm(folder, { recursive: true })]);
  });
  const { accessKeyId, secretAccessKey, url: endpoint } = server;
  const config = { accessKeyId, secretAccessKey, endpoint };
  const { body: made } = await zw.admin.post("/api/provider-configs", { kind: "route53", name: "R", config });
  const hosted = server.addZone("export.example");
  const target = { HostedZoneId: "Z2FDTNDATAQYW2", DNSName: "d1.cloudfront.net.", EvaluateTargetHealth: "false" };
  server.put(hosted, { name: "export.example", type: "A", settings: { AliasTarget: target } });
  server.put(hosted, {
    name: "w.export.example",
    type: "TXT",
    ttl: 60,
    values: [String.raw`"\303\274 ; ("`],
    settings: { SetIdentifier: "one", Weight: 1 },
  });
  server.put(hosted, { name: "www.export.example", type: "A", ttl: 60, values: ["192.0.2.1"] });
  const { body: domain } = await zw.admin.post("/api/domains", { name: "export.example", providerConfigId: made.id });

  const { body: zonefile } = await zw.admin.get(`/api/domains/${domain.id}/zonefile`);
  const file = join(folder, "export.zone");
  await writeFile(file, String(zonefile));
  const { records } = await checkZone("export.example", file);
  expect(zonefile).toContain("R53_ALIAS");
  expect(records.map(({ name, type }) => `${name} ${type}`).filter((line) => !line.endsWith(" NS"))).toEqual([
    "export.example. SOA",
    "www.export.example. A",
  ]);
});
