import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { builtCli, useCli } from "../support/cli.ts";
import { programEnv } from "../support/programs.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const cli = useCli(zw);

/** A repository of zones, one in each format, and a view. */
const repository = {
  "shop.example.zone":
    "$TTL 300\n@ IN NS ns1.example.net.\n@ IN MX 10 mail\nmail IN A 192.0.2.25\nwww IN A 192.0.2.1\n",
  "shop.example!internal.zone": "$TTL 300\nwww IN A 10.0.0.1\n",
  "blog.example.yaml":
    "---\n'':\n  ttl: 300\n  type: A\n  value: 192.0.2.2\nwww:\n  ttl: 300\n  type: CNAME\n  value: blog.example.\n",
  "park.example.csv": "name,type,ttl,value\n@,A,300,192.0.2.3\n",
  "terraform/main.tf":
    'resource "powerdns_record" "www" {\n  zone    = "infra.example."\n  name    = "www.infra.example."\n  type    = "A"\n  ttl     = 300\n  records = ["192.0.2.4"]\n}\n',
  "README.md": "# Zones\n",
  "production.yaml": "providers: {}\n",
};
const domains = ["blog.example", "infra.example", "park.example", "shop.example", "shop.example!internal"];

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-zones-"));
  for (const [file, text] of Object.entries(repository)) await write(file, text);
  for (const name of domains) await zw.admin.post("/api/domains", { name, ...(await byHand()) });
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  const { body } = await zw.admin.get("/api/domains?limit=100");
  for (const { id } of (body as { domains: { id: string }[] }).domains) await zw.admin.delete(`/api/domains/${id}`);
});

async function write(file: string, text: string): Promise<void> {
  await mkdir(join(folder, file, ".."), { recursive: true });
  await writeFile(join(folder, file), text);
}

let manual: string | null = null;
/** Zones that no provider holds. */
async function byHand(): Promise<{ providerConfigId: string }> {
  const { body } = await zw.admin.get("/api/provider-configs");
  manual =
    (body as { configs: { id: string; name: string }[] }).configs.find(({ name }) => name === "By hand")?.id ?? null;
  manual ??= (
    (await zw.admin.post("/api/provider-configs", { kind: "manual", name: "By hand", config: {} })).body as {
      id: string;
    }
  ).id;
  return { providerConfigId: manual };
}

async function linesOf(domain: string): Promise<string[]> {
  return (await cli.must(["records", domain]))
    .trim()
    .split("\n")
    .filter((line) => line !== "");
}

/** Passes a call on to the service. The answer to one that applies a file is lost. */
async function passedOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "GET", url = "", headers } = request;
  const { authorization = "", "content-type": type = "application/json" } = headers;
  const body = await textOf(request);
  const answer = await fetch(`${zw.url}${url}`, {
    method,
    headers: { authorization, "content-type": type },
    ...(body === "" ? {} : { body }),
  });
  const answered = await answer.text();
  if (url.includes("importZonefile") && !body.includes('"dryRun":true')) response.destroy();
  else response.writeHead(answer.status, { "content-type": "application/json" }).end(answered);
}

/** Deletes a domain; its zone at the provider stays. */
async function forgetDomain(name: string): Promise<void> {
  const { body } = await zw.admin.get(`/api/domains?name=${name}`);
  for (const { id } of (body as { domains: { id: string }[] }).domains) await zw.admin.delete(`/api/domains/${id}`);
}

/** A host of a zone that another Terraform file declares. */
function terraformHost(host: string, value: string): string {
  const attributes = ["zone_id = aws_route53_zone.main.zone_id", `name = "${host}"`, 'type = "A"', "ttl = 300"];
  const lines = [...attributes, `records = [${value}]`].map((line) => `  ${line}`);
  return [`resource "aws_route53_record" "${host}" {`, ...lines, "}", ""].join("\n");
}

describe("zonewright plan", () => {
  test("shows what files of every format would change, and exits with 2", async () => {
    const { exitCode, stdout, stderr } = await cli.run(["plan", folder]);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 2,
      stdout: `blog.example: 2 to create
+ @ 300 A 192.0.2.2
+ www 300 CNAME blog.example
infra.example: 1 to create
+ www 300 A 192.0.2.4
park.example: 1 to create
+ @ 300 A 192.0.2.3
shop.example: 4 to create
+ @ 300 MX 10 mail.shop.example
+ @ 300 NS ns1.example.net
+ mail 300 A 192.0.2.25
+ www 300 A 192.0.2.1
shop.example!internal: 1 to create
+ www 300 A 10.0.0.1
5 of 5 zones would change: 9 to create.
`,
    });
    expect(stderr).toContain("production.yaml is skipped: its name is not that of a domain, and it names no zone.\n");
  });

  test("Terraform files of a folder are read together, and a line is named with its file", async () => {
    await write("module/zones.tf", 'resource "aws_route53_zone" "main" {\n  name = "infra.example"\n}\n');
    await write("module/hosts.tf", terraformHost("www", '"192.0.2.4"'));
    await write("module/mail.tf", terraformHost("mail", '"192.0.2.25"'));
    const shown = await cli.run(["plan", join(folder, "module")]);
    expect(shown).toMatchObject({
      exitCode: 2,
      stdout:
        "infra.example: 2 to create\n+ mail 300 A 192.0.2.25\n+ www 300 A 192.0.2.4\n1 of 1 zone would change: 2 to create.\n",
    });
    // What else is in the folder is compared by itself, without a warning.
    await write("module/shop.tf", 'resource "aws_route53_zone" "shop" {\n  name = "shop.example"\n}\n');
    await write("module/more.tf", terraformHost("shop", '"192.0.2.9"').replace("zone.main.", "zone.shop."));
    const both = await cli.run(["plan", join(folder, "module")]);
    expect({ stdout: both.stdout.split("\n").at(-2), stderr: both.stderr }).toEqual({
      stdout: "2 of 2 zones would change: 3 to create.",
      stderr: "",
    });
    await write("module/mail.tf", `# Mail\n${terraformHost("mail", "var.address")}`);
    const refused = await cli.run(["plan", join(folder, "module")]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(/\/module: mail\.tf, line [2-7]: .*var\.address/);
  });

  test("after apply, and after export in each format, there is nothing to do", async () => {
    expect(await cli.must(["apply", folder, "--yes", "--message", "First"])).toContain("5 of 5 zones applied.\n");
    expect(await cli.run(["plan", folder])).toMatchObject({ exitCode: 0, stdout: "5 zones, no changes.\n" });
    for (const [format, end] of [
      ["octodns", "yaml"],
      ["csv", "csv"],
      ["tsv", "tsv"],
      ["terraform", "tf"],
      ["zonefile", "zone"],
    ] as const) {
      const file = join(folder, format, `shop.example.${end}`);
      await mkdir(join(folder, format), { recursive: true });
      await cli.must(["export", "shop.example", "--format", format, "--output", file]);
      expect(await cli.run(["plan", file])).toMatchObject({ exitCode: 0, stdout: "1 zone, no changes.\n" });
    }
    expect(await cli.must(["history", "shop.example"])).toContain("First");
  });

  test("prints every change with before and after for programs, and Markdown for a merge request", async () => {
    await cli.must(["apply", folder, "--yes"]);
    await write(
      "shop.example.zone",
      '$TTL 300\n@ IN NS ns1.example.net.\n@ IN MX 10 mail\nmail 600 IN A 192.0.2.25\nnew IN TXT "a ``` b"\n',
    );
    const printed = await cli.run(["plan", folder, "--json", "--only", "S*p.ex*e"]);
    expect(printed.exitCode).toBe(2);
    expect(JSON.parse(printed.stdout)).toMatchObject({
      zones: [
        {
          domain: "shop.example",
          file: join(folder, "shop.example.zone"),
          changes: [
            { action: "update", before: { name: "mail", ttl: 300 }, after: { name: "mail", ttl: 600 } },
            { action: "create", before: null, after: { name: "new", recordType: "TXT" } },
            { action: "delete", before: { name: "www" }, after: null },
          ],
        },
      ],
      errors: [],
      creates: 1,
      updates: 1,
      deletes: 1,
    });
    const { stdout } = await cli.run(["plan", folder, "--format", "markdown", "--only", "shop.example"]);
    expect(stdout).toBe(`<!-- zonewright plan -->
### Zonewright plan

1 of 1 zone would change: 1 to create, 1 to update, 1 to delete.

<details><summary><b>shop.example</b>: 1 to create, 1 to update, 1 to delete</summary>

\`\`\`\`diff
! mail 300 A 192.0.2.25 → 600
+ new 300 TXT a \`\`\` b
- www 300 A 192.0.2.1
\`\`\`\`

</details>
`);
    expect((await cli.run(["plan", folder, "--expect-no-changes"])).exitCode).toBe(1);
  });

  test("names the file, line and reason of each error, and apply then changes nothing anywhere", async () => {
    await write("blog.example.yaml", "www:\n  type: A\n  value: 300.0.0.1\n");
    await write("lost.example.zone", "www 300 IN A 192.0.2.1\n");
    const { exitCode, stderr, stdout } = await cli.run(["apply", folder, "--yes"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain(`${join(folder, "blog.example.yaml")}: Line 3: The A value must be`);
    expect(stderr).toContain(
      `${join(folder, "lost.example.zone")}: There is no domain lost.example, or you may not see it. Add --create to make it.\n`,
    );
    expect(stderr).toMatch(/Nothing was changed\.\n$/);
    expect(await linesOf("shop.example")).toEqual([]);
  });

  test("leaves the records of others by options and by the file beside the zones, and says how many", async () => {
    await cli.must(["apply", folder, "--yes"]);
    const lines =
      "a.dev 300 IN A 192.0.2.7\nb.dev 300 IN A 192.0.2.8\nstray 300 IN A 192.0.2.9\n_acme-challenge 60 IN TXT token\n";
    await cli.must(["import", "shop.example", "-", "--yes"], { input: lines });
    await write(".zonewrightignore", "# Developers keep these\nshop.example: a.dev/A\nblog.example: */A\n");
    const { exitCode, stdout } = await cli.run(["plan", folder, "--ignore", "b.dev/*", "--leave", "acme,keys"]);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 2,
      stdout:
        "shop.example: 1 to delete\n- stray 300 A 192.0.2.9\n1 of 5 zones would change: 1 to delete; 4 records were left to others.\n",
    });
    await cli.must(["records", "add", "shop.example", "program", "A", "192.0.2.10", "--yes"]);
    const leaving = await cli.run(["plan", folder, "--ignore", "b.dev/*", "--leave", "acme,tokens"]);
    expect(leaving.stdout).toContain("- stray 300 A 192.0.2.9\n1 of 5 zones would change: 1 to delete; 5 records");
    expect((await cli.run(["plan", folder, "--leave", "me"])).stderr).toBe(
      "--leave takes keys, tokens, external-dns, acme, with commas between them, not me.\n",
    );
  });

  test.each([
    [
      ["a.example.zone", "a.example.yaml"],
      [],
      /a\.example\.yaml and .*a\.example\.zone are both a\.example\. Keep one of them/,
    ],
    [[], ["README.md"], /README\.md is not a zone\. Its name must end in \.zone, /],
    [[], ["nowhere"], /nowhere does not exist\. Check the path\.\n$/],
    [[], [".", "--only", "other.*"], /^None of the 5 zones is called other\.\*\.\n$/m],
    [[], [".", "--allow-delete-percent", "many"], /--allow-delete-percent must be a whole number/],
    [[], ["production.yaml"], /^There are no zones in /m],
    [
      ["variables.tf"],
      ["variables.tf"],
      /variables\.tf names no zone by a literal value\. Write the zone's name in its/,
    ],
    [["bücher.example.zone", "xn--bcher-kva.example.zone"], [], /xn--bcher-kva\.example\.zone are both /],
    [[], [".", "--out", "plan.txt"], /^--out must end in \.json, such as plan\.json/],
  ])("refuses what it cannot compare in a sentence: %j %j", async (files, [path = ".", ...options], message) => {
    for (const file of files) await write(file, "");
    const { exitCode, stderr } = await cli.run(["plan", join(folder, path), ...options]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(message);
  });
});

test("a zone in two files is refused, also where one of them leaves out the only view", async () => {
  await zw.admin.post("/api/domains", { name: "one.example!internal", ...(await byHand()) });
  await write("views/one.example.zone", "www 300 IN A 192.0.2.1\n");
  await write("views/one.example!internal.zone", "www 300 IN A 192.0.2.2\n");
  const { exitCode, stderr } = await cli.run(["apply", join(folder, "views"), "--yes"]);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("are both one.example!") });
  expect(await linesOf("one.example!internal")).toEqual([]);
});

test("a classless reverse zone is a file with %2f for the slash, as export names it in a folder", async () => {
  const name = "0/25.2.0.192.in-addr.arpa";
  await zw.admin.post("/api/domains", { name, ...(await byHand()) });
  const file = join(folder, "classless/0%2F25.2.0.192.in-addr.arpa.zone");
  await write(
    "classless/0%2F25.2.0.192.in-addr.arpa.zone",
    "1 300 IN PTR host.shop.example.\n9 300 IN PTR x.example.\n",
  );
  await write("classless/.zonewrightignore", "0%2f25.2.0.192.in-addr.arpa: 9/PTR\n");
  const planned = await cli.run(["plan", join(folder, "classless")]);
  expect(planned.stdout).toBe(
    `${name}: 1 to create\n+ 1 300 PTR host.shop.example\n1 of 1 zone would change: 1 to create.\n`,
  );
  await cli.must(["apply", file, "--yes"]);
  const written = join(folder, "written");
  await mkdir(written);
  await cli.must(["export", name, "--output", written]);
  expect(await readdir(written)).toEqual(["0%2f25.2.0.192.in-addr.arpa.zone"]);
  expect((await cli.run(["plan", written])).stdout).toBe("1 zone, no changes.\n");
});

test("many files whose domains do not exist cost one list of domains, and the answer names a hundred and counts the rest", async () => {
  const names = Array.from({ length: 120 }, (_, index) => `lost${index}.example`);
  for (const name of names) await write(`${name}.zone`, "www 300 IN A 192.0.2.1\n");
  const calls: string[] = [];
  const proxy = createServer((request, response) => {
    const [, procedure = ""] = /([a-zA-Z]+\.[a-zA-Z]+)(?:[/?]|$)/.exec(request.url ?? "") ?? [];
    calls.push(procedure);
    void passedOn(request, response);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const env = { ZONEWRIGHT_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  const { exitCode, stdout, stderr } = await cli.run(["plan", folder], { env });
  // One list, then the five domains that exist.
  expect(calls.filter((name) => name === "domains.list")).toHaveLength(1 + domains.length);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 1,
    stdout: expect.stringContaining("; 120 zones could not be compared.") as string,
  });
  expect(stderr.match(/There is no domain lost\d+\.example, or you may not see it\./g)).toHaveLength(100);
  expect(stderr).toContain("\n20 more could not be compared. --json lists all of them.\n");
  const json = await cli.run(["plan", folder, "--json"]);
  expect((JSON.parse(json.stdout) as { errors: unknown[] }).errors).toHaveLength(120);
});

test("with --only, no file of another zone is read", async () => {
  await write("huge.example.zone", "");
  // Longer than what Node reads, without a block on the disk.
  await truncate(join(folder, "huge.example.zone"), 3 * 2 ** 30);
  const { exitCode, stdout, stderr } = await cli.run(["plan", folder, "--only", "park.*"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: expect.stringContaining("192.0.2.3") as string });
  expect(stderr).not.toContain("huge.example");
  const none = await cli.run(["plan", folder, "--only", "lost.example"]);
  expect(none.stderr).toContain("None of the 6 zones is called lost.example.");
  const huge = await cli.run(["plan", folder]);
  expect({ ...huge, stdout: "" }).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: expect.stringContaining(
      "huge.example.zone has 3072 MiB. The server takes zones of up to 16 MiB.",
    ) as string,
  });
});

test("a line of the ignore file may name a classless zone, whose name has a slash", async () => {
  const name = "0/25.2.0.192.in-addr.arpa";
  await zw.admin.post("/api/domains", { name, ...(await byHand()) });
  await cli.must(["import", name, "-", "--yes"], { input: "7 300 IN PTR a.example.\n8 300 IN PTR b.example.\n" });
  await write("0%2f25.2.0.192.in-addr.arpa.zone", "9 300 IN PTR c.example.\n");
  await write(".zonewrightignore", `${name}: 7/PTR\n`);
  const { stdout } = await cli.run(["plan", folder, "--only", name]);
  expect(stdout).toContain(`${name}: 1 to create, 1 to delete`);
  expect(stdout).toContain("- 8 300 PTR b.example");
});

test("a link to a file is a zone, as a file is", async () => {
  await zw.admin.post("/api/domains", { name: "link.example", ...(await byHand()) });
  await symlink("park.example.csv", join(folder, "link.example.csv"));
  const { stdout } = await cli.run(["plan", folder, "--only", "link.example"]);
  expect(stdout).toContain("link.example: 1 to create\n+ @ 300 A 192.0.2.3\n");
});

test("a line of the ignore file may leave out the space after its domain, and a pattern's value may have a colon", async () => {
  await cli.must(["apply", folder, "--yes"]);
  const lines = 'a 300 IN A 192.0.2.7\nb.dev 300 IN TXT "key: x"\nc 300 IN A 192.0.2.8\n';
  await cli.must(["import", "shop.example", "-", "--yes"], { input: lines });
  await write(".zonewrightignore", "shop.example:a/A\nb.dev/TXT/*key: x*\npark.example:c/A\n");
  const { stdout } = await cli.run(["plan", folder, "--only", "shop.example"]);
  expect(stdout).toContain("shop.example: 1 to delete\n- c 300 A 192.0.2.8\n");
  await write(".zonewrightignore", "shop.example: www\n");
  expect((await cli.run(["plan", folder, "--only", "shop.example"])).stderr).toContain(
    "shop.example.zone: www must be name/type or name/type/value, such as *.dev/A",
  );
});

test("a token that may only read plans files, and applies none", async () => {
  const permissions = ["domains:read", "records:read", "providers:read"];
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Plans", permissions });
  const env = { ZONEWRIGHT_TOKEN: (body as { token: string }).token };
  await write("unborn.example.zone", "www 300 IN A 192.0.2.1\n");
  expect((await cli.run(["plan", folder, "--create"], { env })).stdout).toContain("6 of 6 zones would change: ");
  const applied = await cli.run(["apply", join(folder, "park.example.csv"), "--yes"], { env });
  expect(applied).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("lacks the permission records:write") });
  expect(await linesOf("park.example")).toEqual([]);
});

test("a token that is invalid, or lacks a permission, is reported once for all zones", async () => {
  const created = await zw.admin.post("/api/auth/me/tokens", { name: "Reader", permissions: ["domains:read"] });
  for (const [token, message] of [
    ["zw_pt_invalid", /^ZONEWRIGHT_TOKEN is invalid or has expired\. .*\n$/],
    [(created.body as { token: string }).token, /^This token lacks the permission records:\w+\. .*\n$/],
  ] as const) {
    const file = (name: string) => join(folder, name);
    const paths = ["shop.example.zone", "blog.example.yaml", "park.example.csv"].map(file);
    const { exitCode, stdout, stderr } = await cli.run(["plan", ...paths], { env: { ZONEWRIGHT_TOKEN: token } });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(message);
  }
});

test("a comment for a merge request stays shorter than what GitHub takes, and counts the zones it leaves out", async () => {
  const long = Array.from({ length: 400 }, (_, index) => `h${index} 300 IN TXT "${"x".repeat(200)}"\n`);
  await write("blog.example.yaml", "");
  await rm(join(folder, "blog.example.yaml"));
  await write("blog.example.zone", long.join(""));
  const { stdout } = await cli.run(["plan", folder, "--format", "markdown"]);
  expect(stdout.length).toBeLessThan(65_536);
  expect(stdout).toContain("1 zone too long to show here. `zonewright plan` prints every change.\n");
  expect(stdout).toContain("<b>shop.example</b>");
});

describe("zonewright apply", () => {
  test("ends what it began, with its exit code, when the reader of its output stops", async () => {
    const pipeline = '{ "$0" "$@"; echo "exit code $?" >&2; } | head -n 1';
    const args = ["-c", pipeline, process.execPath, await builtCli()];
    const env = { ...programEnv, ZONEWRIGHT_URL: zw.url, ZONEWRIGHT_TOKEN: cli.token };
    const run = async (command: string[]) =>
      (await promisify(execFile)("/bin/sh", [...args, ...command], { env })).stderr;
    expect(await run(["plan", folder])).toMatch(/^exit code 2$/m);
    expect(await run(["apply", folder, "--yes"])).toMatch(/^exit code 0$/m);
    expect(await cli.run(["plan", folder])).toMatchObject({ exitCode: 0, stdout: "5 zones, no changes.\n" });
    expect(await cli.json(["apply", folder, "--yes"])).toEqual({ zones: [], applied: 0 });
  });

  test("takes a saved plan whole, and shows what the server would do, not what the file says", async () => {
    const out = join(folder, "plan.json");
    await cli.run(["plan", folder, "--only", "park.example", "--out", out]);
    expect(await cli.run(["apply", out, "--only", "shop.example", "--yes"])).toMatchObject({
      exitCode: 1,
      stderr: "A saved plan is applied whole. Leave out --only, or plan again with it.\n",
    });
    const saved = JSON.parse(await readFile(out, "utf8")) as { zones: { plan: object }[] };
    for (const zone of saved.zones) zone.plan = {};
    await writeFile(out, JSON.stringify(saved));
    expect(await cli.must(["apply", out, "--yes"])).toMatch(/^\+ @ 300 A 192\.0\.2\.3$/m);
  });

  test("refuses with 3 to empty a zone of any size, before another zone is changed", async () => {
    await cli.must(["apply", folder, "--yes"]);
    await write("shop.example!internal.zone", "");
    await write("blog.example.yaml", "www:\n  type: A\n  value: 192.0.2.9\n");
    const { exitCode, stderr } = await cli.run(["apply", folder, "--yes"]);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/^shop\.example!internal: 100 % of the records .*\nNothing was changed\.\n$/m);
    expect(await linesOf("blog.example")).toHaveLength(2);
  });

  test("applies a saved plan exactly, or nothing if a zone has changed since", async () => {
    const out = join(folder, "plan.json");
    expect((await cli.run(["plan", folder, "--out", out])).exitCode).toBe(2);
    await write("shop.example.zone", "");
    await cli.must(["records", "add", "blog.example", "other", "A", "192.0.2.9", "--yes"]);
    const stale = await cli.run(["apply", out, "--yes"]);
    expect(stale).toMatchObject({ exitCode: 1, stdout: "" });
    expect(stale.stderr).toMatch(
      /blog\.example has changed since the plan was made\. Plan again\.\nNothing was changed\.\n$/,
    );
    expect(await linesOf("shop.example")).toEqual([]);
    await cli.must(["history", "undo", "blog.example", "1", "--yes"]);
    expect((await cli.run(["plan", folder, "--only", "park.example", "--out", out])).exitCode).toBe(2);
    expect(await cli.must(["apply", out, "--yes"])).toContain("park.example: applied as revision 1, 1 created.\n");
  });

  test("with --lock, it applies files only if the plan is the saved one", async () => {
    const out = join(folder, "plan.json");
    await cli.run(["plan", folder, "--only", "park.example", "--out", out]);
    const args = ["apply", join(folder, "park.example.csv"), "--yes", "--lock", out];
    await write("park.example.csv", "name,type,ttl,value\n@,A,300,192.0.2.33\n");
    expect(await cli.run(args)).toMatchObject({
      exitCode: 1,
      stderr: `park.example differs from ${out}: the zone or its file has changed since. Plan again. Nothing was changed.\n`,
    });
    await write("park.example.csv", repository["park.example.csv"]);
    expect((await cli.run(args)).exitCode).toBe(0);
  });

  test("refuses with 3 to delete more of a zone than the threshold, unless that is meant", async () => {
    const many = Array.from({ length: 10 }, (_, index) => `h${index} 300 IN A 192.0.2.1\n`);
    await write("park.example.csv", "");
    await rm(join(folder, "park.example.csv"));
    await write("park.example.zone", many.join(""));
    const args = ["apply", join(folder, "park.example.zone"), "--yes"];
    await cli.must(args);
    await write("park.example.zone", many.slice(4).join(""));
    const { exitCode, stdout, stderr } = await cli.run(args);
    expect(exitCode).toBe(3);
    // The plan stands above the refusal, so that nobody has to plan again to see it.
    expect(stdout).toContain("park.example: 4 to delete\n- h0 300 A 192.0.2.1\n");
    expect(stderr).toContain(
      "park.example: 40 % of the records would be deleted or replaced, which is more than 30 %. Apply it with --force if that is meant.\nNothing was changed.\n",
    );
    await cli.must([...args, "--allow-delete-percent", "40"]);
    expect(await linesOf("park.example")).toHaveLength(6);
  });

  test("asks on a terminal, and without one needs --yes", async () => {
    const file = join(folder, "park.example.csv");
    const asked = await cli.run(["apply", file]);
    expect(asked.exitCode).toBe(1);
    expect(asked.stderr).toBe("This changes park.example: 1 to create. Add --yes to do it without a question.\n");
    const no = await cli.run(["apply", file], { columns: 80, input: "n\n" });
    expect(no.stderr).toMatch(/Nothing was changed\.\n$/);
    const yes = await cli.run(["apply", file], { columns: 80, input: "y\n" });
    expect(yes.stdout).toContain("park.example: applied as revision 1, 1 created.\n");
  });

  test("creates domains that do not exist, if it may, and requests reviews instead of changing anything", async () => {
    const file = join(folder, "new.example.zone");
    await write("new.example.zone", "@ 300 IN NS ns1.example.net.\nwww 300 IN A 192.0.2.1\n");
    const shown = await cli.run(["plan", file, "--create"]);
    expect(shown).toMatchObject({ exitCode: 2, stderr: "Warning: The domain new.example is created.\n" });
    await cli.must(["apply", file, "--create", "--yes"]);
    expect(await linesOf("new.example")).toContain("www\t300\tA\t192.0.2.1");
    expect(await cli.must(["apply", join(folder, "park.example.csv"), "--request", "Park"])).toMatch(
      /^park\.example: request \d+ waits for a review\.$/m,
    );
    expect(await linesOf("park.example")).toEqual([]);
  });

  test("creating a domain is a pending change also if its file has no records", async () => {
    const file = join(folder, "empty.example.zone");
    await write("empty.example.zone", "; nothing yet\n");
    const args = ["plan", file, "--create"];
    expect(await cli.run(args)).toEqual({
      exitCode: 2,
      stdout: "1 of 1 zone would change: 1 domain to create.\n",
      stderr: "Warning: empty.example: The domain empty.example is created.\n",
    });
    const markdown = await cli.run([...args, "--format", "markdown"]);
    expect(markdown.stdout).toContain("<b>empty.example</b>: 1 domain to create</summary>");
    expect(markdown.stdout.match(/The domain empty\.example is created\./g)).toHaveLength(1);
    await cli.must(["apply", file, "--create", "--yes"]);
    expect(await cli.run(args)).toMatchObject({ exitCode: 0, stdout: "1 zone, no changes.\n" });
  });

  test("creates domains at the provider that is named, and says so in the plan", async () => {
    const { body: config } = await zw.admin.post("/api/provider-configs", {
      kind: "manual",
      name: "By post",
      config: {},
    });
    await write("elsewhere.example.zone", "www 300 IN A 192.0.2.1\n");
    const args = [join(folder, "elsewhere.example.zone"), "--create", "--provider"];
    expect(await cli.run(["plan", ...args, "by POST"])).toMatchObject({
      exitCode: 2,
      stderr: "Warning: The domain elsewhere.example is created at By post.\n",
    });
    expect((await cli.run(["plan", ...args, "Nowhere"])).stderr).toMatch(
      /^There is no provider configuration Nowhere\./,
    );
    const without = await cli.run(["plan", args[0] ?? "", "--provider", "By post"]);
    expect(without).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Add --create") });
    await cli.must(["apply", ...args, "By post", "--yes"]);
    const { body } = await zw.admin.get("/api/domains?name=elsewhere.example");
    expect(body.domains).toMatchObject([{ providerConfigId: config.id, recordCount: 1 }]);
  });

  test("a saved plan creates its domains as they were planned, and nothing once one of them exists", async () => {
    await write("saved-new.example.zone", `www 300 IN TXT ${"x".repeat(300)}\n`);
    const file = join(folder, "saved-new.example.zone");
    const saved = join(folder, "saved-new.json");
    await cli.run(["plan", file, "--create", "--lenient", "--provider", "By post", "--out", saved]);
    // What is applied was saved, whatever becomes of the file.
    await rm(file);
    const applied = await cli.run(["apply", saved, "--yes"]);
    expect(applied.stdout).toContain("saved-new.example: applied as revision 1, 1 created.\n");
    const { body } = await zw.admin.get("/api/domains?name=saved-new.example");
    const { configs } = (await zw.admin.get("/api/provider-configs")).body;
    const config = configs.find(({ id }: { id: string }) => id === body.domains[0].providerConfigId);
    expect(config.name).toBe("By post");
    expect(await cli.run(["apply", saved, "--yes"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("saved-new.example has been created since the plan was made. Plan again."),
    });
  });

  test("creates a domain with the options of its plan, and never without the review that was wished", async () => {
    const args = ["apply", join(folder, "fresh.example.zone"), "--create"];
    await write("fresh.example.zone", "www 300 IN A 192.0.2.1\n");
    const wished = await cli.run([...args, "--lenient", "--request", "New"]);
    expect(wished).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("--request cannot create fresh.example."),
    });
    expect((await cli.run(["records", "fresh.example"])).stderr).toContain("There is no domain fresh.example");
    await write("fresh.example.zone", `www 300 IN TXT ${"x".repeat(300)}\n`);
    await cli.must([...args, "--lenient", "--yes"]);
    expect(await linesOf("fresh.example")).toHaveLength(1);
  });

  test("says that the outcome is unknown when the connection ends while a zone is applied", async () => {
    const proxy = createServer((request, response) => void passedOn(request, response));
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const args = ["apply", join(folder, "park.example.csv"), "--yes"];
    const { exitCode, stderr } = await cli.run(args, { env: { ZONEWRIGHT_URL: url } });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `park.example: outcome unknown. No response from ${url}. Check the address and the connection. \`zonewright history park.example\` shows whether it was applied.\n`,
    });
    expect(await linesOf("park.example")).toHaveLength(1);
  });

  test("a plan that creates a domain shows how its file differs from the zone that is at the provider, and applies only that", async () => {
    await write("kept.example.zone", "www 300 IN A 192.0.2.1\n");
    const args = ["apply", join(folder, "kept.example.zone"), "--create", "--yes"];
    await cli.must(args);
    await forgetDomain("kept.example");
    await write("kept.example.zone", "www 300 IN A 192.0.2.2\n");
    const out = join(folder, "kept.json");
    const planned = await cli.run(["plan", join(folder, "kept.example.zone"), "--create", "--out", out]);
    expect(planned.stdout).toContain("~ www 300 A 192.0.2.1 → 192.0.2.2\n");
    expect(await cli.must(args)).toContain("kept.example: applied as revision 2, 1 updated.\n");
    await forgetDomain("kept.example");
    // The zone at the provider is another one now.
    const stale = await cli.run(["apply", out, "--yes"]);
    expect(stale).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("The zone that it would have has changed since the plan was made. Plan again."),
    });
  });

  test("a plan names each domain that cannot be created and why, and apply then changes nothing anywhere", async () => {
    const ben = await zw.member("ben");
    await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Members", config: {}, membersMayUse: true });
    const { body } = await ben.post("/api/auth/me/tokens", {
      name: "CI",
      permissions: ["domains:read", "domains:write", "records:read", "records:write", "providers:read"],
    });
    const env = { ZONEWRIGHT_TOKEN: (body as { token: string }).token };
    const files = {
      "ben.example.zone": "www 300 IN A 192.0.2.1\n",
      "below.shop.example.zone": "www 300 IN A 192.0.2.1\n",
      "park.example.zone": "www 300 IN A 192.0.2.1\n",
      "twice.example.zone": "www 300 IN A 192.0.2.1\nwww 300 IN CNAME ben.example.\n",
    };
    for (const [name, text] of Object.entries(files)) await write(`members/${name}`, text);
    const args = [join(folder, "members"), "--create", "--provider", "Members"];
    const plan = await cli.run(["plan", ...args, "--json"], { env });
    expect(plan.exitCode).toBe(1);
    const { errors, zones } = JSON.parse(plan.stdout) as { errors: object[]; zones: object[] };
    expect(errors).toMatchObject([
      {
        domain: "below.shop.example",
        reasons: [expect.stringContaining("lies below a domain that somebody else has")],
      },
      { domain: "park.example", reasons: [expect.stringContaining("Another user has park.example here.")] },
      { domain: "twice.example", reasons: [expect.stringContaining("A CNAME must be the only record of its name")] },
    ]);
    expect(zones).toMatchObject([{ domain: "ben.example" }]);
    const apply = await cli.run(["apply", ...args, "--yes"], { env });
    expect(apply).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(/Nothing was changed\.\n$/) });
    expect((await ben.get("/api/domains")).body).toMatchObject({ total: 0 });
  });

  test("if a domain cannot be created after all, no record is changed anywhere, and what was created is named", async () => {
    await write("race/first.example.zone", "www 300 IN A 192.0.2.1\n");
    await write("race/second.example.zone", "www 300 IN A 192.0.2.1\n");
    await write("race/park.example.csv", repository["park.example.csv"]);
    const proxy = createServer((request, response) => {
      const isSecond = request.url?.includes("domains.create") === true;
      // Somebody else is faster.
      const ahead = isSecond ? zw.admin.post("/api/domains", { name: "second.example" }) : Promise.resolve();
      void ahead.then(() => passedOn(request, response));
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    const env = { ZONEWRIGHT_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    const { exitCode, stdout, stderr } = await cli.run(["apply", join(folder, "race"), "--create", "--yes"], { env });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 1, stdout: expect.not.stringContaining("applied as") });
    expect(stderr).toContain("second.example: not applied. This domain already exists.\n");
    expect(stderr).toContain(
      "first.example: not applied. The domain was created, but no record was changed, because another domain could not be created.\n",
    );
    for (const domain of ["first.example", "park.example"]) expect(await linesOf(domain)).toEqual([]);
  });

  test("Ctrl-C while domains are created names those that exist now, and changes no record", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `made${index}.example`);
    for (const name of names) await write(`made/${name}.zone`, "www 300 IN A 192.0.2.1\n");
    const creating = Promise.withResolvers<void>();
    const stopping = Promise.withResolvers<void>();
    const proxy = createServer((request, response) => {
      const isCreation = request.url?.includes("domains.create") === true;
      if (isCreation) creating.resolve();
      void (isCreation ? stopping.promise : Promise.resolve()).then(() => passedOn(request, response));
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    const { exitCode, stdout, stderr } = await cli.run(["apply", join(folder, "made"), "--create", "--yes"], {
      env: { ZONEWRIGHT_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` },
      interruptWhen: creating.promise,
      once: {
        printed: /Stopping when/,
        act: () => {
          stopping.resolve();
          return stopping.promise;
        },
      },
    });
    const { body } = await zw.admin.get("/api/domains?limit=100");
    const present = new Set((body as { domains: { name: string }[] }).domains.map(({ name }) => name));
    const created = names.filter((name) => present.has(name));
    expect(created.length).toBeGreaterThan(0);
    expect(names.filter((name) => stderr.includes(`${name}: not applied. The domain was created,`))).toEqual(created);
    const undone = names.length - created.length;
    expect({ exitCode, stdout }).toEqual({
      exitCode: 130,
      stdout: expect.stringContaining(
        `0 of 20 zones applied, ${created.length} only created, ${undone} not started.`,
      ) as string,
    });
    expect(await linesOf(created[0] ?? "")).toEqual([]);
  });

  test("Ctrl-C lets the calls that are under way end, and says what was done", async () => {
    for (let index = 0; index < 20; index++) {
      const name = `many${index}.example`;
      await zw.admin.post("/api/domains", { name, ...(await byHand()) });
      await write(`many/${name}.zone`, "www 300 IN A 192.0.2.1\n");
    }
    const { exitCode, stdout } = await cli.run(["apply", join(folder, "many"), "--yes"], {
      columns: 80,
      interruptAt: /1 of 20 zones applied/,
    });
    const [, applied = "", undone = ""] = /^(\d+) of 20 zones applied, (\d+) not started\.$/m.exec(stdout) ?? [];
    expect({ exitCode, sum: Number(applied) + Number(undone) }).toEqual({ exitCode: 130, sum: 20 });
    const plan = await cli.run(["plan", join(folder, "many"), "--json"]);
    expect((JSON.parse(plan.stdout) as { creates: number }).creates).toBe(Number(undone));
  });
});

test("a saved plan is a file that only its owner reads, and one that is none is refused", async () => {
  const out = join(folder, "plan.json");
  await cli.run(["plan", folder, "--out", out]);
  expect(JSON.parse(await readFile(out, "utf8"))).toMatchObject({ version: 1 });
  for (const text of ["{}", '{"version":1,"zones":[{}]}', '{"version":1,"zones":[null]}']) {
    await writeFile(out, text);
    expect((await cli.run(["apply", out, "--yes"])).stderr).toBe(
      `${out} is not a plan. Make one with \`zonewright plan … --out ${out}\`.\n`,
    );
  }
});
