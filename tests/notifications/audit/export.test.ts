import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { slicedWork } from "../../../server/platform/slices.ts";
import { problemOf } from "../../support/problems.ts";
import { RestClient } from "../../support/rest-client.ts";
import { memberPassword, useZonewright } from "../../support/zonewright.ts";
import { website } from "../../bulk/templates/templates.ts";
import { entries, type Entry } from "./trail.ts";

const zw = useZonewright();

let domain: string;
let ada: RestClient;
let adaId: string;

beforeAll(async () => {
  domain = (await zw.admin.post("/api/domains", { name: "exported.example" })).body.id;
  ada = await zw.member("ada");
  adaId = (await ada.get("/api/auth/me")).body.id;
});

async function exported(query: Record<string, string> = {}, client = zw.admin): Promise<string> {
  const { status, body } = await client.get(`/api/audit/export?${new URLSearchParams(query).toString()}`);
  if (status !== 200) throw new Error(`The export answers ${status}: ${JSON.stringify(body)}`);
  return body;
}

function parsed(lines: string): (Entry & { actorName: string | null; targetName: string | null })[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

describe("export of the audit trail", () => {
  test("lines of JSON are the entries of the list, with its filters and in its order", async () => {
    const filter = { targetId: domain, action: "domain.create" };
    expect(parsed(await exported({ ...filter, format: "jsonl" }))).toEqual(await entries(zw.admin, filter));
    const all = parsed(await exported({ format: "jsonl" }));
    expect(all.map(({ id }) => id)).toEqual((await entries(zw.admin)).map(({ id }) => id));
    expect(parsed(await exported({ format: "jsonl", actorId: adaId }))).toMatchObject([{ action: "auth.sign_in" }]);
    expect(await exported({ format: "jsonl", to: "2001-01-01T00:00:00Z" })).toBe("");
  });

  test("a table has a header and a row for each entry, and no cell that a spreadsheet would run", async () => {
    const serviceName = '=HYPERLINK("https://evil.example","x")';
    const { body } = await zw.admin.post("/api/templates", website("link", { serviceName }));
    const table = await exported({ targetId: body.id });
    const [header, row, ...more] = table.split("\r\n");
    expect(header).toBe(
      "id,at,actor,actorId,tokenId,tsigKey,action,target,targetType,targetId,domain,domainId,ip,requestId,before,after",
    );
    expect(row).toContain(`,template.create,"'=HYPERLINK(""https://evil.example"",""x"")",template,${body.id},`);
    expect(more).toEqual([""]);
  });

  test("an export goes on from the last line of the one before, without a second header", async () => {
    const [, second, third] = await entries(zw.admin);
    const rest = await exported({ before: second?.id ?? "" });
    expect(rest.startsWith(`${third?.id},`)).toBe(true);
    const list = await entries(zw.admin, { before: second?.id ?? "", limit: "1" });
    expect(list.map(({ id }) => id)).toEqual([third?.id]);
    const [page, last] = await Promise.all(
      ["2", "1000"].map((page) => zw.admin.get(`/api/audit?count=false&limit=2&page=${page}`)),
    );
    expect(page?.body).toMatchObject({ total: 5, page: 2, entries: [{ id: third?.id }, {}] });
    expect(last?.body).toMatchObject({ total: 0, entries: [] });
    const unknown = await zw.admin.get(`/api/audit/export?before=${domain}`);
    expect(problemOf(unknown, 400, "BAD_REQUEST").issues).toMatchObject([{ path: ["before"] }]);
  });

  test("an export of many entries comes in parts of ten thousand, each entry once", async () => {
    await sql`insert into audit_entries (id, at, action, target_type, before, after)
      select gen_random_uuid(), timestamptz '2020-01-01' + (n / 3) * interval '1 microsecond', 'domain.update', 'many', null,
        jsonb_build_object('n', n)
      from generate_series(1, 20100) n`.execute(queries(zw.services.database.fork()));
    const seen: unknown[] = [];
    const parts: number[] = [];
    for (let before: string | undefined; ;) {
      const found = parsed(
        await exported({ format: "jsonl", targetType: "many", ...(before === undefined ? {} : { before }) }),
      );
      if (found.length === 0) break;
      parts.push(found.length);
      seen.push(...found.map(({ after }) => after?.["n"]));
      before = found.at(-1)?.id;
    }
    expect(parts).toEqual([10_000, 10_000, 100]);
    expect(new Set(seen).size).toBe(20_100);
  });

  test("an export of long entries gives up its turn after each few of them, and has each once", async () => {
    await sql`insert into audit_entries (id, at, action, target_type, before, after)
      select gen_random_uuid(), timestamptz '2020-01-01' + n * interval '1 second', 'records.update', 'long', null,
        jsonb_build_object('n', n, 'records', (
          select jsonb_agg(jsonb_build_object('name', 'host-' || record, 'value', md5((n * 100 + record)::text)))
          from generate_series(1, 100) record
        ))
      from generate_series(1, 200) n`.execute(queries(zw.services.database.fork()));
    const before = slicedWork.turns;
    const found = parsed(await exported({ format: "jsonl", targetType: "long" }));
    expect(found.map(({ after }) => after?.["n"])).toEqual(Array.from({ length: 200 }, (_, index) => 200 - index));
    expect(slicedWork.turns - before).toBeGreaterThan(20);
  });

  test("auditors export it with a token that may read it, and members do not", async () => {
    expect((await ada.get("/api/audit/export")).status).toBe(403);
    const auditor = await zw.member("olga");
    const { body: me } = await auditor.get("/api/auth/me");
    await zw.admin.put(`/api/users/${me.id}`, { role: "auditor" });
    const { body: session } = await zw.nobody.post("/api/auth/login", { username: "olga", password: memberPassword });
    const signedIn = new RestClient(zw.url, session.accessToken);
    const { body: token } = await signedIn.post("/api/auth/me/tokens", {
      name: "Archive",
      permissions: ["audit:read"],
    });
    expect(await exported({ targetId: domain }, new RestClient(zw.url, token.token))).toContain("exported.example");
    expect((await zw.nobody.get("/api/audit/export")).status).toBe(401);
  });
});

describe("names and domains of entries", () => {
  test("an entry names its user, its target and its domain, also after they were deleted", async () => {
    const { body: zone } = await zw.admin.post("/api/domains", { name: "short-lived.example" });
    const account = { username: "brief", email: "brief@example.com", password: memberPassword, role: "member" };
    const { body: user } = await zw.admin.post("/api/users", account);
    const { body: session } = await zw.nobody.post("/api/auth/login", { username: "brief", password: memberPassword });
    await new RestClient(zw.url, session.accessToken).put("/api/auth/me/profile", { nickname: "Bri" });
    await zw.admin.delete(`/api/domains/${zone.id}`);
    expect((await zw.admin.delete(`/api/users/${user.id}`)).status).toBe(200);
    const [created] = await entries(zw.admin, { action: "domain.create", targetId: zone.id });
    const name = "short-lived.example";
    expect(created).toMatchObject({ actorName: "admin", targetName: name, domainId: zone.id, domainName: name });
    const [renamed] = await entries(zw.admin, { action: "user.update_profile", targetId: user.id });
    expect(renamed).toMatchObject({ actorName: "brief", targetName: "brief", domainId: null, domainName: null });
  });

  test("the entries of a domain are its own and those of its requests, snapshots, assignments and keys", async () => {
    const { body: zone } = await zw.admin.post("/api/domains", { name: "gathered.example" });
    const changes = [{ action: "create", record: { recordType: "A", name: "www", value: "192.0.2.1" } }];
    const { body: request } = await zw.admin.post(`/api/domains/${zone.id}/change-requests`, {
      title: "A host",
      changes,
    });
    await zw.admin.post(`/api/change-requests/${request.id}/comments`, { text: "Seen" });
    await zw.admin.post(`/api/change-requests/${request.id}/withdraw`);
    await zw.admin.post(`/api/domains/${zone.id}/snapshots`);
    await zw.admin.post("/api/assignments", { userId: adaId, domainId: zone.id, access: "read" });
    await zw.admin.post("/api/auth/me/tsig-keys", { domainId: zone.id });
    const found = await entries(zw.admin, { domainId: zone.id });
    expect(found.map(({ action }) => action)).toEqual([
      "tsig_key.create",
      "assignment.create",
      "snapshot.create",
      "change_request.withdraw",
      "change_request.comment",
      "change_request.create",
      "domain.create",
    ]);
    expect(found).toEqual(
      found.map((entry) => expect.objectContaining({ id: entry.id, domainName: "gathered.example" })),
    );
  });
});
