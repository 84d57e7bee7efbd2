import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../../../server/database/database.ts";
import { slicedWork } from "../../../../server/platform/slices.ts";
import { RestClient } from "../../../support/rest-client.ts";
import { useZonewright } from "../../../support/zonewright.ts";
import { addZone, bothViews, freshName, manualConfig, manualZone, type Body } from "../../../support/zones.ts";
import { powerdnsClient, PowerdnsClient, powerdnsKey } from "./client.ts";

const zw = useZonewright({ env: { PDNS_LISTEN: "127.0.0.1:0" } });
let key: string;
let client: PowerdnsClient;

beforeAll(async () => {
  key = await powerdnsKey(zw.admin);
  client = new PowerdnsClient(zw.url, key);
});

const at = (base: string) => new PowerdnsClient(zw.url, key, base);

/** An entry of the audit trail. */
const entry = (before: object, after: object) => ({ before, after, byToken: true });

const ownMetadata = (...metadata: string[]) => ({ type: "Metadata", kind: "X-NOTE", metadata });

/** The kinds of what a search finds. */
const searched = async (by: PowerdnsClient, q: string, more = "") =>
  (await by.get(`/search-data?q=${encodeURIComponent(q)}${more}`)).body.map(
    (one: { object_type: string; type?: string }) => `${one.object_type} ${one.type ?? ""}`,
  );

/** The names of the zones that a client lists. */
const named = async (by: PowerdnsClient, query = ""): Promise<string[]> =>
  (await by.get(`/zones${query}`)).body.map(({ name }: { name: string }) => name.slice(0, -1));

describe("the server", () => {
  test("versions and servers are listed, with paths below whatever base the client has", async () => {
    expect((await at("/pdns").get("/api")).body).toEqual([{ version: 1, url: "/api/v1" }]);
    const { body } = await at("/pdns/api/v1").get("/servers");
    expect(body).toEqual([
      expect.objectContaining({ id: "localhost", daemon_type: "authoritative", version: "4.7.0" }),
    ]);
    expect((await at("/pdns").get("/api/v1")).body).toEqual([
      { api_features: [], server_url: "/api/v1/servers{/server}" },
    ]);
    expect((await client.get("")).body).toEqual(body[0]);
    expect((await client.get("/")).body).toEqual(body[0]);
  });

  test("the listener of its own answers at the paths of PowerDNS, and nothing else", async () => {
    const zone = await manualZone(zw);
    const own = new PowerdnsClient(zw.powerdnsUrl ?? "", key, "");
    expect((await own.get("/api")).body).toEqual([{ version: 1, url: "/api/v1" }]);
    expect((await own.get(`/api/v1/servers/localhost/zones/${zone.name}.`)).body.name).toBe(`${zone.name}.`);
    for (const path of ["/pdns/api", "/api/domains", "/trpc/domains.list", "/metrics", "/"])
      expect([path, (await own.get(path)).status]).toEqual([path, 404]);
    expect((await new RestClient(zw.powerdnsUrl ?? "").get("/metrics")).body).toEqual({
      error: "Send a personal token in the header X-API-Key.",
    });
  });

  test("calls are counted in the metrics under their name", async () => {
    await client.get("/zones");
    expect((await zw.nobody.get("/metrics")).body).toMatch(/procedure="pdns\.listZones"/);
  });
});

/** As if the process ended when it wrote the records of a new zone: nothing more is written, and nothing is taken back. */
async function endingBeforeRecords(call: () => Promise<unknown>): Promise<void> {
  const em = queries(zw.services.database.fork());
  await sql`create function ended() returns trigger language plpgsql as 'begin raise exception ''ended''; end'`.execute(
    em,
  );
  await sql`create trigger ended before insert on change_sets for each row when (new.kind = 'edit') execute function ended()`.execute(
    em,
  );
  await sql`create trigger ended before delete on domains for each row execute function ended()`.execute(em);
  try {
    await call();
  } finally {
    await sql`drop trigger ended on change_sets`.execute(em);
    await sql`drop trigger ended on domains`.execute(em);
    await sql`drop function ended()`.execute(em);
  }
}

describe("zones", () => {
  test("a zone is created with name servers and records, shown, exported and deleted", async () => {
    const name = freshName();
    const { status, body } = await client.send("POST", "/zones", {
      name: `${name}.`,
      kind: "Native",
      masters: [],
      soa_edit_api: "INCEPTION-INCREMENT",
      nameservers: ["ns1.example.net.", "NS2.example.net."],
      rrsets: [
        { name: `${name}.`, type: "SOA", ttl: 60, records: [{ content: "a. b. 1 2 3 4 5" }] },
        { name: `www.${name}.`, type: "A", ttl: 60, records: [{ content: "192.0.2.1", disabled: false }] },
      ],
    });
    expect([status, body.id, body.rrsets.length]).toEqual([201, `${name}.`, 3]);
    expect(await client.contents(name)).toEqual([
      `www.${name}. A 192.0.2.1`,
      `${name}. NS NS2.example.net.`,
      `${name}. NS ns1.example.net.`,
    ]);
    const text = (await client.get(`/zones/${name}./export`, { accept: "text/plain" })).body;
    expect(text).toContain(`www.${name}.\t60\tIN\tA\t192.0.2.1\n`);
    expect((await client.get(`/zones/${name}./export`, { accept: "application/json" })).body).toEqual({ zone: text });
    expect((await client.send("DELETE", `/zones/${name}.`)).status).toBe(204);
    expect((await client.get(`/zones/${name}.`)).status).toBe(404);
  });

  test("a name that is taken gets 409, and a zone whose records are refused is not created", async () => {
    const zone = await manualZone(zw);
    expect((await client.send("POST", "/zones", { name: `${zone.name}.`, kind: "Native" })).status).toBe(409);
    const name = freshName();
    const record = (type: string, content: string) => ({ name: `a.${name}.`, type, ttl: 60, records: [{ content }] });
    const rrsets = [record("CNAME", "b.example."), record("A", "192.0.2.1")];
    const { status, body } = await client.send("POST", "/zones", { name: `${name}.`, kind: "Native", rrsets });
    expect([status, body.error]).toEqual([422, expect.stringContaining(`RRset a.${name}. IN CNAME: `)]);
    expect((await client.get(`/zones/${name}.`)).status).toBe(404);
  });

  test("a zone file that was never a domain here is not replaced: its records stay until somebody imports them", async () => {
    const name = freshName();
    const file = join(zw.dataDir, "zones", `${name}.zone`);
    const text = `$ORIGIN ${name}.\n@ 300 IN NS ns1.example.net.\nwww 300 IN A 192.0.2.1\n`;
    await writeFile(file, text);
    const wish = { name: `${name}.`, kind: "Native", nameservers: ["ns2.example.net."] };
    const { status, body } = await client.send("POST", "/zones", wish);
    expect([status, body.error]).toEqual([409, expect.stringContaining("Create the domain in Zonewright")]);
    expect(await readFile(file, "utf8")).toBe(text);
    expect((await zw.admin.post("/api/domains", { name })).status).toBe(201);
    expect(await client.contents(name)).toEqual([`www.${name}. A 192.0.2.1`, `${name}. NS ns1.example.net.`]);
  });

  test("a zone file that somebody wrote is not replaced, although a domain of its name was deleted elsewhere, or here before it was edited", async () => {
    const name = freshName();
    const manual = await zw.admin.post("/api/provider-configs", { kind: "manual", name: `Elsewhere than ${name}` });
    const { body } = await zw.admin.post("/api/domains", { name, providerConfigId: manual.body.id });
    expect((await zw.admin.delete(`/api/domains/${body.id}`)).status).toBe(200);
    const file = join(zw.dataDir, "zones", `${name}.zone`);
    const text = `$ORIGIN ${name}.\n@ 300 IN NS ns1.example.net.\nwww 300 IN A 192.0.2.1\n`;
    await writeFile(file, text);
    const wish = { name: `${name}.`, kind: "Native", nameservers: ["ns2.example.net."] };
    const refused = { status: 409, body: { error: expect.stringContaining("Create the domain in Zonewright") } };
    expect(await client.send("POST", "/zones", wish)).toMatchObject(refused);
    expect(await readFile(file, "utf8")).toBe(text);
    expect((await zw.admin.post("/api/domains", { name })).status).toBe(201);
    expect((await client.send("DELETE", `/zones/${name}.`)).status).toBe(204);
    const edited = (await readFile(file, "utf8")).replace("192.0.2.1", "192.0.2.2");
    await writeFile(file, edited);
    expect(await client.send("POST", "/zones", wish)).toMatchObject(refused);
    expect(await readFile(file, "utf8")).toBe(edited);
    // As it was when its domain was deleted.
    await writeFile(file, edited.replace("192.0.2.2", "192.0.2.1"));
    expect((await client.send("POST", "/zones", wish)).status).toBe(201);
    expect(await client.contents(name)).toEqual([`${name}. NS ns2.example.net.`]);
  });

  test("a zone that is created again has what the call has, and what its file had before is in its history", async () => {
    const name = freshName();
    const rrset = (label: string, type: string, content: string) => ({
      name: `${label}${name}.`,
      type,
      ttl: 60,
      records: [{ content }],
    });
    const create = (wish: object) => client.send("POST", "/zones", { name: `${name}.`, kind: "Native", ...wish });
    const remove = () => client.send("DELETE", `/zones/${name}.`);
    const old = [rrset("www.", "A", "192.0.2.1"), rrset("", "TXT", '"old"')];
    expect((await create({ nameservers: ["ns1.old.example."], rrsets: old })).status).toBe(201);
    const before = await client.contents(name);
    await remove();
    const rrsets = [rrset("api.", "A", "192.0.2.2")];
    expect((await create({ nameservers: ["ns1.new.example."], rrsets })).status).toBe(201);
    expect(await client.contents(name)).toEqual([`api.${name}. A 192.0.2.2`, `${name}. NS ns1.new.example.`]);
    const { id } = (await zw.admin.get(`/api/domains?search=${name}`)).body.domains[0];
    const { body } = await zw.admin.get(`/api/domains/${id}/records?at=1`);
    expect(body.total).toBe(before.length);
    for (const wish of [{ rrsets }, {}]) {
      await remove();
      expect((await create(wish)).status).toBe(201);
      expect(await client.contents(name)).toEqual(wish.rrsets ? [`api.${name}. A 192.0.2.2`] : []);
    }
  });

  test("a zone whose creation ended before its records were written gets them when the call is repeated", async () => {
    const name = freshName();
    const rrsets = [{ name: `www.${name}.`, type: "A", ttl: 60, records: [{ content: "192.0.2.1" }] }];
    const wish = { name: `${name}.`, kind: "Native", account: "team", nameservers: ["ns1.example.net."], rrsets };
    const create = (by = client) => by.send("POST", "/zones", wish);
    await endingBeforeRecords(async () => expect((await create()).status).toBe(500));
    const stranger = new PowerdnsClient(zw.url, await powerdnsKey(await zw.member(`stranger-${name}`)));
    expect((await create(stranger)).status).not.toBe(201);
    const { status, body } = await create();
    expect([status, body.account]).toEqual([201, "team"]);
    expect(await client.contents(name)).toEqual([`www.${name}. A 192.0.2.1`, `${name}. NS ns1.example.net.`]);
    // Now it is there.
    expect((await create()).status).toBe(409);
    expect((await client.get(`/zones/${name}.`)).status).toBe(200);
  });

  test("a zone whose creation ended before its records were written, and which somebody changed, is not replaced", async () => {
    const name = freshName();
    const wish = { name: `${name}.`, kind: "Native", nameservers: ["ns1.example.net."] };
    await endingBeforeRecords(() => client.send("POST", "/zones", wish));
    const { id } = (await zw.admin.get(`/api/domains?search=${name}`)).body.domains[0];
    await zw.admin.post(`/api/domains/${id}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
    expect((await client.send("POST", "/zones", wish)).status).toBe(409);
    expect(await client.contents(name)).toEqual([`www.${name}. A 192.0.2.1`]);
  });

  test("of calls that create one zone at the same time, one succeeds, and the zone has its records", async () => {
    const name = freshName();
    const create = (server: string) =>
      client.send("POST", "/zones", { name: `${name}.`, kind: "Native", nameservers: [server] });
    const servers = ["ns1.example.net.", "ns2.example.net.", "ns3.example.net."];
    const answers = await Promise.all(servers.map(create));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409, 409]);
    const made = servers[answers.findIndex(({ status }) => status === 201)];
    expect(await client.contents(name)).toEqual([`${name}. NS ${made}`]);
  });

  test("a zone in a catalog zone is not deleted, and the error says where to delete it", async () => {
    const config = { nameServers: "ns1.example.net", contact: "dns@example.net", catalogZone: "catalog.example" };
    const wish = { kind: "primary", name: "Catalog", config };
    const { body: made } = await zw.admin.post("/api/provider-configs", wish);
    const name = freshName();
    expect((await zw.admin.post("/api/domains", { name, providerConfigId: made.id })).status).toBe(201);
    const { status, body } = await client.send("DELETE", `/zones/${name}.`);
    expect([status, body.error]).toEqual([422, expect.stringContaining("delete the domain in Zonewright")]);
    expect((await client.get(`/zones/${name}.`)).status).toBe(200);
  });

  test("a zone is created from the text of a zone file, or refused with the line at fault", async () => {
    const name = freshName();
    const zone = `${name}. 3600 IN SOA a. b. 1 2 3 4 5\n${name}. 3600 IN NS ns1.example.net.\nwww 60 A 192.0.2.1\nwww 60 A 192.0.2.2\n`;
    const made = await client.send("POST", "/zones", { name: `${name}.`, kind: "Native", zone });
    expect(made.status).toBe(201);
    expect(await client.contents(name)).toEqual([
      `www.${name}. A 192.0.2.1`,
      `www.${name}. A 192.0.2.2`,
      `${name}. NS ns1.example.net.`,
    ]);
    const other = freshName();
    const refused = async (more: object) => {
      const { status, body } = await client.send("POST", "/zones", { name: `${other}.`, kind: "Native", ...more });
      expect(status).toBe(422);
      return body.error;
    };
    expect(await refused({ zone: `${other}. 60 A 192.0.2.300\n` })).toContain("Line 1: ");
    const rrsets = [{ name: `${other}.`, type: "A", ttl: 60, records: [{ content: "192.0.2.1" }] }];
    expect(await refused({ zone: "www 60 A 192.0.2.1\n", rrsets })).toContain("rrsets AND zone data");
    expect((await client.get(`/zones/${other}.`)).status).toBe(404);
  });

  test("what a client sets of a zone is shown as it set it, and a part of it changes alone", async () => {
    const name = freshName();
    const set = { kind: "Master", account: "admin", soa_edit_api: "EPOCH", nsec3param: "", masters: [] };
    expect((await client.send("POST", "/zones", { name: `${name}.`, ...set })).body).toMatchObject(set);
    expect((await client.get(`/zones?zone=${name}.`)).body).toMatchObject([{ kind: "Master", account: "admin" }]);
    expect((await client.send("PUT", `/zones/${name}.`, { account: "", soa_edit_api: "" })).status).toBe(204);
    const { body } = await client.get(`/zones/${name}.`);
    expect(body).toMatchObject({ ...set, account: "", soa_edit_api: "" });
    for (const refused of [{ account: 1 }, { nsec3param: "1 0 1 ab" }])
      expect((await client.send("PUT", `/zones/${name}.`, refused)).status).toBe(422);
  });

  test("many zones are read and sent page by page, each once and by name, and a token sees only its own", async () => {
    const config = await manualConfig(zw);
    const zones = Array.from({ length: 600 }, (_, index) => `many${index}.example`);
    const em = queries(zw.services.database.fork());
    await sql`insert into domains (id, name, provider_zone, provider_config_id, expiry_remind_days, auto_check_expiry)
      select gen_random_uuid(), name, name, ${config}::uuid, '{}', false from unnest(${`{${zones.join()}}`}::text[]) name`.execute(
      em,
    );
    const before = slicedWork.chunks;
    const names = await named(client);
    expect(slicedWork.chunks - before).toBeGreaterThanOrEqual(3);
    expect(names).toEqual([...new Set(names)].toSorted());
    expect(names.filter((name) => name.startsWith("many"))).toEqual(zones.toSorted());
    expect(await named(client, "?zone=many7.example.&dnssec=false")).toEqual(["many7.example"]);
    const { id } = (await zw.admin.get("/api/domains?search=many599.example")).body.domains[0];
    const narrowed = { permissions: ["records:read"], domainIds: [id] };
    expect(await named(await powerdnsClient(zw.admin, narrowed))).toEqual(["many599.example"]);
    expect(await named(await powerdnsClient(await zw.member("nobody-here")))).toEqual([]);
    await em.deleteFrom("domains").where("name", "in", zones).execute();
  });

  test("parameters that are neither true nor false are refused, and lists leave out what `dnssec=false` says", async () => {
    const { name } = await manualZone(zw);
    expect((await client.get(`/zones/${name}.?rrsets=foobar`)).status).toBe(422);
    expect((await client.get("/zones?dnssec=perhaps")).status).toBe(422);
    const [brief] = (await client.get(`/zones?zone=${name}.&dnssec=false`)).body;
    expect([Object.hasOwn(brief, "dnssec"), Object.hasOwn(brief, "edited_serial")]).toEqual([false, false]);
    const config = await client.get("/config");
    expect([config.status, config.headers.get("content-type")]).toEqual([200, "application/json"]);
  });

  test("settings without a meaning here are taken, and those that would change what the zone is are refused", async () => {
    const { name } = await manualZone(zw);
    const put = (settings: object) => client.send("PUT", `/zones/${name}.`, settings);
    const taken = { kind: "Master", api_rectify: true, soa_edit_api: "EPOCH", account: "team", dnssec: false };
    expect((await put(taken)).status).toBe(204);
    const refused = [{ kind: "Slave" }, { dnssec: true }, { rrsets: [] }, { master_tsig_key_ids: ["key."] }];
    for (const settings of refused) expect((await put(settings)).status).toBe(422);
  });

  test("notify and rectify succeed, and a zone has no keys", async () => {
    const { name } = await manualZone(zw);
    expect((await client.send("PUT", `/zones/${name}./notify`)).body).toEqual({ result: "Notification queued" });
    expect((await client.send("PUT", `/zones/${name}./rectify`)).body).toEqual({ result: "Rectified" });
    expect((await client.get(`/zones/${name}./cryptokeys`)).body).toEqual([]);
  });

  test("changes of settings and of metadata are in the audit trail, and writing the same again is not", async () => {
    const name = freshName();
    const created = await client.send("POST", "/zones", { name: `${name}.`, kind: "Native", account: "team" });
    expect(created.status).toBe(201);
    const { body } = await zw.admin.get(`/api/domains?search=${name}`);
    const entries = async () => {
      const { body: page } = await zw.admin.get("/api/audit?action=domain.update&limit=100");
      const ours = page.entries.filter(({ targetId }: Body) => targetId === body.domains[0].id);
      return ours
        .map(({ before, after, tokenId }: Body) => ({ before, after, byToken: tokenId !== null }))
        .toReversed();
    };
    const made = [
      entry({ powerdns: { kind: null, account: null } }, { powerdns: { kind: "Native", account: "team" } }),
    ];
    expect(await entries()).toEqual(made);
    const zone = `/zones/${name}.`;
    for (const _ of [1, 2]) {
      expect((await client.send("PUT", zone, { kind: "Native", account: "other" })).status).toBe(204);
      await client.send("POST", `${zone}/metadata`, ownMetadata("a"));
      await client.send("PUT", `${zone}/metadata/X-OTHER`, { metadata: ["b"] });
    }
    for (const _ of [1, 2]) await client.send("DELETE", `${zone}/metadata/X-NOTE`);
    expect(await entries()).toEqual([
      ...made,
      entry({ powerdns: { account: "team" } }, { powerdns: { account: "other" } }),
      entry({ powerdnsMetadata: { "X-NOTE": [] } }, { powerdnsMetadata: { "X-NOTE": ["a"] } }),
      entry({ powerdnsMetadata: { "X-OTHER": [] } }, { powerdnsMetadata: { "X-OTHER": ["b"] } }),
      entry({ powerdnsMetadata: { "X-NOTE": ["a"] } }, { powerdnsMetadata: { "X-NOTE": [] } }),
    ]);
  });

  test("metadata is added to, replaced, shown and deleted by kind", async () => {
    const { name } = await manualZone(zw);
    const at = `/zones/${name}./metadata`;
    expect((await client.get(`${at}/X-NOTE`)).body).toEqual(ownMetadata());
    const first = await client.send("POST", at, ownMetadata("a"));
    expect([first.status, first.body]).toEqual([201, ownMetadata("a")]);
    expect((await client.send("POST", at, ownMetadata("a", "b"))).body).toEqual(ownMetadata("a", "b"));
    await client.send("POST", at, { kind: "ALSO-NOTIFY", metadata: ["192.0.2.1"] });
    const put = await client.send("PUT", `${at}/X-NOTE`, { metadata: ["c"] });
    expect([put.status, put.body]).toEqual([200, ownMetadata("c")]);
    expect((await client.get(at)).body.map(({ kind }: { kind: string }) => kind)).toEqual(["ALSO-NOTIFY", "X-NOTE"]);
    expect((await client.send("DELETE", `${at}/X-NOTE`)).status).toBe(204);
    expect((await client.get(`${at}/X-NOTE`)).body).toEqual(ownMetadata());
    await client.send("PUT", `${at}/ALSO-NOTIFY`, { metadata: [] });
    expect((await client.get(at)).body).toEqual([]);
  });

  test.each([
    ["a kind that grants access", "ALLOW-AXFR-FROM", ["AUTO-NS"], /primary configuration/],
    ["a kind that grants updates", "TSIG-ALLOW-DNSUPDATE", ["key"], /TSIG keys/],
    ["a kind of signing", "NSEC3PARAM", ["1 0 0 -"], /PUT of the zone/],
    ["an unknown kind", "NOTE", ["a"], /begins with X-/],
    ["values that are no list", "X-NOTE", "a", /list/],
    ["a value that is no text", "X-NOTE", [1], /texts/],
    ["a value with a line break", "X-NOTE", ["a\nb"], /texts/],
    ["too many values", "X-NOTE", Array.from({ length: 101 }, String), /at most 100/],
  ])("metadata with %s is refused with 422", async (_what, kind, metadata, reason) => {
    const { name } = await manualZone(zw);
    const answers = [
      await client.send("PUT", `/zones/${name}./metadata/${kind}`, { metadata }),
      await client.send("POST", `/zones/${name}./metadata`, { kind, metadata }),
    ];
    for (const { status, body } of answers)
      expect([status, body]).toEqual([422, { error: expect.stringMatching(reason) }]);
  });

  test("a zone holds at most 100 kinds of metadata", async () => {
    const { name } = await manualZone(zw);
    const put = (kind: string) => client.send("PUT", `/zones/${name}./metadata/${kind}`, { metadata: ["a"] });
    for (let index = 0; index < 100; index++) expect((await put(`X-${index}`)).status).toBe(200);
    expect((await put("X-100")).status).toBe(422);
    expect((await put("X-99")).status).toBe(200);
  });

  test("metadata of a zone that the token does not reach is not found, and changing it needs the right to manage the zone", async () => {
    const zone = await manualZone(zw);
    const reading = ["records:read", "records:write"];
    const narrow = await powerdnsClient(zw.admin, { domainIds: [zone.id], permissions: reading });
    const body = { kind: "X-NOTE", metadata: ["a"] };
    expect((await client.send("POST", "/zones/nowhere.example./metadata", body)).status).toBe(404);
    expect((await narrow.send("POST", `/zones/${zone.name}./metadata`, body)).status).toBe(403);
    expect((await client.get(`/zones/${zone.name}./metadata`)).body).toEqual([]);
  });

  test("a zone can be shown without RRsets, or with those of a name and type", async () => {
    const { name } = await manualZone(zw);
    await client.replace(name, "www", "A", ["192.0.2.1"]);
    await client.replace(name, "www", "TXT", ['"x"']);
    const shown = async (query: string) => (await client.get(`/zones/${name}.?${query}`)).body.rrsets;
    expect(await shown("rrsets=false")).toBeUndefined();
    const types = async (query: string) => (await shown(query)).map(({ type }: { type: string }) => type);
    expect(await types(`rrset_name=WWW.${name}.`)).toEqual(["A", "TXT"]);
    expect(await types(`rrset_name=www.${name}.&rrset_type=txt`)).toEqual(["TXT"]);
    expect(await types(`rrset_name=${name}.`)).toEqual(["SOA"]);
    expect(await types("rrset_name=www.elsewhere.example.")).toEqual([]);
  });

  test("records are counted, with their RRsets or alone, and disabled ones are left out on request", async () => {
    const { name } = await manualZone(zw);
    const records = [1, 2].map((last) => ({ content: `192.0.2.${last}`, disabled: last === 2 }));
    await client.patch(name, [{ name: `www.${name}.`, type: "A", ttl: 60, changetype: "REPLACE", records }]);
    const shown = async (query: string) => (await client.get(`/zones/${name}.?${query}`)).body;
    expect((await shown("")).record_count).toBe(3);
    const alone = await shown("rrsets=false&record_count=true");
    expect([alone.record_count, alone.rrsets]).toEqual([3, undefined]);
    expect((await shown("rrsets=false")).record_count).toBeUndefined();
    const active = await shown(`rrset_name=www.${name}.&include_disabled=false`);
    expect([active.record_count, active.rrsets[0].records.length]).toEqual([1, 1]);
  });

  test("a zone whose name servers are in it gets their addresses later, also where servers would refuse it meanwhile", async () => {
    const name = freshName();
    const { status } = await client.send("POST", "/zones", {
      name: `${name}.`,
      kind: "Native",
      nameservers: [`ns1.${name}.`, `ns2.${name}.`],
    });
    expect(status).toBe(201);
    expect((await client.replace(name, "ns3", "NS", [`ns.ns3.${name}.`])).status).toBe(422);
    for (const host of ["ns1", "ns2"]) expect((await client.replace(name, host, "A", ["192.0.2.1"])).status).toBe(204);
    expect((await client.patch(name, [{ name: `ns1.${name}.`, type: "A", changetype: "DELETE" }])).status).toBe(422);
  });

  test("a name with a slash has an id with =2F, and any case and dot are taken", async () => {
    const name = "0/25.2.0.192.in-addr.arpa";
    await client.send("POST", "/zones", { name: `${name}.`, kind: "Native" });
    const id = "0=2F25.2.0.192.in-addr.arpa.";
    expect((await client.get(`/zones/${id}`)).body).toMatchObject({ id, name: `${name}.` });
    for (const other of ["0=2f25.2.0.192.IN-ADDR.arpa", "0%2F25.2.0.192.in-addr.arpa."])
      expect((await client.get(`/zones/${other}`)).body.id).toBe(id);
  });

  test("only the default view of a name is there", async () => {
    const [zone, internal] = await bothViews(zw);
    await internal.add("TXT", "secret", "inside");
    expect((await client.get(`/zones?zone=${zone.name}.`)).body).toHaveLength(1);
    expect(await client.contents(zone.name)).toEqual([]);
    await client.replace(zone.name, "www", "A", ["192.0.2.1"]);
    expect([await zone.lines(), await internal.lines()]).toEqual([["www A 192.0.2.1"], ["secret TXT inside"]]);
  });

  test("records are found by name and content, with wildcards", async () => {
    const { name } = await manualZone(zw);
    await client.replace(name, "needle", "TXT", ['"in the haystack"']);
    const search = async (q: string, more = "") =>
      (await client.get(`/search-data?q=${encodeURIComponent(q)}${more}`)).body.map(
        (one: { name: string }) => one.name,
      );
    for (const q of [`needle.${name}`, `needle.${name}.`, `need*.${name}`, "*haystack*", "*hay?tack*"])
      expect([q, await search(q)]).toEqual([q, [`needle.${name}.`]]);
    expect(await search("needle")).toEqual([]);
    expect(await search("*haystack*", "&object_type=comment")).toEqual([]);
    expect(await search(`*${name}`, "&object_type=zone")).toEqual([`${name}.`]);
    for (const q of ["*", "ab", "max&max=0"]) expect((await client.get(`/search-data?q=${q}`)).status).toBe(422);
  });

  test("a record is found, however many others before it have the text of the wildcard pattern", async () => {
    const providerConfigId = await manualConfig(zw);
    const many = await addZone(zw, { name: "aa-many.example", providerConfigId });
    const lines = Array.from({ length: 2_600 }, (_, index) => `webzmail${index} 300 IN A 192.0.2.1\n`);
    expect((await many.post("/zonefile", { zonefile: lines.join("") })).status).toBe(200);
    const last = await addZone(zw, { name: "zz-last.example", providerConfigId });
    await last.add("A", "zmail1", "192.0.2.2");
    const { status, body } = await client.get("/search-data?q=zmail*&object_type=record");
    expect([status, body.map(({ name }: { name: string }) => name)]).toEqual([200, ["zmail1.zz-last.example."]]);
  });

  test("a search of long texts is divided into small steps, so that other calls go on", async () => {
    const zone = await manualZone(zw);
    const content = Array.from({ length: 200 }, () => `"${"a".repeat(255)}"`).join(" ");
    const zonefile = ["one", "two", "three"].map((name) => `${name} 300 IN TXT ( ${content} )\n`).join("");
    expect((await zone.post("/zonefile", { zonefile })).status).toBe(200);
    const before = slicedWork.steps;
    expect(await searched(client, `*${"a".repeat(240)}b?*`)).toEqual([]);
    expect(await searched(client, `*${"a".repeat(100)}?${"a".repeat(100)}?`, "&object_type=record")).toHaveLength(3);
    expect(slicedWork.steps - before).toBeGreaterThan((3 * content.length) / 1_024);
  });

  test("a search finds zones, their SOA, records and comments, each once, and only what the token sees", async () => {
    const zone = await manualZone(zw);
    const name = `www.${zone.name}.`;
    const comments = [{ content: "Ask Jim Hawkins", account: "ops" }, { content: "second" }];
    const records = [{ content: "192.0.2.1" }, { content: "192.0.2.2" }];
    await client.patch(zone.name, [{ name, type: "A", ttl: 60, changetype: "REPLACE", records, comments }]);
    const all = ["zone ", "record SOA", "record A", "record A"];
    expect(await searched(client, `*${zone.name.toUpperCase()}*`)).toEqual(all);
    expect(await searched(client, `*${zone.name}*`, "&object_type=record")).toEqual(all.slice(1));
    expect(await searched(client, `*${zone.name}*`, "&max=2")).toEqual(all.slice(0, 2));
    for (const q of ["ask jim hawkins", "*hawk?ns", "*second"])
      expect([q, await searched(client, q)]).toEqual([q, ["comment A"]]);
    const permissions = ["records:read"];
    const narrow = await powerdnsClient(zw.admin, { domainIds: [zone.id], recordTypes: ["TXT"], permissions });
    expect(await searched(narrow, "*hawkins*")).toEqual([]);
    const other = await powerdnsClient(zw.admin, { domainIds: [(await manualZone(zw)).id], permissions });
    expect(await searched(other, `*${zone.name}*`)).toEqual([]);
  });
});

/** What Terraform's provider keeps of a zone, as it reads it. */
async function terraformState(client: PowerdnsClient, zone: string) {
  const { body } = await client.get(`/zones/${zone}.`);
  const contentsOf = (name: string, type: string): string[] =>
    body.rrsets
      .filter((rrset: { name: string; type: string }) => rrset.name === name && rrset.type === type)
      .flatMap(({ records }: { records: { content: string }[] }) => records.map(({ content }) => content))
      .toSorted();
  const { id, name, kind, account, soa_edit_api } = body;
  return { zone: { id, name, kind, account, soa_edit_api, nameservers: contentsOf(name, "NS") }, contentsOf, body };
}

describe("Terraform", () => {
  test("the provider's calls from creation to deletion read what they wrote, so that no plan has a change", async () => {
    const name = freshName();
    const terraform = new PowerdnsClient(zw.powerdnsUrl ?? "", key, "/api/v1/servers/localhost");
    expect((await new PowerdnsClient(zw.powerdnsUrl ?? "", key, "/api/v1").get("/servers")).status).toBe(200);
    expect((await terraform.get("")).body.version).toMatch(/^4\.7/);
    expect((await terraform.get(`/zones/${name}.`)).status).toBe(404);
    const wanted = { name: `${name}.`, kind: "native", account: "admin", soa_edit_api: "" };
    const nameservers = [`NS1.${name}.`, "ns2.example.net."];
    const unset = { id: "", url: "", dnsssec: false, serial: 0 };
    const made = await terraform.send("POST", "/zones", { ...unset, ...wanted, nameservers });
    expect([made.status, made.body.id]).toEqual([201, `${name}.`]);
    const state = { ...wanted, id: `${name}.`, kind: "Native", nameservers };
    expect((await terraformState(terraform, name)).zone).toEqual(state);

    const resources: [string, string, string[]][] = [
      ["ns1", "A", ["192.0.2.1"]],
      ["WWW", "A", ["192.0.2.1", "192.0.2.2"]],
      ["@", "MX", ["10 Mail.example.net.", "20 mail2.example.net."]],
      ["txt", "TXT", ['"v=spf1 -all"', '"two " "parts"']],
      ["_sip._tcp", "SRV", ["0 0 0 ."]],
      ["www6", "AAAA", ["2001:db8::1"]],
      ["*", "CNAME", ["Other.example.net."]],
    ];
    const replace = async (host: string, type: string, contents: string[], ttl: number) => {
      const owner = ownerOf(host, name);
      const records = contents.map((content) => ({
        name: owner,
        type,
        content,
        ttl,
        disabled: false,
        "set-ptr": false,
      }));
      const { status } = await terraform.patch(name, [{ name: owner, type, changetype: "REPLACE", ttl, records }]);
      expect([owner, type, status]).toEqual([owner, type, 204]);
      const { contentsOf, body } = await terraformState(terraform, name);
      expect(contentsOf(owner, type)).toEqual(contents.toSorted());
      const shown = body.rrsets.find((one: { name: string; type: string }) => one.name === owner && one.type === type);
      expect(shown.ttl).toBe(ttl);
    };
    for (const [host, type, contents] of resources) await replace(host, type, contents, 300);
    await replace("WWW", "A", ["192.0.2.3"], 60);
    const update = { name: `${name}.`, kind: "Master", account: "team" };
    expect((await terraform.send("PUT", `/zones/${name}.`, update)).status).toBe(204);
    expect((await terraformState(terraform, name)).zone).toEqual({ ...state, kind: "Master", account: "team" });
    for (const [host, type, contents] of resources.filter(([host]) => host !== "WWW")) {
      const { contentsOf } = await terraformState(terraform, name);
      expect(contentsOf(ownerOf(host, name), type)).toEqual(contents.toSorted());
    }
    for (const [host, type] of resources.slice(1)) {
      const gone = { name: ownerOf(host, name), type, changetype: "DELETE", ttl: 0 };
      expect((await terraform.patch(name, [gone])).status).toBe(204);
      expect((await terraformState(terraform, name)).contentsOf(ownerOf(host, name), type)).toEqual([]);
    }
    expect((await terraform.send("DELETE", `/zones/${name}.`)).status).toBe(204);
    expect((await terraform.get(`/zones/${name}.`)).status).toBe(404);
  });
});

function ownerOf(host: string, zone: string): string {
  return host === "@" ? `${zone}.` : `${host}.${zone}.`;
}

describe("what is not there", () => {
  test.each([
    ["an unknown zone", "GET", "/zones/nowhere.example.", 404],
    ["a zone that is no name", "GET", "/zones/%00..x", 404],
    ["an unknown part", "GET", "/autoprimaries", 404],
    ["the statistics", "GET", "/statistics", 404],
    ["an unknown part of a zone", "PUT", "/zones/a.example./axfr-retrieve", 404],
    ["another method", "POST", "/zones/a.example.", 405],
    ["a malformed path", "GET", "/zones/%E0%A4%A", 400],
  ])("%s is refused in PowerDNS's form", async (_what, method, path, status) => {
    const answer = await client.send(method, path);
    expect([answer.status, answer.body]).toEqual([status, { error: expect.any(String) }]);
  });

  test("another server than localhost is not there", async () => {
    expect((await at("/pdns/api/v1/servers/other").get("/zones")).status).toBe(404);
  });

  test.each([
    ["no key", {}],
    ["a wrong key", { "x-api-key": "changeme" }],
    ["a token that is mistyped", { "x-api-key": "zw_pt_000000000000000000000000000000000000" }],
    ["a token as bearer", { authorization: "Bearer x" }],
  ])("%s gets 401", async (_what, headers: Record<string, string>) => {
    const answer = await zw.nobody.get("/pdns/api/v1/servers", headers);
    expect([answer.status, answer.body]).toEqual([401, { error: expect.any(String) }]);
    expect(answer.headers.get("www-authenticate")).toContain("X-API-Key");
  });

  test("the session of a signed-in user is not an API key", async () => {
    expect((await zw.nobody.get("/pdns/api", { "x-api-key": zw.admin.token ?? "" })).status).toBe(401);
  });

  test("a token without the permission gets 403 that names it", async () => {
    const reading = await powerdnsClient(zw.admin, { permissions: ["records:read"] });
    const zone = await manualZone(zw);
    expect((await reading.get(`/zones/${zone.name}.`)).status).toBe(200);
    const answer = await reading.replace(zone.name, "www", "A", ["192.0.2.1"]);
    expect([answer.status, answer.body.error]).toEqual([403, expect.stringContaining("records:write")]);
    expect((await reading.send("POST", "/zones", { name: "a.example." })).status).toBe(403);
  });
});
