import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { claimDue, planFirstChecks } from "../../../server/registry/delegation/check-job.ts";
import { assign } from "../../accounts/assignments/assigned.ts";
import { NoticeLog } from "../expiry/notice-log.ts";
import { Clock, day, hour } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { embeddedConfig, manualConfig, type Body } from "../../support/zones.ts";
import { adminPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { content, delegation, reset, startPrivateRoot, topLevel, zoneName, type PrivateRoot } from "./private-root.ts";

const clock = new Clock();
const log = new NoticeLog();
let world: PrivateRoot;
let zw: Zonewright & { stop(): Promise<void> };
let admin: RestClient;
let providerConfigId: string;
let mirrorConfigId: string;
let path: string;
let id: string;

beforeAll(async () => {
  world = await startPrivateRoot();
  zw = await startZonewright({
    env: { RESOLVER_ROOTS: world.roots, EGRESS_ALLOW: "127.53.0.0/16", JOBS: "off" },
    now: clock.now,
    logTo: log,
  });
  providerConfigId = await manualConfig(zw);
  mirrorConfigId = await embeddedConfig(zw);
  // A token, which outlasts any jump of the clock.
  const permissions = ["domains:read", "domains:write", "records:read", "records:write"];
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Lasting", permissions });
  admin = new RestClient(zw.url, body.token);
});
afterAll(async () => {
  await zw.stop();
  await world.internet.stop();
});

beforeEach(async () => {
  reset(world);
  const old = (await admin.get(`/api/domains?name=${zoneName}`)).body.domains[0];
  if (old) await admin.delete(`/api/domains/${old.id}`);
  id = (await admin.post("/api/domains", { name: zoneName, providerConfigId })).body.id;
  path = `/api/domains/${id}`;
  log.next(zoneName);
});

const get = (client = admin) => client.get(`${path}/delegation`);
const check = (client = admin) => client.post(`${path}/delegation/check`);
const snooze = (body: object, client = admin) => client.post(`${path}/delegation/snooze`, body);
const add = async (recordType: string, name: string, value: string): Promise<Body> => {
  const { status, body } = await admin.post(`${path}/records`, { recordType, name, value });
  if (status !== 201) throw new Error(`The record was not made: ${JSON.stringify(body)}`);
  return body;
};
const codes = ({ body }: Answer): string[] =>
  body.findings.map((finding: Body) =>
    [finding.code, finding.name, finding.recordType, finding.server ?? finding.target].filter(Boolean).join(" "),
  );
const at = (milliseconds: number): string => new Date(clock.now().getTime() + milliseconds).toISOString();
const runJob = () => zw.services.delegationCheck.work({}, new AbortController().signal);

describe("a check", () => {
  test("a domain that was not checked yet has no facts and no findings", async () => {
    const { status, body } = await get();
    expect(status).toBe(200);
    expect(body).toEqual({
      domainId: id,
      notCheckedBecause: null,
      checkedAt: null,
      nextCheckAt: null,
      changedAt: null,
      parent: null,
      parentError: null,
      apex: null,
      servers: [],
      targets: null,
      findings: [],
    });
  });

  test("a healthy domain has the facts of its parent and its servers, and no findings", async () => {
    await add("CNAME", "shop", "shop.tld");
    const { status, body } = await check();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      notCheckedBecause: null,
      changedAt: null,
      parent: {
        zone: "tld",
        nameServers: ["ns1.one.tld", "ns2.one.tld"],
        glue: [
          { name: "ns1.one.tld", address: "127.53.0.3" },
          { name: "ns2.one.tld", address: "127.53.0.4" },
        ],
        ds: [],
      },
      parentError: null,
      apex: { nameServers: ["ns1.one.tld", "ns2.one.tld"], keys: [] },
      servers: [
        { name: "ns1.one.tld", address: "127.53.0.3", state: "authoritative", serial: 7, detail: null },
        { name: "ns2.one.tld", address: "127.53.0.4", state: "authoritative", serial: 7, detail: null },
      ],
      targets: { checked: 1, unknown: 0, skipped: 0 },
      findings: [],
    });
    expect((await get()).body).toEqual(body);
    expect(Date.parse(body.nextCheckAt) - Date.parse(body.checkedAt)).toBe(day);
  });

  test("answers with another id or another question are ignored, and the server counts as unreachable", async () => {
    world.second.behavior = "forged";
    expect(codes(await check())).toEqual(["unreachable @ ns2.one.tld"]);
  });

  test.for([
    ["silent", "unreachable"],
    ["noise", "unreachable"],
    ["refused", "lame"],
    ["not_authoritative", "lame"],
  ] as const)("a server that is %s is %s", async ([behavior, code]) => {
    world.second.behavior = behavior;
    expect(codes(await check())).toEqual([`${code} @ ns2.one.tld`]);
  });

  test("a server at an address that EGRESS_ALLOW does not list is never asked, and is no finding", async () => {
    const lines = delegation.map((line) => line.replace("127.53.0.4", "127.54.0.4"));
    world.top.zones = topLevel(lines);
    const zone = [content()[0] ?? "", ...lines];
    world.first.zones = { [zoneName]: zone };
    const outside = await world.internet.server("127.54.0.4", { [zoneName]: zone });
    const { body } = await check();
    expect(body.servers[1]).toMatchObject({ name: "ns2.one.tld", address: "127.54.0.4", state: "not_checked" });
    expect(body.findings).toEqual([]);
    expect(outside.questions).toEqual([]);
  });

  test("a name without a delegation is one finding, and names within it are not called dangling", async () => {
    world.top.zones = topLevel([]);
    await add("CNAME", "alias", "www.one.tld");
    const answer = await check();
    expect(codes(answer)).toEqual(["not_delegated @"]);
    expect(answer.body.parent).toMatchObject({ nameServers: [], glue: [], ds: [] });
  });

  test("findings and facts stay as they were while the parent zone does not answer", async () => {
    world.second.behavior = "refused";
    const before = (await check()).body;
    world.top.behavior = "silent";
    const { body } = await check();
    expect(body).toMatchObject({ parent: before.parent, parentError: expect.stringContaining("did not answer") });
    expect(body.findings).toEqual(before.findings);
    expect(Date.parse(body.checkedAt)).toBeGreaterThan(Date.parse(before.checkedAt));
  });

  test("a finding has the time at which it was first seen, and goes when it is mended", async () => {
    world.second.zones = { [zoneName]: content(6) };
    const first = (await check()).body.findings[0];
    expect(first).toMatchObject({ code: "serial_differs", severity: "warning", server: "ns2.one.tld" });
    clock.advance(hour);
    const later = (await check()).body.findings[0];
    expect(later.firstSeenAt).toBe(first.firstSeenAt);
    expect(Date.parse(later.lastSeenAt)).toBeGreaterThan(Date.parse(first.lastSeenAt));
    world.second.zones = { [zoneName]: content() };
    expect(codes(await check())).toEqual([]);
  });

  test("servers of a mirror have a serial of their own", async () => {
    world.second.zones = { [zoneName]: content(6).map((line) => line.replace("SOA ns1.", "SOA ns2.")) };
    expect(codes(await check())).toEqual(["serial_differs @ ns2.one.tld"]);
    expect(await admin.post(`${path}/mirrors`, { providerConfigId: mirrorConfigId })).toMatchObject({ status: 200 });
    expect(codes(await check())).toEqual([]);
  });
});

describe("dangling records", () => {
  test("targets that do not exist or have no address are found by type, others are not", async () => {
    await add("CNAME", "gone", "gone.tld");
    await add("CNAME", "text", "text.one.tld");
    await add("CNAME", "_ACME-challenge", "gone.tld");
    await add("MX", "@", "10 text.one.tld");
    await add("MX", "none", "0 .");
    await add("NS", "sub", "ns.gone.tld");
    await add("ALIAS", "apex", "text.one.tld");
    await add("SRV", "_sip._tcp", "1 2 5060 sip.gone.tld");
    await add("CNAME", "fine", "shop.tld");
    expect(codes(await check())).toEqual([
      "dangling _sip._tcp SRV sip.gone.tld",
      "dangling gone CNAME gone.tld",
      "dangling sub NS ns.gone.tld",
      "dangling @ MX text.one.tld",
      "dangling apex ALIAS text.one.tld",
    ]);
  });

  test("a target whose servers do not answer is unknown, which is no finding", async () => {
    world.top.zones = topLevel([...delegation, "dead.tld NS ns.dead.tld", "ns.dead.tld A 127.53.0.99"]);
    await add("CNAME", "dead", "www.dead.tld");
    const { body } = await check();
    expect(body.findings).toEqual([]);
    expect(body.targets).toEqual({ checked: 0, unknown: 1, skipped: 0 });
  });

  test("a finding stays while its target is unknown, and goes with its record", async () => {
    world.top.zones = topLevel([...delegation, "dead.tld NS ns.dead.tld", "ns.dead.tld A 127.53.0.3"]);
    world.first.zones = { ...world.first.zones, "dead.tld": ["dead.tld SOA a b 1"] };
    const record = await add("CNAME", "dead", "www.dead.tld");
    expect(codes(await check())).toEqual(["dangling dead CNAME www.dead.tld"]);
    world.first.zones = { [zoneName]: content() };
    expect(codes(await check())).toEqual(["dangling dead CNAME www.dead.tld"]);
    await admin.delete(`${path}/records/${record.id}`);
    expect(codes(await check())).toEqual([]);
  });

  test("more than 500 names are checked 500 at a time, others the next day", async () => {
    const zonefile = Array.from({ length: 600 }, (_, index) => `n${index} CNAME n${index}.gone.tld.\n`).join("");
    expect((await admin.post(`${path}/zonefile`, { zonefile })).body).toMatchObject({ created: 600 });
    const { body } = await check();
    expect(body.targets).toEqual({ checked: 500, unknown: 0, skipped: 100 });
    expect(body.findings).toHaveLength(500);
    clock.advance(day);
    expect((await check()).body.findings.length).toBeGreaterThan(500);
  });
});

describe("notifications", () => {
  test("a dangling record is reported once, and again only if it came back", async () => {
    await add("CNAME", "gone", "gone.tld");
    await check();
    expect(log.next(zoneName)).toEqual(["domain.dangling"]);
    await check();
    expect(log.next(zoneName)).toEqual([]);
    world.top.zones = topLevel([...delegation, "gone.tld A 192.0.2.1"]);
    await check();
    world.top.zones = topLevel(delegation);
    await check();
    expect(log.next(zoneName)).toEqual(["domain.dangling"]);
  });

  test("a snoozed finding is not reported, also if it comes and goes, until the snooze ends", async () => {
    await add("MX", "@", "10 gone.tld");
    await check();
    log.next(zoneName);
    const until = at(3 * day);
    const { status, body } = await snooze({ code: "dangling", name: "@", until });
    expect(status).toBe(200);
    expect(body.findings[0].snoozedUntil).toBe(until);
    world.top.zones = topLevel([...delegation, "gone.tld A 192.0.2.1"]);
    expect(codes(await check())).toEqual([]);
    world.top.zones = topLevel(delegation);
    await add("MX", "@", "20 also-gone.tld");
    await check();
    expect(log.next(zoneName)).toEqual([]);
    clock.advance(4 * day);
    await check();
    expect(log.next(zoneName)).toEqual(["domain.dangling"]);
  });

  test("changed NS, DS or glue records of the parent zone are reported, the first check is not", async () => {
    await check();
    expect(log.next(zoneName)).toEqual([]);
    const ds = "one.tld DS 1 13 2 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    world.top.zones = topLevel([...delegation, ds]);
    const { body } = await check();
    expect(log.next(zoneName)).toEqual(["domain.delegation_changed"]);
    expect(body.changedAt).toBe(body.checkedAt);
    expect(codes({ body } as Answer)).toEqual(["ds_without_dnskey @"]);
    await check();
    expect(log.next(zoneName)).toEqual([]);
    world.top.zones = topLevel([]);
    await check();
    expect(log.next(zoneName)).toEqual(["domain.delegation_changed"]);
  });
});

describe("the job", () => {
  test("each domain is checked once a day, and one that is not public never", async () => {
    const internal = await admin.post("/api/domains", { name: `${zoneName}!internal` });
    const reserved = await admin.post("/api/domains", { name: "lan.internal" });
    clock.advance(day);
    await runJob();
    const first = (await get()).body;
    expect(first.checkedAt).not.toBeNull();
    clock.advance(hour);
    await runJob();
    expect((await get()).body).toEqual(first);
    clock.advance(day);
    await runJob();
    expect((await get()).body.checkedAt).not.toBe(first.checkedAt);
    for (const { body } of [internal, reserved]) {
      const checked = await admin.post(`/api/domains/${body.id}/delegation/check`);
      expect(checked.body).toMatchObject({ checkedAt: null, notCheckedBecause: expect.any(String) });
      await admin.delete(`/api/domains/${body.id}`);
    }
  });

  test("a domain whose check a crash interrupted is checked an hour later, not sooner", async () => {
    const em = zw.services.database.fork();
    await planFirstChecks(em, clock.now());
    const claimed = await claimDue(em, clock.now(), 100);
    expect(claimed).toContainEqual({ id, name: zoneName });
    clock.advance(hour / 2);
    await runJob();
    expect((await get()).body.checkedAt).toBeNull();
    clock.advance(hour);
    await runJob();
    expect((await get()).body.checkedAt).not.toBeNull();
  });

  test("the first check of a new domain is planned without reading the domains whose checks are planned", async () => {
    class Undone extends Error {}
    const tried = zw.services.database.fork().transactional(async (tx) => {
      const add = async (from: number, to: number) =>
        await sql`
          insert into domains (
            id, name, view, provider_zone, provider_config_id, tags, expiry_remind_days, auto_check_expiry, record_count
          )
          select gen_random_uuid(), name, case when n % 2 = 0 then 'internal' else '' end, name, ${providerConfigId}::uuid, '{}', '{}', false, 0
          from (select n, 'planned' || n || '.internal' as name from generate_series(${from}::int, ${to}::int) n) as zone
        `.execute(queries(tx));
      const read = async () => {
        const { rows } = await sql<{ count: number }>`
          select sum(seq_tup_read + idx_tup_fetch)::int as count from pg_stat_xact_user_tables where relname in ('domains', 'delegations')
        `.execute(queries(tx));
        return rows[0]?.count ?? 0;
      };
      const planned = async () => {
        const { rows } = await sql<{ now: number; later: number }>`
          select count(*) filter (where next_check_at <= ${clock.now()}::timestamptz)::int as now,
            count(*) filter (where next_check_at > ${clock.now()}::timestamptz)::int as later
          from delegations join domains on id = domain_id where name like 'planned%'
        `.execute(queries(tx));
        return rows[0];
      };
      await planFirstChecks(tx, clock.now());
      await add(1, 1_000);
      await planFirstChecks(tx, clock.now());
      // So many at once are spread over a day.
      expect(await planned()).toEqual({ now: 0, later: 500 });
      await sql`analyze domains, delegations`.execute(queries(tx));
      await add(1_001, 1_010);
      const before = await read();
      await planFirstChecks(tx, clock.now());
      const count = (await read()) - before;
      expect(await planned()).toEqual({ now: 5, later: 500 });
      expect(count).toBeGreaterThanOrEqual(5);
      expect(count).toBeLessThan(100);
      throw new Undone();
    });
    await expect(tried).rejects.toThrow(Undone);
  });

  test("disabled domains and those of other views that are due are read once, and delay no other check", async () => {
    class Undone extends Error {}
    const tried = zw.services.database.fork().transactional(async (tx) => {
      await sql`
        insert into domains (
          id, name, view, provider_zone, provider_config_id, tags, expiry_remind_days, auto_check_expiry, record_count, status
        )
        select gen_random_uuid(), name, case when n % 2 = 0 then 'internal' else '' end, name, ${providerConfigId}::uuid, '{}', '{}', false, 0,
          case when n % 2 = 0 or n = 1001 then 'active' else 'disabled' end
        from (select n, 'unchecked' || n || '.internal' as name from generate_series(1, 1001) n) as zone
      `.execute(queries(tx));
      await sql`
        insert into delegations (domain_id, next_check_at)
        select id, ${clock.now()}::timestamptz - case when name = 'unchecked1001.internal' then 1 else 2 end * interval '1 hour'
        from domains where name like 'unchecked%'
      `.execute(queries(tx));
      await sql`analyze domains, delegations`.execute(queries(tx));
      const read = async () => {
        const { rows } = await sql<{ count: number }>`
          select sum(seq_tup_read + idx_tup_fetch)::int as count from pg_stat_xact_user_tables where relname in ('domains', 'delegations')
        `.execute(queries(tx));
        return rows[0]?.count ?? 0;
      };
      const claimed = await claimDue(tx, clock.now(), 32);
      expect(claimed.map(({ name }) => name)).toEqual(["unchecked1001.internal"]);
      await sql`analyze delegations`.execute(queries(tx));
      const before = await read();
      expect(await claimDue(tx, clock.now(), 32)).toEqual([]);
      expect((await read()) - before).toBeLessThan(100);
      throw new Undone();
    });
    await expect(tried).rejects.toThrow(Undone);
  });

  test("a check that is aborted stores nothing", async () => {
    world.second.behavior = "silent";
    const stop = new AbortController();
    const running = zw.services.delegationCheck.work({}, stop.signal);
    await vi.waitUntil(() => world.second.questions.length > 0, patience);
    stop.abort();
    await running;
    expect((await get()).body.checkedAt).toBeNull();
  });

  test("a disabled domain is not checked", async () => {
    await admin.put(path, { status: "disabled" });
    await runJob();
    expect((await get()).body.checkedAt).toBeNull();
  });
});

describe("rights", () => {
  test("members see the findings of their names, may check with write access, and may not snooze", async () => {
    await add("CNAME", "a.dev", "gone.tld");
    await add("CNAME", "b", "gone.tld");
    world.second.behavior = "refused";
    await check();
    const [reader, writer, stranger] = await Promise.all(
      ["reader", "writer", "stranger"].map((name) => zw.member(name)),
    );
    if (!reader || !writer || !stranger) throw new Error("There are three members.");
    const now = { ...zw, admin: await zw.signIn("admin", adminPassword) };
    await assign(now, reader, id, "*.dev", "read");
    await assign(now, writer, id, "*", "write");
    const seen = await get(reader);
    expect(codes(seen)).toEqual(["dangling a.dev CNAME gone.tld"]);
    expect(seen.body.parent.nameServers).toHaveLength(2);
    expect((await check(reader)).status).toBe(403);
    expect(codes(await check(writer))).toHaveLength(3);
    const until = at(day);
    expect((await snooze({ code: "dangling", name: "b", until }, writer)).status).toBe(403);
    expect((await get(stranger)).status).toBe(404);
    expect((await check(stranger)).status).toBe(404);
    expect((await snooze({ code: "dangling", name: "b", until }, stranger)).status).toBe(404);
    expect((await get(zw.nobody)).status).toBe(401);
  });

  test("a snooze needs a known finding and a time within a year", async () => {
    await add("CNAME", "gone", "gone.tld");
    await check();
    expect((await snooze({ code: "dangling", name: "other", until: at(day) })).status).toBe(404);
    expect((await snooze({ code: "lame", name: "gone", until: at(day) })).status).toBe(404);
    expect((await snooze({ code: "dangling", name: "gone", until: at(-day) })).status).toBe(400);
    expect((await snooze({ code: "dangling", name: "gone", until: at(400 * day) })).status).toBe(400);
    expect((await snooze({ code: "other", name: "gone", until: at(day) })).status).toBe(400);
    expect((await snooze({ code: "dangling", name: "gone", until: at(day) })).status).toBe(200);
    const { body } = await snooze({ code: "dangling", name: "gone", until: null });
    expect(body.findings[0].snoozedUntil).toBeNull();
  });
});
