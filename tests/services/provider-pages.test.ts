import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { binary } from "../support/binaries.ts";
import { startBind } from "../support/name-servers/bind.ts";
import { page } from "../support/markdown.ts";
import { runPage } from "../support/pages/page-examples.ts";
import { startPowerdns } from "../support/name-servers/powerdns-api.ts";
import { run } from "../support/programs.ts";
import { freshKey } from "../support/name-servers/update-server.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

test("the documented examples for a name server with dynamic update work with BIND", async () => {
  const bind = await startBind(["example.net"]);
  onTestFinished(() => bind.stop());
  const inPlace = {
    '"ns1.example.net"': `"127.0.0.1","port":${bind.port}`,
    "zonewright.key": bind.key.name,
    "the secret": bind.key.secret,
  };
  expect(await runPage(zw, "docs/providers/rfc2136.md", inPlace)).toEqual([]);
  expect(await bind.lookUp("www.example.net", "A")).toHaveLength(1);
  const [domain] = (await zw.admin.get("/api/domains")).body.domains;
  await zw.admin.delete(`/api/domains/${domain.id}`);
});

test("the documented examples for PowerDNS work with a real server", async () => {
  const powerdns = await startPowerdns();
  onTestFinished(() => powerdns.stop());
  await powerdns.call("POST", "/zones", { name: "example.net.", kind: "Native", nameservers: ["ns1.example.net."] });
  const inPlace = { "http://127.0.0.1:8081": powerdns.url, "the api-key": powerdns.apiKey };
  expect(await runPage(zw, "docs/providers/powerdns.md", inPlace)).toEqual([]);
  expect(await powerdns.lookUp("www.example.net", "A")).toHaveLength(1);
});

test("the name servers accept the configurations shown on the provider pages", async () => {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-docs-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { blocks } = await page("docs/providers/rfc2136.md");
  const zonefile = await page("docs/providers/zonefile.md");
  const write = async (name: string, code = "") => {
    const path = join(folder, name);
    await writeFile(path, code.replace("…", freshKey().secret));
    return path;
  };
  const shown = (first: string) => blocks.find(({ code }) => code.startsWith(first))?.code.replace(/^#.*\n/, "");
  const bind = [await write("named.conf", shown("# BIND"))];
  const bindZone = [await write("zone.conf", zonefile.blocks[0]?.code)];
  const knot = ["-c", await write("knot.conf", shown("# Knot")), "conf-check"];
  expect(await run(binary("named-checkconf"), bind)).toMatchObject({ exitCode: 0 });
  expect(await run(binary("named-checkconf"), bindZone)).toMatchObject({ exitCode: 0 });
  expect(await run(binary("knotc"), knot)).toMatchObject({ exitCode: 0 });
});
