import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useCli } from "../support/cli.ts";
import { startCloudflare, type CloudflareServer } from "../support/vendors/cloudflare/server.ts";
import { startRoute53, type Route53Server } from "../support/vendors/route53/server.ts";
import { freshName } from "../support/zones.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
const cli = useCli(zw);

let cloudflare: CloudflareServer;
let route53: Route53Server;
let folder = "";
beforeAll(async () => {
  [cloudflare, route53] = await Promise.all([startCloudflare(), startRoute53()]);
  folder = await mkdtemp(join(tmpdir(), "zonewright-vendors-"));
});
afterAll(async () => {
  await Promise.all([cloudflare.stop(), route53.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/** Adds a zone that is at a vendor, with the records that it has there. */
async function adopt(name: string, kind: string, config: object): Promise<void> {
  const made = await zw.admin.post("/api/provider-configs", { kind, name: `${kind} of ${name}`, config });
  const { body } = await zw.admin.post("/api/domains", { name, providerConfigId: made.body.id });
  const synced = await zw.admin.post(`/api/domains/${body.id}/sync`, { force: true });
  if (synced.status !== 200) throw new Error(JSON.stringify(synced.body));
}

const formats = [
  ["zonefile", "zone"],
  ["octodns", "yaml"],
  ["csv", "csv"],
  ["tsv", "tsv"],
  ["terraform", "tf"],
] as const;

async function plansAfterExport(zone: string) {
  const plans: Record<string, unknown> = {};
  for (const [format, end] of formats) {
    const file = join(folder, `${zone}.${end}`);
    await cli.must(["export", zone, "--format", format, "--output", file]);
    const { exitCode, stdout, stderr } = await cli.run(["plan", file]);
    // Records that no file can have are named with why they stay.
    const others = stderr.split("\n").filter((line) => !/^$|^Warning: .*(?: stays unchanged: |: Kept: )/.test(line));
    plans[format] = { exitCode, stdout, others };
  }
  return plans;
}

const nothing = { exitCode: 0, stdout: "1 zone, no changes.\n", others: [] };
const nothingInAny = Object.fromEntries(formats.map(([format]) => [format, nothing]));

test("a zone at Cloudflare, exported in any format, has no changes: proxied, with automatic TTLs and an alias at its apex", async () => {
  const zone = freshName();
  cloudflare.addZone(zone);
  cloudflare.addRecords(zone, [
    { type: "CNAME", name: zone, content: "lb.example.net", ttl: 1, proxied: true },
    { type: "A", name: `www.${zone}`, content: "192.0.2.1", ttl: 1, proxied: true },
    { type: "A", name: `auto.${zone}`, content: "192.0.2.2", ttl: 1 },
    { type: "MX", name: `mail.${zone}`, content: "mx.example.net", priority: 10, ttl: 300 },
    { type: "TXT", name: `long.${zone}`, content: `"${"a".repeat(255)}" "b;c"`, ttl: 3600 },
  ]);
  const { token: apiToken, accountId, url: endpoint } = cloudflare;
  await adopt(zone, "cloudflare", { apiToken, accountId, endpoint });
  expect((await cli.must(["records", zone])).trim().split("\n")).toHaveLength(5);
  expect(await plansAfterExport(zone)).toEqual(nothingInAny);
});

test("a zone at Cloudflare, exported for Terraform, has `import` blocks with the ids of its records, or says how to import them", async () => {
  const zone = freshName();
  cloudflare.addZone(zone);
  cloudflare.addRecords(zone, [
    { type: "A", name: `www.${zone}`, content: "192.0.2.1", ttl: 1, proxied: true },
    { type: "A", name: `www.${zone}`, content: "192.0.2.2", ttl: 1, proxied: true },
    { type: "TXT", name: `long.${zone}`, content: `"${"a".repeat(255)}" "b;c"`, ttl: 3600 },
  ]);
  const { token: apiToken, accountId, url: endpoint } = cloudflare;
  await adopt(zone, "cloudflare", { apiToken, accountId, endpoint });
  const blocks = async () => {
    const text = await cli.must(["export", zone, "--format", "terraform"]);
    return [...text.matchAll(/\bimport \{\n {2}to = \S+\.(\w+)\n {2}id = "(.+)"\n\}/g)].map(([, to, id]) => [to, id]);
  };
  const idOf = (end: string) => cloudflare.records(zone).find(({ content }) => content.endsWith(end))?.id;
  expect(await blocks()).toEqual([
    ["long_txt", `\${var.zone_id}/${idOf('b;c"')}`],
    ["www_a", `\${var.zone_id}/${idOf("2.1")}`],
    ["www_a__2", `\${var.zone_id}/${idOf("2.2")}`],
  ]);
  cloudflare.removeZone(zone);
  expect(await blocks()).toEqual([]);
  expect(await cli.must(["export", zone, "--format", "terraform"])).toContain(
    "# To import it: terraform import cloudflare_dns_record.long_txt <zone id>/<record id>\n",
  );
});

test("a zone at Route 53, exported in any format, has no changes: with an alias at its apex and weighted records", async () => {
  const zone = freshName();
  const hosted = route53.addZone(zone);
  const target = { HostedZoneId: "Z2FDTNDATAQYW2", DNSName: "d1.cloudfront.net.", EvaluateTargetHealth: "false" };
  const put = (set: Parameters<Route53Server["put"]>[1]) => route53.put(hosted, set);
  put({ name: zone, type: "A", settings: { AliasTarget: target } });
  for (const [index, SetIdentifier] of ["blue", "green fields"].entries())
    put({
      name: `w.${zone}`,
      type: "A",
      ttl: 60,
      values: [`192.0.2.${index}`],
      settings: { SetIdentifier, Weight: 10 },
    });
  put({ name: `www.${zone}`, type: "A", ttl: 60, values: ["192.0.2.8", "192.0.2.9"] });
  put({ name: `\\052.${zone}`, type: "CNAME", ttl: 300, values: ["lb.example.net."] });
  put({ name: `text.${zone}`, type: "TXT", ttl: 300, values: [String.raw`"a \"b\" \\ ; \303\274" "c"`] });
  const { accessKeyId, secretAccessKey, url: endpoint } = route53;
  await adopt(zone, "route53", { accessKeyId, secretAccessKey, endpoint });
  expect(await cli.must(["records", zone])).toContain("R53_ALIAS");
  expect(await plansAfterExport(zone)).toEqual(nothingInAny);
});
