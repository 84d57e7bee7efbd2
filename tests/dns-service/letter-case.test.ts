import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { prerequisite, update } from "../support/name-servers/update-client.ts";
import { transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";
import { powerdnsClient, type PowerdnsClient } from "./update-clients/powerdns-api/client.ts";
import { usePrimary } from "./primary.ts";
import { newZone } from "./updates/key-clients.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const primary = usePrimary(zw);
const name = "case.example";
let zone: Awaited<ReturnType<typeof newZone>>;
let face: PowerdnsClient;

const printer = String.raw`Office\032Printer._ipp._tcp`;
const file = String.raw`
@ 300 NS ns1.Example.net.
Web 300 CNAME Www.Example.net.
${printer} 300 SRV 0 0 631 Printer.Case.example.
Note 300 TXT "Mixed Case"
beta 300 A 192.0.2.2
Alpha 300 MX 10 Mail.Case.example.
`;

beforeAll(async () => {
  zone = await newZone(zw, name, { providerConfigId: primary.configId });
  face = await powerdnsClient(zw.admin);
  await replaced(file);
});

/** @returns the outcome of an import that replaces the zone */
async function replaced(zonefile: string) {
  const answer = await zw.admin.post(`/api/domains/${zone.id}/zonefile`, { zonefile, mode: "replace", force: true });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

async function listed(query = "") {
  const { body } = await zw.admin.get(`${zone.path}?limit=500${query}`);
  return body.records as { id: string; name: string; recordType: string; value: string }[];
}

async function find(type: string) {
  const found = (await listed()).find(({ recordType }) => recordType === type);
  if (!found) throw new Error(`There is no ${type}.`);
  return found;
}

const withoutSoa = (lines: readonly string[]) => lines.filter((line) => !line.includes(" SOA "));

const lines = [
  "@ 300 NS ns1.example.net",
  "Alpha 300 MX 10 Mail.Case.example",
  "beta 300 A 192.0.2.2",
  "Note 300 TXT Mixed Case",
  `${printer} 300 SRV 0 0 631 Printer.Case.example`,
  "Web 300 CNAME Www.Example.net",
];

describe("the case of names is kept as first written", () => {
  test("records are listed as they were imported, sorted without case", async () => {
    const shown = (await listed()).map((one) => `${one.name} ${one.recordType} ${one.value}`);
    expect(shown).toEqual(lines.map((line) => line.replace(" 300", "")));
    const values = (await listed("&sort=value")).map(({ value }) => value.toLowerCase());
    expect(values).toEqual(values.toSorted());
  });

  test("records are exported and transferred as they were imported", async () => {
    const { body: exported } = await zw.admin.get(`/api/domains/${zone.id}/zonefile`);
    for (const line of file.trim().split("\n").slice(1))
      expect(exported.replaceAll(/ +/g, " ")).toContain(line.replace(" 300 ", " 300 IN "));
    const transferred = await transfer(primary.port, name);
    expect(withoutSoa(transferred.lines).toSorted()).toEqual(
      lines.map((line) => (line.startsWith("@") ? line.replace("@", name) : line.replace(" ", `.${name} `))).toSorted(),
    );
  });

  test("names are found without case", async () => {
    for (const query of ["&name=WEB", "&value=WWW.example.NET", "&search=wEb", "&filter=www.EXAMPLE"])
      expect(await listed(query)).toMatchObject([{ name: "Web", value: "Www.Example.net" }]);
    const { body } = await zw.admin.get("/api/records?value=www.example.net");
    expect(body.records).toMatchObject([{ name: "Web", value: "Www.Example.net" }]);
  });

  test("an import in another case changes nothing", async () => {
    const before = await zone.revision();
    const text = file.replaceAll(/^\S+|\S+\.$/gm, (part) => part.toUpperCase());
    expect(await replaced(text)).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    expect(await zone.revision()).toBe(before);
    expect((await find("CNAME")).name).toBe("Web");
  });

  test("a record beside a CNAME and a second one of the same name are refused, however they are written", async () => {
    const beside = { recordType: "TXT", name: "wEB", value: "x" };
    expect(await zw.admin.post(zone.path, beside)).toMatchObject({ status: 409 });
    const again = { recordType: "MX", name: "ALPHA", value: "10 MAIL.case.example" };
    expect(await zw.admin.post(zone.path, again)).toMatchObject({ status: 409 });
  });

  test("an edit that changes only the case is stored, shown in the history, and transferred as a difference", async () => {
    const web = await find("CNAME");
    const since = Number((await transfer(primary.port, name)).lines[0]?.split(" ")[5]);
    const renamed = await zw.admin.put(`${zone.path}/${web.id}`, { name: "WEB", value: "www.Example.NET" });
    expect(renamed).toMatchObject({ status: 200, body: { name: "WEB", value: "www.Example.NET" } });
    const { body } = await zw.admin.get(`/api/domains/${zone.id}/history`);
    expect(body.entries[0].changes).toMatchObject([
      { before: { name: "Web", value: "Www.Example.net" }, after: { name: "WEB", value: "www.Example.NET" } },
    ]);
    const difference = await transfer(primary.port, name, { since });
    expect(withoutSoa(difference.lines)).toEqual([
      `Web.${name} 300 CNAME Www.Example.net`,
      `WEB.${name} 300 CNAME www.Example.NET`,
    ]);
    const back = await zw.admin.post(`/api/domains/${zone.id}/history/${body.entries[0].id}/revert`, {});
    expect(back).toMatchObject({ status: 200 });
    expect(await find("CNAME")).toMatchObject({ id: web.id, name: "Web", value: "Www.Example.net" });
  });

  test("the TTL of a record is changed without its names", async () => {
    const mail = await find("MX");
    const changed = await zw.admin.put(`${zone.path}/${mail.id}`, { ttl: 600, priority: 20 });
    expect(changed.body).toMatchObject({ name: "Alpha", value: "20 Mail.Case.example", ttl: 600 });
    await zw.admin.put(`${zone.path}/${mail.id}`, { ttl: 300, priority: 10 });
  });
});

describe("an SOA and name servers keep their capitals", () => {
  test("as a configuration for secondaries has them", async () => {
    const config = { nameServers: "Ns1.Example.net", contact: "Dns.Team@Example.net", allowTransfer: "127.0.0.1" };
    const added = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Capitals", config });
    const input = { name: "capitals.example", providerConfigId: added.body.id };
    const { body: domain } = await zw.admin.post("/api/domains", input);
    const { lines } = await transfer(primary.port, "capitals.example");
    expect(lines[1]).toContain(" NS Ns1.Example.net");
    const shown = await face.get("/zones/capitals.example.?rrset_name=capitals.example.&rrset_type=SOA");
    expect(shown.body.rrsets[0].records[0].content).toMatch(/^Ns1\.Example\.net\. Dns\\\.Team\.Example\.net\. /);
    const { body } = await zw.admin.get(`/api/domains/${domain.id}/records`);
    expect(body.records).toMatchObject([{ recordType: "NS", value: "Ns1.Example.net" }]);
  });

  test("as a zone file has them, after changes, too", async () => {
    const soa = String.raw`Ns1.Example.net. Dns\.Team.Example.net. `;
    await writeFile(
      join(zw.dataDir, "zones", "filed.example.zone"),
      `$TTL 300\n@ SOA ${soa} 1 2 3 4 5\n@ NS ns1.example.net.\n`,
    );
    const { body: domain } = await zw.admin.post("/api/domains", { name: "filed.example" });
    const path = `/api/domains/${domain.id}`;
    const added = await zw.admin.post(`${path}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
    expect(added.status).toBe(201);
    expect((await zw.admin.get(`${path}/zonefile`)).body).toContain(soa);
  });
});

describe("dynamic updates", () => {
  test("prerequisites and deletions compare without case, and additions are stored as written", async () => {
    const wanted = [prerequisite.nameInUse("bETA"), prerequisite.rrsetHas("BETA", "A", "192.0.2.2")];
    expect(await zone.client.update([update.add("New-Host", "CNAME", "Target.Example.net")], wanted)).toBe(0);
    expect(await zone.lines()).toContain("New-Host 300 CNAME Target.Example.net");
    const same = update.add("new-host", "CNAME", "target.example.net");
    expect(await zone.client.update([same])).toBe(0);
    expect(await zone.lines()).toContain("New-Host 300 CNAME Target.Example.net");
    const gone = update.deleteRecord("NEW-host", "CNAME", "TARGET.example.net");
    expect(await zone.client.update([gone, same])).toBe(0);
    expect(await zone.lines()).toContain("new-host 300 CNAME target.example.net");
    expect(await zone.client.update([gone])).toBe(0);
    expect((await zone.lines()).filter((line) => line.includes("host"))).toEqual([]);
  });
});

describe("PowerDNS's API", () => {
  test("an RRset is shown and found as written, and written as sent", async () => {
    expect(await face.replace(name, "Files", "CNAME", ["Store.Example.net."])).toMatchObject({ status: 204 });
    expect(await face.contents(name)).toContain(`Files.${name}. CNAME Store.Example.net.`);
    expect(await face.replace(name, "FILES", "CNAME", ["Store.Example.net."])).toMatchObject({ status: 204 });
    expect(await face.contents(name)).toContain(`FILES.${name}. CNAME Store.Example.net.`);
    expect(await face.patch(name, [{ name: `files.${name}.`, type: "CNAME", changetype: "DELETE" }])).toMatchObject({
      status: 204,
    });
    expect((await listed()).filter((one) => one.name.toLowerCase() === "files")).toEqual([]);
  });
});
