import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { sql } from "kysely";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { useCli } from "../support/cli.ts";
import { useZonewright } from "../support/zonewright.ts";
import { entries } from "../notifications/audit/trail.ts";

const zw = useZonewright();
const cli = useCli(zw);

let env: { ZONEWRIGHT_TOKEN: string };
let zone: string;
let ada: string;

beforeAll(async () => {
  zone = (await zw.admin.post("/api/domains", { name: "trail.example" })).body.id;
  await zw.admin.put(`/api/domains/${zone}`, { groupName: "shop" });
  const member = await zw.member("ada");
  ada = (await member.get("/api/auth/me")).body.id;
  await member.put("/api/auth/me/profile", { nickname: "Ada L." });
  const permissions = ["audit:read", "domains:read"];
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Audit", permissions });
  env = { ZONEWRIGHT_TOKEN: body.token };
  // Older than everything else.
  await sql`insert into audit_entries (id, at, action, target_type, actor_id, before, after)
    select gen_random_uuid(), timestamptz '2020-01-01' + n * interval '1 second', 'domain.update', 'many', ${ada}, null, jsonb_build_object('n', n)
    from generate_series(1, 10250) n`.execute(queries(zw.services.database.fork()));
});

interface Listed {
  entries: { id: string; action: string; actorName: string | null; after: { n: number } | null }[];
  more: boolean;
}

const list = async (...args: string[]) => await cli.json<Listed>(["audit", ...args], { env });

test("audit lists who did what, when and to what, with the filters of the API", async () => {
  const ofZone = await cli.must(["audit", "--domain", "trail.example"], { env });
  const [update, create, ...more] = ofZone.split("\n");
  const when = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;
  expect(update).toMatch(
    new RegExp(String.raw`^${when}\tadmin\tdomain\.update\ttrail\.example\ttrail\.example\t[\d.:a-f]+\tgroupName$`),
  );
  expect(create).toMatch(new RegExp(String.raw`^${when}\tadmin\tdomain\.create\ttrail\.example\t`));
  expect(more).toEqual([""]);
  const filters = {
    domainId: ["--domain", zone],
    actorId: ["--user", ada],
    action: ["--action", "domain.create"],
    targetType: ["--target-type", "user"],
    targetId: ["--target", ada],
    from: ["--from", "2024-01-01"],
    to: ["--to", "2020-01-01T02:00:05+02:00"],
  };
  const values = { domainId: zone, actorId: ada, action: "domain.create", targetType: "user", targetId: ada };
  const times = { from: "2024-01-01T00:00:00Z", to: "2020-01-01T00:00:05Z" };
  for (const [field, value] of Object.entries({ ...values, ...times })) {
    const expected = await entries(zw.admin, { [field]: value });
    const found = await list(...filters[field as keyof typeof filters], "--limit", "100");
    expect([field, expected.length > 0, found.entries]).toEqual([field, true, expected]);
  }
});

test("audit goes on over pages up to its limit, and from an entry", async () => {
  const first = await list("--target-type", "many", "--limit", "250");
  expect(first.entries.map(({ after }) => after?.n)).toEqual(Array.from({ length: 250 }, (_, index) => 10_250 - index));
  expect(first.more).toBe(true);
  const before = first.entries.at(-1)?.id ?? "";
  const next = await list("--target-type", "many", "--limit", "1", "--before", before);
  expect(next).toMatchObject({ entries: [{ after: { n: 10_000 } }], more: true });
  const end = await list("--target-type", "many", "--to", "2020-01-01T00:00:03Z", "--limit", "2");
  expect([end.entries.map(({ after }) => after?.n), end.more]).toEqual([[2, 1], false]);
  const shown = await cli.run(["audit", "--target-type", "many", "--limit", "1"], { env, columns: 120 });
  expect(shown.stderr).toMatch(/^There are more\. --before [0-9a-f-]{36} goes on/m);
});

test("audit finds a user by name, and lists nothing for a name without entries", async () => {
  const found = await list("--user", "ADA", "--from", "1d");
  expect(found.entries.map(({ action }) => action)).toEqual(["user.update_profile", "auth.sign_in"]);
  expect(await list("--user", "eve", "--from", "1d")).toEqual({ entries: [], more: false });
  expect(await cli.must(["audit", "export", "--user", "eve", "--from", "1d"], { env })).toMatch(/^id,at,[^\n]+\r\n$/);
});

test("audit finds a user beyond any number of newer entries, also a deleted one", async () => {
  const gone = await zw.member("gone");
  const { id } = (await gone.get("/api/auth/me")).body as { id: string };
  await sql`insert into audit_entries (id, at, action, target_type, actor_id)
    values (gen_random_uuid(), '2019-12-31', 'domain.update', 'domain', ${id})`.execute(
    queries(zw.services.database.fork()),
  );
  await zw.admin.delete(`/api/users/${id}`);
  const { entries: found } = await list("--user", "Gone", "--to", "2020-02-01");
  expect(found).toMatchObject([{ action: "domain.update", actorId: id, actorName: "gone" }]);
});

test("audit export writes every entry once, over parts, with one header", async () => {
  const file = join(cli.configFolder, "audit.csv");
  const wrote = await cli.run(["audit", "export", "--target-type", "many", "-o", file], { env });
  expect(wrote).toEqual({ exitCode: 0, stdout: "", stderr: `Wrote ${file}.\n` });
  const [header, ...rows] = (await readFile(file, "utf8")).trimEnd().split("\r\n");
  expect(header).toMatch(/^id,at,actor,actorId,/);
  expect(rows.length).toBe(10_250);
  expect(new Set(rows.map((row) => row.slice(0, 36))).size).toBe(10_250);
  expect(rows.at(-1)).toContain('"{""n"":1}"');
  const narrow = ["audit", "export", "--domain", "trail.example", "--json"];
  expect(await cli.must([...narrow, "-o", file], { env })).toBe(`${JSON.stringify({ format: "csv", file })}\n`);
  expect(await cli.run(narrow, { env })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr:
      "--json describes the file that --output names. To print the entries as JSON, use --format jsonl, one object a line.\n",
  });
  const lines = await cli.must(["audit", "export", "--format", "jsonl", "--domain", "trail.example"], { env });
  const parsed = lines
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(parsed).toEqual(await entries(zw.admin, { domainId: zone }));
});

test("an export that breaks off names the entry to go on from, and the rest completes it", async () => {
  let exports = 0;
  const server = createServer((req, res) => {
    if (req.url?.includes("audit.export") === true && (exports += 1) > 1) res.writeHead(401).end();
    else void forwarded(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ["audit", "export", "--target-type", "many"];
  const broken = await cli.run(args, { env: { ...env, ZONEWRIGHT_URL: url } });
  expect(broken.exitCode).toBe(1);
  const [, before = ""] = /^The export is not complete\. --before ([0-9a-f-]{36}) goes on/.exec(broken.stderr) ?? [];
  const rest = await cli.must([...args, "--before", before], { env });
  expect(broken.stdout.length).toBeGreaterThan(0);
  const whole = await cli.must(args, { env });
  expect(broken.stdout + rest).toBe(whole);
  const file = join(cli.configFolder, "in-parts.csv");
  exports = 0;
  await cli.run([...args, "-o", file], { env: { ...env, ZONEWRIGHT_URL: url } });
  await cli.must([...args, "-o", file, "--before", before], { env });
  expect(await readFile(file, "utf8")).toBe(whole);
  // Refused at once: the file stays as it is.
  await cli.run([...args, "-o", file], { env: { ...env, ZONEWRIGHT_URL: url } });
  expect(await readFile(file, "utf8")).toBe(whole);
});

async function forwarded({ url, headers }: IncomingMessage, res: ServerResponse): Promise<void> {
  const response = await fetch(`${zw.url}${url}`, { headers: { authorization: headers.authorization ?? "" } });
  res.writeHead(response.status, { "content-type": "application/json" }).end(await response.text());
}

test("audit refuses bad times, ids and limits, and tokens that may not read the trail", async () => {
  const refused = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await cli.run(["audit", ...args], { env });
    expect([args, exitCode, stdout]).toEqual([args, 1, ""]);
    return stderr;
  };
  for (const time of ["yesterday", "2027-02-30", "2027-03-01T12:00", "2027-03-01T25:00:00Z", "7y"])
    expect(await refused("--from", time)).toMatch(/^--from must be a day such as 2027-03-01, [^\n]+\.\n$/);
  expect(await refused("--target", "www")).toBe("--target must be an id, as --json shows it.\n");
  expect(await refused("--limit", "0")).toBe("--limit must be at least 1.\n");
  expect(await refused("--domain", "missing.example")).toContain("There is no domain missing.example");
  expect(await refused("export", "--format", "xml")).toContain("csv, jsonl");
  expect(await refused("--before", zone)).toContain("--before must be the id of an entry of the trail.");
  const without = await cli.run(["audit", "export"]);
  expect(without).toMatchObject({ exitCode: 1, stdout: "" });
  expect(without.stderr).toContain("audit:read");
});
