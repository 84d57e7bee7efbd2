import { execFileSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { domainWith, useCli } from "../support/cli.ts";
import { startCloudflare } from "../support/vendors/cloudflare/server.ts";
import { failure, startDigitalOcean } from "../support/vendors/digitalocean/server.ts";
import type { VendorCall } from "../support/vendors/loopback-vendor.ts";
import { proxyOf } from "../support/proxy.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
const cli = useCli(zw);

interface Report {
  changes: { action: string; before: { value: string } | null; after: { value: string } | null }[];
  applied: boolean;
  revision: number | null;
  failed: { name: string; error: string }[];
  request: number | null;
}

const start = "@ 300 IN NS ns1.example.net.\nwww 300 IN A 192.0.2.1\nmail 300 IN A 192.0.2.25\n";

/** A domain with three records. */
const zone = async (name: string, zonefile = start) => await domainWith(zw, name, zonefile);

describe("zone files", () => {
  test("are exported, and imported again they change nothing", async () => {
    const name = await zone("files.example");
    const exported = await cli.must(["export", name]);
    expect(exported).toContain("$ORIGIN files.example.");
    const [answer, noFile] = [await cli.json<{ content: string }>(["export", name]), { domain: name, file: null }];
    expect(answer).toEqual({
      ...noFile,
      format: "zonefile",
      content: expect.stringContaining("$ORIGIN files.example."),
    });
    const csv = join(cli.configFolder, "files.csv");
    const written = await cli.json(["export", name, "--format", "csv", "--output", csv]);
    expect(written).toEqual({ domain: name, format: "csv", file: csv, content: null });
    expect(await readFile(csv, "utf8")).toBe(await cli.must(["export", name, "--format", "csv"]));
    expect(await cli.json<Report>(["import", name, "-", "--replace"], { input: exported })).toMatchObject({
      changes: [],
      applied: false,
    });
    const file = join(cli.configFolder, "files.zone");
    expect(await cli.run(["export", name, "--revision", "0", "-o", file])).toMatchObject({
      stderr: `Wrote ${file}.\n`,
    });
    expect(await readFile(file, "utf8")).not.toContain("www");
  });

  test("with an error change nothing and name its line; replacing all needs --force, and exits with 3 without", async () => {
    const name = await zone(
      "import.example",
      `${start}${Array.from({ length: 9 }, (_, at) => `h${at} 300 IN A 192.0.2.3\n`).join("")}`,
    );
    const broken = await cli.run(["import", name, "-"], { input: "ok 300 IN A 192.0.2.1\nbad 300 IN A x\n" });
    expect(broken).toMatchObject({ exitCode: 1, stdout: "" });
    expect(broken.stderr).toMatch(/line 2/i);
    const input = "@ 300 IN NS ns1.example.net.\nwww 300 IN A 192.0.2.1\n";
    const refused = await cli.run(["import", name, "-", "--replace", "--yes"], { input });
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toMatch(/more than 30 %\. Review the plan, then repeat the command with `?--force`?\.\n$/);
    const forced = await cli.json<Report>(["import", name, "-", "--replace", "--yes", "--force"], { input });
    expect(forced).toMatchObject({ applied: true, revision: 2 });
    expect(forced.changes.map(({ action }) => action)).toEqual(Array.from({ length: 10 }, () => "delete"));
    expect((await cli.run(["import", name, "/no/such.zone"])).stderr).toBe(
      "/no/such.zone does not exist. Check the path: there is no folder /no.\n",
    );
    expect((await cli.run(["import", name, "-"])).stderr).toBe(
      "The standard input is empty. Pipe a zone file into it.\n",
    );
    expect((await cli.run(["import", name, "/dev/null"])).stderr).toBe(
      "/dev/null is empty. Check that it was written.\n",
    );
    expect((await cli.run(["import", name, "/tmp"])).stderr).toBe("/tmp is a folder. Name a file in it.\n");
    expect((await cli.run(["export", name, "--revision", "99"])).stderr).toMatch(/^`revision` must be at most 2, /);
  });
});

test("an error names the argument, option or file that is wrong, and no field of the API that says nothing here", async () => {
  const name = await zone("wrong.example");
  const says = async (...args: string[]) => (await cli.run(args)).stderr;
  const add = ["records", "add", name, "www"];
  expect(await says(...add, "A", "192.0.2.1")).toBe("www has this A record already: 192.0.2.1.\n");
  expect(await says("records", "add", name, "www.other.org.", "A", "192.0.2.1")).toMatch(
    /^The name "www\.other\.org\." /,
  );
  expect(await says(...add, "BAD", "x")).toMatch(/^The type must be a record type: /);
  expect(await says(...add, "AAAA", "2001:db8::1", "--request", "")).toBe("The title must not be empty.\n");
  await cli.must(["records", "set", name, "mail", "A", "192.0.2.26"]);
  expect(await says("history", "undo", name, "1")).toMatch(/^mail A 192\.0\.2\.25 was changed since/);
  expect(await says("history", name, "--limit", "0")).toBe("--limit must be a whole number from 1 to 100.\n");
  expect(await says("records", name, "--at", "99")).toBe("--at must be at most 2, the current revision.\n");
  expect(await says("requests", "--state", "done")).toMatch(/^--state must be open, /);
  expect(await says("replace", "show", "x")).toMatch(/^The job must be an id, /);
  const [folder, empty] = [join(cli.configFolder, "no/such"), join(cli.configFolder, "empty.csv")];
  expect(await says("export", name, "--output", join(folder, "a.zone"))).toBe(
    `${join(folder, "a.zone")} does not exist. Check the path: there is no folder ${folder}.\n`,
  );
  await writeFile(empty, "");
  expect(await says("export", name, "--output", join(empty, "a.zone"))).toBe(
    `${join(empty, "a.zone")} is not in a folder. Check the path.\n`,
  );
  expect(await says("portfolio", "import", empty)).toBe(`${empty} is empty. Check that it was written.\n`);
  const added = await cli.run(["domains", "add", "first.example", name, "third.example"]);
  expect(added).toMatchObject({ exitCode: 1, stdout: "Added first.example with 0 records.\n" });
  expect(added.stderr).toBe(`${name}: This domain already exists. Not added: third.example.\n`);
});

test("what a provider changed is shown by drift, which exits with 2, and taken over by sync or undone there by push", async () => {
  const name = await zone("drift.example");
  const file = join(zw.dataDir, "zones/drift.example.zone");
  expect(await cli.run(["drift", name])).toEqual({ exitCode: 0, stdout: "drift.example: no changes\n", stderr: "" });
  await writeFile(file, (await readFile(file, "utf8")).replace("192.0.2.25", "192.0.2.26"));
  const patch = "drift.example: 1 to update\n~ mail 300 A 192.0.2.25 → 192.0.2.26\n";
  expect(await cli.run(["drift", name])).toEqual({ exitCode: 2, stdout: patch, stderr: "" });
  const { stdout } = await cli.run(["drift", name, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    domains: [{ domain: name, error: null, changes: [{ action: "update" }] }],
  });
  expect(await cli.run(["sync", name, "--dry-run"])).toEqual({ exitCode: 2, stdout: patch, stderr: "" });
  expect(await cli.must(["sync", name])).toBe(`${patch}Applied as revision 2.\n`);
  expect(await cli.json<Report>(["sync", name])).toMatchObject({ changes: [], applied: false });
  await writeFile(file, (await readFile(file, "utf8")).replace("192.0.2.26", "192.0.2.27"));
  const back = "drift.example: 1 to update\n~ mail 300 A 192.0.2.27 → 192.0.2.26\n";
  expect(await cli.run(["push", name, "--dry-run"])).toEqual({ exitCode: 2, stdout: back, stderr: "" });
  expect(await cli.must(["push", name])).toBe(`${back}Applied as revision 4.\n`);
  expect(await readFile(file, "utf8")).toContain("192.0.2.26");
  expect(await cli.json<Report>(["push", name])).toMatchObject({ changes: [], applied: false });
  expect(await cli.must(["drift"])).toBe("No domain differs from its provider.\n");
});

test("drift compares all named domains although one cannot be read, says which, and exits with 1", async () => {
  for (const name of ["unread.example", "read.example"]) await zone(name);
  await rm(join(zw.dataDir, "zones/unread.example.zone"));
  const args = ["drift", "unread.example", "read.example", "absent.example"];
  const shown = await cli.run(args);
  expect(shown).toMatchObject({ exitCode: 1, stdout: "read.example: no changes\n" });
  expect(shown.stderr).toMatch(/^unread\.example: .+\.\nabsent\.example: There is no domain absent\.example, .+\n$/);
  const { exitCode, stdout } = await cli.run([...args, "--json"]);
  expect({ exitCode, ...(JSON.parse(stdout) as object) }).toEqual({
    exitCode: 1,
    domains: [
      { domain: "unread.example", error: expect.any(String), changes: null },
      { domain: "read.example", error: null, changes: [] },
      { domain: "absent.example", error: expect.any(String), changes: null },
    ],
  });
});

test("a snapshot is taken, compared with now and with another, and rolled back to by number or from a list", async () => {
  const name = await zone("snapshot.example");
  expect(await cli.must(["snapshot", name])).toMatch(/^Took snapshot 2 of snapshot\.example: 3 records\.\n$/);
  await cli.must(["records", "set", name, "www", "A", "192.0.2.9"]);
  const taken = await cli.json<{ version: number; records: null }>(["snapshot", name, "--name", "Before the move"]);
  expect(taken).toMatchObject({ version: 3, name: "Before the move", records: null });
  const changed = `${name}: 1 to update\n~ www 300 A 192.0.2.1 → 192.0.2.9\n`;
  expect(await cli.must(["diff", name, "2"])).toBe(changed);
  expect(await cli.must(["diff", name, "2", "3"])).toBe(changed);
  expect(await cli.json(["diff", name, "2"])).toMatchObject({ domain: name, changes: [{ action: "update" }] });
  expect(await cli.must(["snapshot", "list", name], { columns: 80 })).toMatch(
    /^snapshot {2}taken \(UTC\) {7}records {2}trigger {4}name\n {7}3 {2}\S+ \S+ {8}3 {2}manual {5}Before the move\n/,
  );
  // Deleted and created again, the record is as it was.
  const before = await cli.must(["diff", name, "3"]);
  await cli.must(["records", "rm", name, "mail", "A", "--yes"]);
  await cli.must(["records", "add", name, "mail", "A", "192.0.2.25", "--ttl", "300"]);
  expect([before, await cli.must(["diff", name, "3"])]).toEqual([`${name}: no changes\n`, `${name}: no changes\n`]);
  expect(await cli.json(["snapshot", "list", name])).toMatchObject({ total: 3 });
  const listed = await cli.run(["rollback", name], { columns: 80, input: "9\n2\ny\n" });
  expect(listed.stderr).toMatch(/ 1 {2}snapshot 3, .*Before the move\n {2}2 {2}snapshot 2, .*3 records\n/);
  expect(listed).toMatchObject({
    exitCode: 0,
    stdout: `${name}: 1 to update\n~ www 300 A 192.0.2.9 → 192.0.2.1\nApplied as revision 5.\n`,
  });
  expect(await cli.json<Report>(["rollback", name, "3", "--yes"])).toMatchObject({ applied: true });
  expect((await cli.run(["rollback", name])).stderr).toBe(
    `Name a snapshot by its number: zonewright rollback ${name} <snapshot>.\n`,
  );
  expect((await cli.run(["rollback", name, "99"])).stderr).toBe(
    `${name} has no snapshot 99. \`zonewright snapshot list ${name}\` lists them.\n`,
  );
});

test("a rollback that needs --force is refused with 3 before a question that no answer would help", async () => {
  const name = await zone("emptied.example");
  const rolled = await cli.run(["rollback", name, "1"], { columns: 200, input: "y\n" });
  const advice = "Review the plan, then repeat the command with `--force`.";
  expect(rolled).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(`${advice} Nothing was changed.\n`) });
  expect(rolled.stderr).not.toContain("Apply?");
  expect(await cli.must(["rollback", name, "1", "--force"], { columns: 200, input: "y\n" })).toContain("Applied");
});

/** A domain at a provider that changes record by record. */
async function atDigitalOcean(name: string) {
  const vendor = await startDigitalOcean();
  onTestFinished(() => vendor.stop());
  const config = { token: vendor.token, endpoint: vendor.url };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "digitalocean", name: `Of ${name}`, config });
  await zw.admin.post("/api/domains", { name, providerConfigId: (body as { id: string }).id });
  return vendor;
}

const sendsAddress = ({ method, body }: VendorCall) => method !== "GET" && body.includes("192.0.2.");

test("a rollback or push that the provider refuses whole is reported as such, and nobody else's revision is offered to be undone", async () => {
  const name = "refused.example";
  const vendor = await atDigitalOcean(name);
  await cli.must(["records", "add", name, "ours", "A", "192.0.2.1"]);
  const { version } = await cli.json<{ version: number }>(["snapshot", name]);
  await cli.must(["records", "set", name, "ours", "A", "192.0.2.50"]);
  const refuse = () => {
    vendor.failNext({ after: false, reply: failure(422, "unprocessable_entity", "Data is invalid") }, 1, sendsAddress);
  };
  refuse();
  const rolled = await cli.run(["rollback", name, String(version)], { columns: 110, input: "y\n" });
  expect(rolled).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/192\.0\.2\.1\nNothing was applied\.\n$/),
  });
  expect(rolled.stderr).toContain("Not changed: ours A: ");
  expect(rolled.stderr).not.toContain("To undo it");
  refuse();
  const { exitCode, stdout } = await cli.run(["rollback", name, String(version), "--yes", "--json"]);
  expect({ exitCode, ...(JSON.parse(stdout) as Report) }).toMatchObject({
    exitCode: 1,
    applied: false,
    revision: null,
    failed: [{ recordType: "A", name: "ours", error: expect.stringContaining("Data is invalid") }],
  });
  vendor.clear(name, "ours");
  refuse();
  const pushed = await cli.run(["push", name, "--yes"], { columns: 110 });
  expect(pushed).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/\nNothing was applied\.\n$/) });
  expect(pushed.stderr).not.toContain("To undo it");
});

test("a change whose outcome the server does not know yet is called unknown, not refused", async () => {
  const name = "silent.example";
  const vendor = await atDigitalOcean(name);
  const folder = join(cli.configFolder, "silent");
  await mkdir(folder);
  await writeFile(join(folder, `${name}.zone`), "www 60 IN A 192.0.2.1\n");
  let isSent = false;
  const sends = ({ method }: VendorCall) => (isSent ||= method !== "GET");
  vendor.failNext({ after: true, reply: null }, 1, sends);
  vendor.failNext({ after: false, reply: null }, 30, ({ method }) => isSent && method === "GET");
  const applied = await cli.run(["apply", folder, "--yes", "--ignore", "@/NS"]);
  expect(applied.exitCode).toBe(1);
  expect(applied.stderr).toContain(`${name}: outcome unknown. `);
  expect(applied.stderr).toContain(`\`zonewright history ${name}\` shows whether it was applied.\n`);
});

test("the revision that a change made is named, whatever others do meanwhile, and takes no second call", async () => {
  const name = await zone("race.example");
  const { domains } = (await zw.admin.get(`/api/domains?name=${name}`)).body as { domains: { id: string }[] };
  let others = 0;
  const url = await proxyOf(zw, async (call, forward) => {
    if (call.includes("domains.get")) return null;
    if (!/importZonefile|domains\.push|snapshots\.rollback|domains\.sync/.test(call)) return undefined;
    const answer = await forward();
    const record = { recordType: "A", name: `other${++others}`, value: "192.0.2.77" };
    // A dry run is answered with a hash.
    if (answer.text.includes('"planHash":null')) await zw.admin.post(`/api/domains/${domains[0]?.id}/records`, record);
    return answer;
  });
  const revisionOf = async (args: string[], input = "") =>
    (await cli.json<Report>([...args, "--yes", "--force"], { env: { ZONEWRIGHT_URL: url }, input })).revision;
  const file = join(zw.dataDir, `zones/${name}.zone`);
  const drift = async (from: string, to: string) => {
    await writeFile(file, (await readFile(file, "utf8")).replace(from, to));
  };
  expect(await revisionOf(["import", name, "-"], "new 300 IN A 192.0.2.2\n")).toBe(2);
  await drift("192.0.2.25", "192.0.2.26");
  expect(await revisionOf(["sync", name])).toBe(4);
  await drift("192.0.2.26", "192.0.2.27");
  // A push first stores what the provider had.
  expect(await revisionOf(["push", name])).toBe(7);
  expect(await revisionOf(["rollback", name, "2"])).toBe(9);
  const folder = join(cli.configFolder, "race");
  await mkdir(folder);
  await writeFile(join(folder, `${name}.zone`), start);
  const args = ["apply", folder, "--yes", "--force"];
  expect(await cli.must(args, { env: { ZONEWRIGHT_URL: url } })).toContain(`${name}: applied as revision 11, `);
});

test("two domains are compared", async () => {
  const [one, other] = [await zone("one.example"), await zone("other.example", "www 300 IN A 192.0.2.1\n")];
  expect(await cli.must(["diff", one, "--with", other])).toBe(
    `${one}: 2 to delete\n- @ 300 NS ns1.example.net\n- mail 300 A 192.0.2.25\n`,
  );
  expect((await cli.run(["diff", one])).stderr).toBe(
    "Name a snapshot to compare from, or a domain to compare --with.\n",
  );
});

test("the health of a domain is listed, and mended where no person has to decide", async () => {
  const name = await zone(
    "health.example",
    `${start}old 30 IN CNAME gone.health.example.\nquick 30 IN A 192.0.2.1\nlists 300 IN TXT "v=spf1 mx +all"\n`,
  );
  const { stdout, exitCode } = await cli.run(["health", name]);
  expect({ stdout, exitCode }).toEqual({
    stdout:
      "error\tlists\tspf_allows_all\tThe SPF record of lists ends in +all.\tAnybody can send mail in your name, and it passes SPF.\n" +
      "warning\told\tdangling\told CNAME gone.health.example points to a name without records.\tLookups of this name fail.\n" +
      "info\t@\tttl_short\t2 records have a TTL under 60 seconds.\tResolvers ask again so often that each visit takes longer.\n",
    exitCode: 2,
  });
  const wrong = await cli.run(["health", "mend", name, "--code", "spf_allow_all", "--yes"]);
  expect(wrong.exitCode).toBe(1);
  expect(wrong.stderr).toContain("Allowed choices are zone_rule,");
  expect(await cli.json(["health", "mend", name, "--code", "spf_allows_all", "--yes"])).toMatchObject({
    applied: true,
  });
  // A short TTL may be meant.
  expect(await cli.json<Report>(["health", "mend", name, "--yes"])).toMatchObject({
    changes: [{ action: "delete" }],
    applied: true,
  });
  expect(await cli.json(["health", "mend", name])).toMatchObject({ changes: [], applied: false });
  expect(await cli.json<Report>(["health", "mend", name, "--code", "ttl_short", "--yes"])).toMatchObject({
    changes: [{ action: "update" }],
    applied: true,
  });
  expect(await cli.json(["health", "check", name])).toMatchObject({ total: 0, faults: [] });
  const single = await zone("sound.example", "www 300 IN A 192.0.2.1\n");
  expect((await cli.run(["health", single], { columns: 80 })).stderr).toBe("Nothing is wrong in 1 record.\n");
});

test("faults are not mended if the zone has changed since it was checked", async () => {
  const name = await zone("moving.example", 'lists 300 IN TXT "v=spf1 mx +all"\n');
  const { body } = await zw.admin.get(`/api/domains?name=${name}`);
  const [domain] = (body as { domains: { id: string }[] }).domains;
  const { body: listed } = await zw.admin.get(`/api/domains/${domain?.id}/records`);
  const [record] = (listed as { records: { id: string }[] }).records;
  const value = "v=spf1 mx include:new.example +all";
  const proxy = createServer((request, response) => {
    void (async () => {
      const { url = "", method = "GET" } = request;
      // Somebody adds a sender between the check and the mending.
      if (url.includes("records.plan"))
        await zw.admin.put(`/api/domains/${domain?.id}/records/${record?.id}`, { value });
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const answer = await fetch(`${zw.url}${url}`, {
        method,
        headers: { authorization: request.headers.authorization ?? "", "content-type": "application/json" },
        ...(method === "GET" ? {} : { body: Buffer.concat(chunks) }),
      });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const { exitCode, stderr } = await cli.run(["health", "mend", name, "--yes"], { env: { ZONEWRIGHT_URL: url } });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: `Nothing was changed: ${name} has changed since it was checked. Run the command again.\n`,
  });
  expect(await cli.must(["records", name])).toContain(value);
});

test("what one mending leaves is counted", async () => {
  const records = Array.from({ length: 60 }, (_, at) => `old${at} 300 IN CNAME gone.left.example.\n`);
  const name = await zone("left.example", records.join(""));
  expect((await cli.run(["health", "mend", name, "--yes", "--force"])).stderr).toContain(
    "10 faults are left. To mend more, run the command again.",
  );
});

test("the history lists and shows each change, and undoes one", async () => {
  const name = await zone("history.example");
  await cli.must(["records", "add", name, "api", "A", "192.0.2.8", "-m", "New API"]);
  expect(await cli.must(["history", name], { columns: 80 })).toMatch(
    /^revision {2}when \(UTC\) {8}who {4}how {5}changes {3}why\n {7}2 {2}\S+ \S+ {2}admin {2}edit {4}\+1 ~0 -0 {2}New API\n/,
  );
  expect(await cli.json(["history", name])).toMatchObject({ total: 2, entries: [{ revision: 2 }, { revision: 1 }] });
  expect(await cli.must(["history", "show", name, "2"])).toMatch(
    /why\tNew API\nhistory\.example: 1 to create\n\+ api 3600 A 192\.0\.2\.8\n$/,
  );
  expect(await cli.json(["history", "show", name, "2"])).toMatchObject({
    changes: [{ action: "create", before: null }],
  });
  expect(await cli.json<Report>(["history", "undo", name, "2", "--yes"])).toMatchObject({ applied: true, revision: 3 });
  expect(await cli.must(["records", name, "--name", "api"])).toBe("");
  expect((await cli.run(["history", "undo", name, "77", "--yes"])).stderr).toBe(
    `No change of ${name} made revision 77. \`zonewright history ${name}\` lists them.\n`,
  );
});

test("a value is found and replaced in all domains, and the replacement undone", async () => {
  for (const name of ["east.example", "west.example"]) await zone(name, "srv 300 IN A 198.51.100.1\n");
  expect(await cli.must(["search", "198.51.100.1"])).toBe(
    "east.example\tsrv\t300\tA\t198.51.100.1\nwest.example\tsrv\t300\tA\t198.51.100.1\n",
  );
  expect(await cli.json(["search", "--value", "198.51.100.1", "--type", "A"])).toMatchObject({
    total: 2,
    totalIsExact: true,
  });
  expect((await cli.run(["search"])).stderr).toBe("Name a text to search for, or a --value.\n");
  const work = setInterval(() => void zw.services.batches.run().catch(() => undefined), 100);
  onTestFinished(() => clearInterval(work));
  const replace = ["replace", "A", "198.51.100.1", "198.51.100.7"];
  const planned = await cli.run([...replace, "--dry-run"]);
  expect(planned).toMatchObject({
    exitCode: 2,
    stdout:
      "east.example: 1 to update\n~ srv 300 A 198.51.100.1 → 198.51.100.7\nwest.example: 1 to update\n~ srv 300 A 198.51.100.1 → 198.51.100.7\n",
  });
  expect((await cli.run([...replace, "--ttl", "10m", "--dry-run"])).stdout).toContain("→ 600 198.51.100.7\n");
  expect((await cli.run([...replace, "--ttl", "soon"])).stderr).toMatch(
    /^--ttl must be seconds, such as 300, or have a unit/,
  );
  expect((await cli.run(replace)).stderr).toContain(
    "This changes 2 records in 2 domains. Add --yes to do it without a question.",
  );
  const done = await cli.run([...replace, "--yes"]);
  expect(done.stdout).toMatch(/\ndone: 2 changed\n$/);
  const [, job = ""] = /zonewright replace undo (\S+)/.exec(done.stderr) ?? [];
  expect(await cli.must(["replace", "show", job])).toBe("done: 2 changed\n");
  expect(await cli.json(["replace", "stop", job])).toMatchObject({ state: "done" });
  const undoing = await cli.run(["replace", "undo", job, "--dry-run"]);
  expect(undoing).toEqual({ exitCode: 2, stdout: "This undoes the changes of 2 domains.\n", stderr: "" });
  const { exitCode, stdout } = await cli.run(["replace", "undo", job, "--dry-run", "--json"]);
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ jobId: job, progress: { done: 2 }, domains: [{}, {}] });
  expect(await cli.must(["replace", "undo", job, "--yes"])).toBe("done: 2 changed\n");
  const { job: again } = await cli.json<{ job: object }>([...replace, "--domain", "east.example", "--yes"]);
  expect(again).toMatchObject({ state: "done", progress: { domains: 1, done: 1 } });
  expect(await cli.must(["replace", "A", "203.0.113.99", "203.0.113.1"])).toBe(
    "No domain that you may change has this value.\n",
  );
  const refused = await cli.run(["replace", "A", "198.51.100.7", "198.51.100.7", "--ttl", "automatic"]);
  expect(refused.stderr).toContain("has no automatic TTL.\n");
  expect(refused.stdout).toMatch(/\nNothing to change\.\n$/);
});

test("a template is listed, shown, and applied by a plan", async () => {
  const name = await zone("template.example");
  const { templates } = await cli.json<{ templates: { providerId: string; serviceId: string; variables: string[] }[] }>(
    ["templates"],
  );
  const plain = templates.find(({ variables }) => variables.length === 0);
  const template = `${plain?.providerId}/${plain?.serviceId}`;
  expect(await cli.must(["templates", "--search", plain?.serviceId ?? ""])).toContain(`${template}\t`);
  expect(await cli.must(["templates", "show", template])).toContain(`template\t${template}\n`);
  expect(await cli.run(["templates", "apply", name, template, "--dry-run"])).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining(`${name}: `) as string,
  });
  expect(await cli.json<Report>(["templates", "apply", name, template, "--yes"])).toMatchObject({ applied: true });
  expect((await cli.run(["templates", "apply", name, "no/such"])).stderr).toBe(
    "There is no template no/such. `zonewright templates` lists them.\n",
  );
  expect((await cli.run(["templates", "apply", name, template, "--set", "x"])).stderr).toBe(
    "--set takes a variable and its value: --set x=…\n",
  );
});

test("a change whose answer is lost is reported as unknown, with where to look, whichever command made it", async () => {
  const name = await zone("unanswered.example");
  await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Elsewhere", config: {} });
  await cli.must(["records", "add", name, "asked", "A", "192.0.2.1", "--request", "Unanswered"]);
  const { requests } = await cli.json<{ requests: { number: number }[] }>(["requests", "--domain", name]);
  const number = String(requests[0]?.number);
  const lost = [
    ["domains.create", ["domains", "add", "new.example"], "`zonewright domains show new.example`"],
    ["domains.update", ["domains", "move", name, "--to", "Elsewhere", "--yes"], `\`zonewright domains show ${name}\``],
    ["dnssec.set", ["dnssec", "enable", name], `\`zonewright dnssec check ${name}\``],
    ["snapshots.create", ["snapshot", name], `\`zonewright snapshot list ${name}\``],
    ["changeRequests.applyRequest", ["requests", "apply", number, "--yes"], `\`zonewright requests show ${number}\``],
    ["changeRequests.withdraw", ["requests", "withdraw", number, "--yes"], `\`zonewright requests show ${number}\``],
  ] as const;
  for (const [procedure, args, look] of lost) {
    const url = await proxyOf(zw, (call) =>
      Promise.resolve(call.includes(procedure) ? { status: 504, text: "<html>504</html>" } : undefined),
    );
    const { exitCode, stderr } = await cli.run(args, { env: { ZONEWRIGHT_URL: url } });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining(`Outcome unknown. HTTP 504 from ${url}/trpc/${procedure} is not`),
    });
    expect(stderr).toContain(look);
  }
});

test("domains that were added are in the JSON although a later one is refused", async () => {
  const { exitCode, stdout } = await cli.run(["domains", "add", "twice.example", "twice.example", "--json"]);
  expect({ exitCode, added: JSON.parse(stdout) as unknown }).toMatchObject({
    exitCode: 1,
    added: { domains: [{ name: "twice.example" }] },
  });
});

test("shells complete commands and options", async () => {
  const bash = await cli.must(["completion", "bash"]);
  const complete = `${bash}
COMP_WORDS=(zonewright records ad); COMP_CWORD=2; _zonewright; echo "\${COMPREPLY[@]}"
COMP_WORDS=(zonewright records example.com --ty); COMP_CWORD=3; _zonewright; echo "\${COMPREPLY[@]}"
COMP_WORDS=(zonewright records add example.com --pro); COMP_CWORD=4; _zonewright; echo "\${COMPREPLY[@]}"`;
  expect(execFileSync("bash", ["-c", complete], { encoding: "utf8" })).toBe("add\n--type\n--proxied\n");
  expect(await cli.json(["completion", "bash"])).toEqual({ shell: "bash", script: bash });
  expect(await cli.must(["completion", "zsh"])).toContain("'watch:Show events as they happen'");
  expect(await cli.must(["completion", "fish"])).toContain(
    "complete -c zonewright -n '__fish_seen_subcommand_from records; and not __fish_seen_subcommand_from list add set rm edit' -f -a add -d 'Add records'\n",
  );
  expect((await cli.run(["completion", "tcsh"])).stderr).toContain("Allowed choices are bash, zsh, fish.");
});

test("DNSSEC is turned on, its DS records are published, and it is not turned off while they are there", async () => {
  const signer = await startCloudflare();
  onTestFinished(() => signer.stop());
  const { token: apiToken, accountId, url: endpoint } = signer;
  const config = { kind: "cloudflare", name: "Signer", config: { apiToken, accountId, endpoint } };
  const { body } = await zw.admin.post("/api/provider-configs", config);
  await zw.admin.post("/api/domains", { name: "shop.corp.example", providerConfigId: body.id });
  const shown = await cli.run(["dnssec", "enable", "shop.corp.example"]);
  const ds = /^DS records to publish\t(\d+ 13 2 [\da-f]{64})$/m.exec(shown.stdout)?.[1] ?? "";
  expect(ds).not.toBe("");
  const publish = ["dnssec", "publish-ds", "shop.corp.example"];
  expect(await cli.must(publish)).toContain(`or in the parent zone: ${ds}.`);
  const { body: parent } = await zw.admin.post("/api/domains", { name: "corp.example" });
  const delegation = { recordType: "NS", name: "shop", value: "ns.example.net" };
  await zw.admin.post(`/api/domains/${parent.id}/records`, delegation);
  const planned = await cli.run([...publish, "--dry-run"]);
  expect(planned).toMatchObject({
    exitCode: 2,
    stdout: `DS records in corp.example\tnone\nDS records afterwards\t${ds}\n`,
  });
  expect((await cli.run(publish)).stderr).toContain("Add --yes");
  expect(await cli.run(publish, { columns: 80, input: "n\n" })).toMatchObject({ exitCode: 1 });
  expect(await cli.json([...publish, "--yes", "-m", "CHG-2"])).toMatchObject({ applied: true, after: [ds] });
  const off = ["dnssec", "disable", "shop.corp.example"];
  expect((await cli.run(off)).stderr).toContain("This deletes the keys of shop.corp.example.");
  expect(await cli.run(off, { columns: 80, input: "n\n" })).toMatchObject({ exitCode: 1 });
  expect((await cli.run([...off, "--yes"])).stderr).toContain("The zone corp.example has DS records");
});
