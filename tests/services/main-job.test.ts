import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createClient, isZonewrightError } from "../../client-sdk/src/index.ts";
import { checkZone } from "../support/name-servers/checkzone.ts";
import { startNamed, type NameServer } from "../support/name-servers/named.ts";
import { asPresented, recordLines, type ListedRecord } from "../support/records/presentation.ts";
import type { RestClient } from "../support/rest-client.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { adminPassword } from "../support/zonewright.ts";

/** A listed record, with the fields that the steps below use. */
interface ShownRecord extends ListedRecord {
  id: string;
  version: number;
  priority: number | null;
}

const zone = "harbour.example";
const fixture = new URL(`fixtures/${zone}.zone`, import.meta.url).pathname;

let dataDir: string;
let file: string;
let service: ServiceProcess;
let named: NameServer;
let admin: RestClient;
let domain: string;
let imported: ShownRecord[];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-main-job-"));
  file = join(dataDir, "zones", `${zone}.zone`);
  await mkdir(join(dataDir, "zones"));
  await copyFile(fixture, file);
  service = await startService({ DATA_DIR: dataDir });
  admin = await service.signIn();
  named = await startNamed({ [zone]: file });
});

afterAll(async () => {
  await named.stop();
  await service.close();
  await rm(dataDir, { recursive: true, force: true });
});

afterEach(expectAgreement);

/** Expects the list, the file and the name server to agree. */
async function expectAgreement(): Promise<void> {
  const listed = linesOf(await records());
  const checked = await checkZone(zone, file);
  expect(recordLines(checked.records)).toEqual(listed);
  await named.reload(zone, checked.serial);
  expect(recordLines(await named.transfer(zone))).toEqual(listed);
}

test("a manually maintained zone is imported with all its records", async () => {
  const { body: configs } = await admin.get("/api/provider-configs");
  const path = `/api/provider-configs/${configs.configs[0].id}`;
  expect((await admin.get(`${path}/zones`)).body.zones).toEqual([{ name: zone, managed: false }]);
  const { status, body } = await admin.post(`${path}/import`, { zones: [zone] });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { results: [{ name: zone, success: true, records: 60 }] },
  });
  domain = body.results[0].domainId;
  imported = await records();
  expect(new Set(imported.map(({ recordType }) => recordType))).toEqual(
    new Set([
      "A",
      "AAAA",
      "CNAME",
      "NS",
      "MX",
      "TXT",
      "SRV",
      "CAA",
      "HTTPS",
      "TLSA",
      "SSHFP",
      "NAPTR",
      "PTR",
      "DS",
      "TYPE65280",
    ]),
  );
});

test("texts are listed by their content, not in zone-file notation", async () => {
  expect(importedText("quotes")).toBe(String.raw`say "hello"; then \ stop`);
  expect(importedText("umlaut")).toBe("Grüße aus dem Hafen");
  expect(importedText("empty")).toBe("");
  expect(importedText("comma")).toBe("a,bcd;e");
  expect(importedText("archive-notice")).toHaveLength(1200);
  expect(importedText("mail2026._domainkey")).toMatch(/^v=DKIM1; h=sha256; k=rsa; p=[A-Za-z0-9+/]{394}$/);
});

test("records of all eight types are created, and served as intended", async () => {
  const key = `v=DKIM1; p=${"Zq+/9".repeat(120)}`;
  await create({ recordType: "A", name: "new", value: "192.0.2.200", ttl: 120 });
  await create({ recordType: "AAAA", name: `new.${zone}.`, value: "2001:0DB8::00C8" });
  await create({ recordType: "CNAME", name: "*.preview", value: "New.Harbour.Example." });
  await create({ recordType: "NS", name: "lab", value: "ns.lab-dns.example" });
  await create({ recordType: "MX", name: "new", value: "mail.harbour.example", priority: 5 });
  await create({ recordType: "TXT", name: "new2026._domainkey", value: key });
  await create({ recordType: "TXT", name: "new", value: String.raw`"quoted"; back\slash, tab	and ünïcode 🚢` });
  await create({ recordType: "SRV", name: "_xmpp._tcp", value: "5 0 5222 new.harbour.example" });
  await create({ recordType: "CAA", name: "new", value: "0 issue ca.example; policy=ev" });
  await create({ recordType: "A", name: "bücher", value: "192.0.2.201" });
  const served = await servedNow(() => named.lookUp(`new2026._domainkey.${zone}`, "TXT"));
  const strings = key.match(/.{1,255}/g)?.map((text) => JSON.stringify(text));
  expect(served).toEqual([`new2026._domainkey.${zone}. 3600 TXT ${strings?.join(" ")}`]);
  expect(await servedNow(() => named.lookUp(`any.preview.${zone}`, "CNAME"))).toEqual([
    `any.preview.${zone}. 3600 CNAME new.${zone}.`,
  ]);
  expect(await servedNow(() => named.lookUp(`xn--bcher-kva.${zone}`, "A"))).toEqual([
    `xn--bcher-kva.${zone}. 3600 A 192.0.2.201`,
  ]);
});

test("a change preserves the RRset's one TTL, and one based on an old version is refused", async () => {
  const [first] = await records("A", "ingress");
  const { status, body } = await admin.put(
    path(`records/${first?.id}`),
    { value: "203.0.113.70", ttl: 60 },
    { "if-match": `"${first?.version}"` },
  );
  expect({ status, body }).toMatchObject({ status: 200, body: { value: "203.0.113.70", ttl: 60 } });
  expect((await records("A", "ingress")).map(({ ttl }) => ttl)).toEqual([60, 60]);
  const late = await admin.put(path(`records/${first?.id}`), { ttl: 90 }, { "if-match": `"${first?.version}"` });
  expect(late.status).toBe(412);
});

test("a record can be renamed, another given a new priority, and a third deleted", async () => {
  const [cafe] = await records("A", "xn--caf-dma");
  expect((await admin.put(path(`records/${cafe?.id}`), { name: "kaffee" })).status).toBe(200);
  const mx = (await records("MX", "")).find(({ name, priority }) => name === "@" && priority === 20);
  expect((await admin.put(path(`records/${mx?.id}`), { priority: 30 })).body.value).toBe("30 mail.backup-mail.example");
  const [printer] = await records("PTR", "printer");
  expect((await admin.delete(path(`records/${printer?.id}`))).body).toEqual({ success: true });
  expect(await servedNow(() => named.lookUp(`kaffee.${zone}`, "A"))).toEqual([`kaffee.${zone}. 5400 A 192.0.2.81`]);
});

test("addresses can be replaced by a CNAME, and a CNAME by an address, in one step", async () => {
  const addresses = [...(await records("A", "www")), ...(await records("AAAA", "www"))];
  const [shop] = await records("CNAME", "shop");
  const changes = [
    ...addresses.map(({ id }) => ({ action: "delete", recordId: id })),
    { action: "create", record: { recordType: "CNAME", name: "www", value: "cdn.hoster.example" } },
    { action: "update", recordId: shop?.id, record: { recordType: "A", value: "192.0.2.82" } },
  ];
  const plan = await admin.post(path("records/plan"), { changes });
  expect(plan.body).toMatchObject({ creates: [{ name: "www" }], updates: [{ id: shop?.id }], deletes: [{}, {}] });
  const applied = await admin.post(path("records/apply"), { changes, planHash: plan.body.planHash });
  expect(applied.status).toBe(200);
  expect(applied.body.results.map(({ success }: { success: boolean }) => success)).toEqual([true, true, true, true]);
  const again = await admin.post(path("records/apply"), { changes, planHash: plan.body.planHash });
  expect(again.status).toBe(409);
  expect(await servedNow(() => named.lookUp(`www.${zone}`, "A"))).toEqual([
    `www.${zone}. 3600 CNAME cdn.hoster.example.`,
  ]);
});

test("a bulk of a hundred records creates the good ones and reports each bad one", async () => {
  const good = Array.from({ length: 88 }, (_, index) => ({
    recordType: "A",
    name: `crane-${index}`,
    value: `203.0.113.${index + 100}`,
    ttl: 600,
  }));
  const bad = [
    { recordType: "A", name: "bad-1", value: "203.0.113.256", ttl: 600 },
    { recordType: "AAAA", name: "bad-2", value: "203.0.113.1", ttl: 600 },
    { recordType: "CNAME", name: "mail", value: "elsewhere.example", ttl: 600 },
    { recordType: "CNAME", name: "@", value: "elsewhere.example", ttl: 600 },
    { recordType: "MX", name: "bad-3", value: "70000 mail.harbour.example", ttl: 600 },
    { recordType: "TXT", name: "bad-4", value: "x".repeat(2049), ttl: 600 },
    { recordType: "SRV", name: "bad-5", value: "1 1 0 sip1.harbour.example", ttl: 600 },
    { recordType: "CAA", name: "bad-6", value: "256 issue ca.example", ttl: 600 },
    { recordType: "A", name: "a.*.bad-7", value: "192.0.2.1", ttl: 600 },
    { recordType: "A", name: "crane-0", value: "203.0.113.100", ttl: 600 },
    { recordType: "A", name: "bad-8" },
    "no record at all",
  ];
  const { status, body } = await admin.post(path("records/bulk"), { records: [...good, ...bad] });
  expect({ status, total: body.total, succeeded: body.succeeded }).toEqual({ status: 200, total: 100, succeeded: 88 });
  const results = body.results as { success: boolean; error: string | null }[];
  expect(results.slice(0, 88).every(({ success, error }) => success && error === null)).toBe(true);
  expect(results.slice(88).every(({ success, error }) => !success && (error ?? "").length > 10)).toBe(true);
});

test("a snapshot shows what has changed since, and a rollback restores it", async () => {
  const before = await snapshot();
  const [crane] = await records("A", "crane-7");
  await admin.put(path(`records/${crane?.id}`), { value: "203.0.113.7", ttl: 60 });
  await create({ recordType: "TXT", name: "crane-7", value: "out; of order" });
  const [mx] = await records("MX", "noreply");
  await admin.delete(path(`records/${mx?.id}`));
  const after = await snapshot();

  const diff = await admin.get(path(`snapshots/diff?from=${before.id}&to=${after.id}`));
  expect(diff.body).toMatchObject({
    added: [{ recordType: "TXT", name: "crane-7", value: "out; of order" }],
    removed: [{ recordType: "MX", name: "noreply", value: "0 ." }],
    modified: [{ changes: { value: ["203.0.113.107", "203.0.113.7"], ttl: [600, 60] } }],
  });

  const rollback = await admin.post(path(`snapshots/${before.id}/rollback`));
  expect(rollback.body).toMatchObject({ success: true, created: 1, updated: 1, deleted: 1, failed: [] });
  const since = await admin.get(path(`snapshots/diff?from=${before.id}&to=${rollback.body.snapshot.id}`));
  expect(since.body).toEqual({ added: [], removed: [], modified: [] });
  expect(await servedNow(() => named.lookUp(`noreply.${zone}`, "MX"))).toEqual([`noreply.${zone}. 5400 MX 0 .`]);
});

test("the exported file equals the zone, and importing it changes nothing", async () => {
  const { body: zonefile } = await admin.get(path("zonefile"));
  const exported = join(dataDir, "exported.zone");
  await writeFile(exported, zonefile);
  const listed = linesOf(await records());
  expect(recordLines((await checkZone(zone, exported)).records)).toEqual(listed);
  for (const mode of ["merge", "replace"]) {
    const { body } = await admin.post(path("zonefile"), { zonefile, mode });
    expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: listed.length });
  }
});

test("a file with a broken line changes nothing, and the answer names the line", async () => {
  const zonefile = "$TTL 1h\nfine IN A 192.0.2.99\nbroken IN A 192.0.2.999\n";
  const { status, body } = await admin.post(path("zonefile"), { zonefile });
  expect(status).toBe(400);
  expect(body.detail).toMatch(/^Line 3: /);
  expect(await records("A", "fine")).toEqual([]);
});

test("the client package edits, compares and rolls back as REST does", async () => {
  const client = createClient({ url: service.url });
  expect(await client.signIn({ username: "admin", password: adminPassword })).toMatchObject({ kind: "signedIn" });
  const before = await client.snapshots.create.mutate({ id: domain });
  const value = 'by the client; "quoted" and \\ all';
  const made = await client.records.create.mutate({ id: domain, recordType: "TXT", name: "sdk", value, ttl: 120 });
  expect(made).toMatchObject({ name: "sdk", value, version: 1, createdAt: expect.any(Date) });
  expect(await servedNow(() => named.lookUp(`sdk.${zone}`, "TXT"))).toEqual([
    `sdk.${zone}. 120 TXT ${JSON.stringify(value)}`,
  ]);

  const { records: servers } = await client.records.list.query({ id: domain, type: "SRV", search: "_sips" });
  const [server] = servers;
  const moved = { id: domain, recordId: server?.id ?? "", value: "0 0 5061 sip2.harbour.example" };
  const ifMatch = { context: { headers: { "if-match": `"${server?.version}"` } } };
  expect(await client.records.update.mutate(moved, ifMatch)).toMatchObject({ value: moved.value });
  const late = await client.records.update.mutate(moved, ifMatch).catch((error: unknown) => error);
  expect(isZonewrightError(late) && late.code).toBe("PRECONDITION_FAILED");

  const changes = [
    { action: "delete" as const, recordId: made.id },
    { action: "create" as const, record: { recordType: "CNAME" as const, name: "sdk", value: "www.harbour.example" } },
  ];
  const { planHash } = await client.records.plan.mutate({ id: domain, changes });
  const { results } = await client.records.applyPlan.mutate({ id: domain, changes, planHash });
  expect(results.map(({ success }) => success)).toEqual([true, true]);
  const bulk = await client.records.bulkCreate.mutate({
    id: domain,
    records: [
      { recordType: "AAAA", name: "sdk-6", value: "2001:db8::5d6" },
      { recordType: "AAAA", name: "sdk-4", value: "192.0.2.4" },
    ],
  });
  expect(bulk).toMatchObject({ succeeded: 1, results: [{ success: true }, { success: false }] });

  const after = await client.snapshots.create.mutate({ id: domain });
  const diff = await client.snapshots.diff.query({ id: domain, from: before.id, to: after.id });
  expect(diff.added.map(({ name }) => name).toSorted()).toEqual(["sdk", "sdk-6"]);
  expect(diff.modified).toMatchObject([{ changes: { value: [server?.value, moved.value] } }]);
  const rollback = await client.snapshots.rollback.mutate({ id: domain, snapshotId: before.id });
  expect(rollback).toMatchObject({ success: true, created: 0, updated: 1, deleted: 2 });

  const seen: ListedRecord[] = [];
  for await (const record of client.eachRecord({ id: domain })) seen.push(record);
  expect(linesOf(seen)).toEqual(linesOf(await records()));
  await client.signOut();
});

test("a replacing import of the original file restores the zone", async () => {
  const { status, body } = await admin.post(path("zonefile"), {
    zonefile: await readFile(fixture, "utf8"),
    mode: "replace",
    force: true,
  });
  expect({ status, body }).toMatchObject({ status: 200, body: { created: expect.any(Number) } });
  expect(linesOf(await records())).toEqual(linesOf(imported));
});

test("a sync finds an edit made by hand in the file", async () => {
  const text = await readFile(file, "utf8");
  const edited = text
    .replace(/^( *)(\d+)( *; serial)$/m, (_, blank, serial, rest) => `${blank}${Number(serial) + 1}${rest}`)
    .replace(/^(quotes .*)$/m, '$1\nby-hand 2h IN TXT ( "made; by"\n  " hand" ) ; at night')
    .replace(/^sip2 .*\n/m, "")
    .replace("192.0.2.53", "192.0.2.54");
  await writeFile(file, edited);
  const dryRun = await admin.post(path("sync"), { dryRun: true });
  expect(dryRun.body).toMatchObject({ synced: 60, created: 1, updated: 1, deleted: 1 });
  expect(await records("TXT", "by-hand")).toEqual([]);
  const { body } = await admin.post(path("sync"));
  expect(body).toMatchObject({ synced: 60, created: 1, updated: 1, deleted: 1, unchanged: 58, plan: null });
  expect((await records("TXT", "by-hand")).map(({ value, ttl }) => ({ value, ttl }))).toEqual([
    { value: "made; by hand", ttl: 7200 },
  ]);
  const { body: kept } = await admin.get(path("snapshots?trigger=on_change&limit=1&records=false"));
  expect(kept.snapshots[0].recordCount).toBe(60);
  expect((await admin.post(path("sync"))).body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 60 });
});

function importedText(name: string): string | undefined {
  return imported.find((record) => record.recordType === "TXT" && record.name === name)?.value;
}

function linesOf(records: readonly ListedRecord[]): string[] {
  return recordLines(asPresented(zone, records));
}

function path(rest: string): string {
  return `/api/domains/${domain}/${rest}`;
}

async function records(type = "", search = ""): Promise<ShownRecord[]> {
  const query = new URLSearchParams({ limit: "500", ...(type && { type }), ...(search && { search }) });
  const { status, body } = await admin.get(path(`records?${query}`));
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.records;
}

async function create(record: { recordType: string; name: string; value: string; ttl?: number; priority?: number }) {
  const { status, body } = await admin.post(path("records"), record);
  expect({ status, body }).toMatchObject({ status: 201, body: { recordType: record.recordType } });
}

async function snapshot(): Promise<{ id: string }> {
  const { status, body } = await admin.post(path("snapshots"));
  expect(status).toBe(201);
  return body;
}

/** Lets the name server read the file as it is now, then asks it. */
async function servedNow(ask: () => ReturnType<NameServer["lookUp"]>): Promise<string[]> {
  await named.reload(zone, (await checkZone(zone, file)).serial);
  return recordLines(await ask());
}
