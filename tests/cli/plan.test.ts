import { mkdir, readdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { useCli } from "../support/cli.ts";
import { domains, useZoneRepository } from "../support/zone-repository.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const cli = useCli(zw);
const repo = useZoneRepository(zw, cli);
const { write, byHand, linesOf, passedOn } = repo;

/** A host of a zone that another Terraform file declares. */
function terraformHost(host: string, value: string): string {
  const attributes = ["zone_id = aws_route53_zone.main.zone_id", `name = "${host}"`, 'type = "A"', "ttl = 300"];
  const lines = [...attributes, `records = [${value}]`].map((line) => `  ${line}`);
  return [`resource "aws_route53_record" "${host}" {`, ...lines, "}", ""].join("\n");
}

describe("zonewright plan", () => {
  test("shows what files of every format would change, and exits with 2", async () => {
    const { exitCode, stdout, stderr } = await cli.run(["plan", repo.folder]);
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
    const shown = await cli.run(["plan", join(repo.folder, "module")]);
    expect(shown).toMatchObject({
      exitCode: 2,
      stdout:
        "infra.example: 2 to create\n+ mail 300 A 192.0.2.25\n+ www 300 A 192.0.2.4\n1 of 1 zone would change: 2 to create.\n",
    });
    // One file of them, as a job names what a commit changed, is not all of its zone.
    expect(await cli.run(["plan", join(repo.folder, "module/hosts.tf")])).toEqual(shown);
    // What else is in the folder is compared by itself, without a warning.
    await write("module/shop.tf", 'resource "aws_route53_zone" "shop" {\n  name = "shop.example"\n}\n');
    await write("module/more.tf", terraformHost("shop", '"192.0.2.9"').replace("zone.main.", "zone.shop."));
    const both = await cli.run(["plan", join(repo.folder, "module")]);
    expect({ stdout: both.stdout.split("\n").at(-2), stderr: both.stderr }).toEqual({
      stdout: "2 of 2 zones would change: 3 to create.",
      stderr: "",
    });
    // Nor are the zones of the other files meant where one file is named.
    expect(await cli.run(["plan", join(repo.folder, "module/hosts.tf")])).toEqual(shown);
    expect((await cli.run(["plan", join(repo.folder, "module/shop.tf")])).stdout).toMatch(
      /^shop\.example: 1 to create\n.*\n1 of 1 zone /,
    );
    await write("module/mail.tf", `# Mail\n${terraformHost("mail", "var.address")}`);
    const refused = await cli.run(["plan", join(repo.folder, "module")]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(/\/module: mail\.tf, line [2-7]: .*var\.address/);
  });

  test("after apply, and after export in each format, there is nothing to do", async () => {
    expect(await cli.must(["apply", repo.folder, "--yes", "--message", "First"])).toContain("5 of 5 zones applied.\n");
    expect(await cli.run(["plan", repo.folder])).toMatchObject({ exitCode: 0, stdout: "5 zones, no changes.\n" });
    for (const [format, end] of [
      ["octodns", "yaml"],
      ["csv", "csv"],
      ["tsv", "tsv"],
      ["terraform", "tf"],
      ["zonefile", "zone"],
    ] as const) {
      const file = join(repo.folder, format, `shop.example.${end}`);
      await mkdir(join(repo.folder, format), { recursive: true });
      await cli.must(["export", "shop.example", "--format", format, "--output", file]);
      expect(await cli.run(["plan", file])).toMatchObject({ exitCode: 0, stdout: "1 zone, no changes.\n" });
    }
    expect(await cli.must(["history", "shop.example"])).toContain("First");
  });

  test("prints every change with before and after for programs, and Markdown for a merge request", async () => {
    await cli.must(["apply", repo.folder, "--yes"]);
    await write(
      "shop.example.zone",
      '$TTL 300\n@ IN NS ns1.example.net.\n@ IN MX 10 mail\nmail 600 IN A 192.0.2.25\nnew IN TXT "a ``` b"\n',
    );
    const printed = await cli.run(["plan", repo.folder, "--json", "--only", "S*p.ex*e"]);
    expect(printed.exitCode).toBe(2);
    expect(JSON.parse(printed.stdout)).toMatchObject({
      zones: [
        {
          domain: "shop.example",
          file: join(repo.folder, "shop.example.zone"),
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
    const { stdout } = await cli.run(["plan", repo.folder, "--format", "markdown", "--only", "shop.example"]);
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
    expect((await cli.run(["plan", repo.folder, "--expect-no-changes"])).exitCode).toBe(1);
  });

  test("names the file, line and reason of each error, and apply then changes nothing anywhere", async () => {
    await write("blog.example.yaml", "www:\n  type: A\n  value: 300.0.0.1\n");
    await write("lost.example.zone", "www 300 IN A 192.0.2.1\n");
    const { exitCode, stderr, stdout } = await cli.run(["apply", repo.folder, "--yes"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain(`${join(repo.folder, "blog.example.yaml")}: Line 3: The A value must be`);
    expect(stderr).toContain(
      `${join(repo.folder, "lost.example.zone")}: There is no domain lost.example, or you may not see it. Add --create to make it.\n`,
    );
    expect(stderr).toMatch(/Nothing was changed\.\n$/);
    expect(await linesOf("shop.example")).toEqual([]);
  });

  test("leaves the records of others by options and by the file beside the zones, and says how many", async () => {
    await cli.must(["apply", repo.folder, "--yes"]);
    const lines =
      "a.dev 300 IN A 192.0.2.7\nb.dev 300 IN A 192.0.2.8\nstray 300 IN A 192.0.2.9\n_acme-challenge 60 IN TXT token\n";
    await cli.must(["import", "shop.example", "-", "--yes"], { input: lines });
    await write(".zonewrightignore", "# Developers keep these\nshop.example: a.dev/A\nblog.example: */A\n");
    const { exitCode, stdout } = await cli.run(["plan", repo.folder, "--ignore", "b.dev/*", "--leave", "acme,keys"]);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 2,
      stdout:
        "shop.example: 1 to delete\n- stray 300 A 192.0.2.9\n1 of 5 zones would change: 1 to delete; 4 records were left to others.\n",
    });
    await cli.must(["records", "add", "shop.example", "program", "A", "192.0.2.10", "--yes"]);
    const leaving = await cli.run(["plan", repo.folder, "--ignore", "b.dev/*", "--leave", "acme,tokens"]);
    expect(leaving.stdout).toContain("- stray 300 A 192.0.2.9\n1 of 5 zones would change: 1 to delete; 5 records");
    expect((await cli.run(["plan", repo.folder, "--leave", "me"])).stderr).toBe(
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
    [[], [".", "--only", "other.*"], /^No zone in \S+ is called other\.\*\.\n$/m],
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
    const { exitCode, stderr } = await cli.run(["plan", join(repo.folder, path), ...options]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(message);
  });
});

test("a zone in two files is refused, also where one of them leaves out the only view", async () => {
  await zw.admin.post("/api/domains", { name: "one.example!internal", ...(await byHand()) });
  await write("views/one.example.zone", "www 300 IN A 192.0.2.1\n");
  await write("views/one.example!internal.zone", "www 300 IN A 192.0.2.2\n");
  const { exitCode, stderr } = await cli.run(["apply", join(repo.folder, "views"), "--yes"]);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("are both one.example!") });
  expect(await linesOf("one.example!internal")).toEqual([]);
});

test("a classless reverse zone is a file with %2f for the slash, as export names it in a folder", async () => {
  const name = "0/25.2.0.192.in-addr.arpa";
  await zw.admin.post("/api/domains", { name, ...(await byHand()) });
  const file = join(repo.folder, "classless/0%2F25.2.0.192.in-addr.arpa.zone");
  await write(
    "classless/0%2F25.2.0.192.in-addr.arpa.zone",
    "1 300 IN PTR host.shop.example.\n9 300 IN PTR x.example.\n",
  );
  await write("classless/.zonewrightignore", "0%2f25.2.0.192.in-addr.arpa: 9/PTR\n");
  const planned = await cli.run(["plan", join(repo.folder, "classless")]);
  expect(planned.stdout).toBe(
    `${name}: 1 to create\n+ 1 300 PTR host.shop.example\n1 of 1 zone would change: 1 to create.\n`,
  );
  await cli.must(["apply", file, "--yes"]);
  const written = join(repo.folder, "written");
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
  const { exitCode, stdout, stderr } = await cli.run(["plan", repo.folder], { env });
  // One list, then the five domains that exist.
  expect(calls.filter((name) => name === "domains.list")).toHaveLength(1 + domains.length);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 1,
    stdout: expect.stringContaining("; 120 zones could not be compared.") as string,
  });
  expect(stderr.match(/There is no domain lost\d+\.example, or you may not see it\./g)).toHaveLength(100);
  expect(stderr).toContain("\n20 more could not be compared. --json lists all of them.\n");
  const json = await cli.run(["plan", repo.folder, "--json"]);
  expect((JSON.parse(json.stdout) as { errors: unknown[] }).errors).toHaveLength(120);
});

test("a server that is too old to plan is named once, not for each file", async () => {
  const proxy = createServer((request, response) => {
    request.url = request.url?.replace("planZonefile", "planOfTomorrow") ?? "";
    void passedOn(request, response);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const { exitCode, stderr } = await cli.run(["plan", repo.folder], { env: { ZONEWRIGHT_URL: url } });
  expect({ exitCode, sentences: stderr.match(/which does not offer this call\. Upgrade the server/g) }).toEqual({
    exitCode: 1,
    sentences: ["which does not offer this call. Upgrade the server"],
  });
  expect(stderr).not.toContain("blog.example.yaml:");
});

const lookedUp = (name: string, zone: string) => `data "aws_route53_zone" "${name}" {\n  name = "${zone}"\n}\n`;

test("a zone that Terraform only looks up is planned if the files have records of it", async () => {
  await write("looked/zones.tf", lookedUp("main", "infra.example") + lookedUp("other", "park.example"));
  await write(
    "looked/hosts.tf",
    terraformHost("www", '"192.0.2.4"').replace("aws_route53_zone.", "data.aws_route53_zone."),
  );
  const { stdout, stderr } = await cli.run(["plan", join(repo.folder, "looked")]);
  expect({ stdout, stderr }).toEqual({
    stdout: "infra.example: 1 to create\n+ www 300 A 192.0.2.4\n1 of 1 zone would change: 1 to create.\n",
    stderr: "",
  });
});

test("with --only, no file of another zone is read", async () => {
  await write("huge.example.zone", "");
  // Longer than what Node reads, without a block on the disk.
  await truncate(join(repo.folder, "huge.example.zone"), 3 * 2 ** 30);
  const { exitCode, stdout, stderr } = await cli.run(["plan", repo.folder, "--only", "park.*"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: expect.stringContaining("192.0.2.3") as string });
  expect(stderr).not.toContain("huge.example");
  const none = await cli.run(["plan", repo.folder, "--only", "lost.example"]);
  expect(none.stderr).toContain("is called lost.example.");
  const huge = await cli.run(["plan", repo.folder]);
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
  const { stdout } = await cli.run(["plan", repo.folder, "--only", name]);
  expect(stdout).toContain(`${name}: 1 to create, 1 to delete`);
  expect(stdout).toContain("- 8 300 PTR b.example");
});

test("a file in UTF-16, as Windows PowerShell writes it, and one in Latin-1 are read", async () => {
  await zw.admin.post("/api/domains", { name: "windows.example", ...(await byHand()) });
  const marked = Buffer.from("\uFEFFwww 300 IN A 192.0.2.1\r\n", "utf16le");
  const [file, folder] = [join(repo.folder, "windows/windows.example.zone"), join(repo.folder, "windows")];
  await mkdir(folder, { recursive: true });
  await writeFile(file, marked);
  const plan = "windows.example: 1 to create\n+ www 300 A 192.0.2.1\n";
  expect((await cli.run(["plan", folder])).stdout).toContain(plan);
  expect((await cli.run(["import", "windows.example", file, "--dry-run"])).stdout).toBe(plan);
  await writeFile(file, Buffer.from('note 300 IN TXT "Gr\xfc\xdfe"\r\n', "latin1"));
  const latin = await cli.run(["plan", folder]);
  expect(latin.stdout).toContain("+ note 300 TXT Grüße\n");
  expect(latin.stderr).toContain("windows.example.zone is not UTF-8, so it is read as Latin-1.\n");
  expect(await cli.run(["import", "windows.example", file, "--yes"])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining("is read as Latin-1") as string,
  });
  expect(await linesOf("windows.example")).toEqual([expect.stringContaining("Grüße")]);
  await writeFile(file, Buffer.from([0x50, 0x4b, 3, 4, 0, 0]));
  for (const args of [
    ["plan", folder],
    ["import", "windows.example", file],
  ])
    expect((await cli.run(args)).stderr).toMatch(/windows\.example\.zone is not a text file\.\n$/);
});

test("a link to a file is a zone, as a file is", async () => {
  await zw.admin.post("/api/domains", { name: "link.example", ...(await byHand()) });
  await symlink("park.example.csv", join(repo.folder, "link.example.csv"));
  const { stdout } = await cli.run(["plan", repo.folder, "--only", "link.example"]);
  expect(stdout).toContain("link.example: 1 to create\n+ @ 300 A 192.0.2.3\n");
});

test("a line of the ignore file may leave out the space after its domain, and a pattern's value may have a colon", async () => {
  await cli.must(["apply", repo.folder, "--yes"]);
  const lines = 'a 300 IN A 192.0.2.7\nb.dev 300 IN TXT "key: x"\nc 300 IN A 192.0.2.8\n';
  await cli.must(["import", "shop.example", "-", "--yes"], { input: lines });
  await write(".zonewrightignore", "shop.example:a/A\nb.dev/TXT/*key: x*\npark.example:c/A\n");
  const { stdout } = await cli.run(["plan", repo.folder, "--only", "shop.example"]);
  expect(stdout).toContain("shop.example: 1 to delete\n- c 300 A 192.0.2.8\n");
  await write(".zonewrightignore", "shop.example: www\n");
  expect((await cli.run(["plan", repo.folder, "--only", "shop.example"])).stderr).toContain(
    "shop.example.zone: www must be name/type or name/type/value, such as *.dev/A",
  );
});

test("a token that may only read plans files, and applies none", async () => {
  const permissions = ["domains:read", "records:read", "providers:read"];
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Plans", permissions });
  const env = { ZONEWRIGHT_TOKEN: (body as { token: string }).token };
  await write("unborn.example.zone", "www 300 IN A 192.0.2.1\n");
  expect((await cli.run(["plan", repo.folder, "--create"], { env })).stdout).toContain("6 of 6 zones would change: ");
  const applied = await cli.run(["apply", join(repo.folder, "park.example.csv"), "--yes"], { env });
  expect(applied).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("lacks the permission records:write") });
  expect(await linesOf("park.example")).toEqual([]);
});

test("a token that is invalid, or lacks a permission, is reported once for all zones", async () => {
  const created = await zw.admin.post("/api/auth/me/tokens", { name: "Reader", permissions: ["domains:read"] });
  for (const [token, message] of [
    ["zw_pt_invalid", /^ZONEWRIGHT_TOKEN is invalid or has expired\. .*\n$/],
    [(created.body as { token: string }).token, /^This token lacks the permission records:\w+\. .*\n$/],
  ] as const) {
    const file = (name: string) => join(repo.folder, name);
    const paths = ["shop.example.zone", "blog.example.yaml", "park.example.csv"].map(file);
    const { exitCode, stdout, stderr } = await cli.run(["plan", ...paths], { env: { ZONEWRIGHT_TOKEN: token } });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(message);
  }
});

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

test("a plan on a terminal of 40 columns loses nothing, and is wider only where a word is", async () => {
  const token = "x".repeat(60);
  const spf = `v=spf1 ${"include:_spf.mail.example.net ".repeat(3)}-all`;
  const lines = [
    `@ 300 IN TXT "${spf}"`,
    `key 300 IN TXT ${token}`,
    'odd 300 IN TXT "a ` mark and more words after it than 40"',
  ];
  await rm(join(repo.folder, "park.example.csv"));
  await write("park.example.zone", `${lines.join("\n")}\n`);
  await cli.must(["apply", join(repo.folder, "blog.example.yaml"), "--yes"]);
  await write(
    "blog.example.yaml",
    "www:\n  ttl: 300\n  type: CNAME\n  value: a-rather-long-name.of-a.host.example.net.\n",
  );
  const files = ["park.example.zone", "blog.example.yaml"].map((name) => join(repo.folder, name));
  const { stdout: wide, stderr: wideNotes } = await cli.run(["plan", ...files]);
  const { exitCode, stdout, stderr } = await cli.run(["plan", ...files], { columns: 40 });
  expect(exitCode).toBe(2);
  expect(words(stdout)).toEqual(words(wide));
  // Behind the progress, which is cleared at its end.
  expect(words(stderr.split("\r\u001b[2K").at(-1) ?? "")).toEqual(words(wideNotes));
  const tooWide = stdout.split("\n").filter((line) => line.length > 40);
  expect(tooWide.filter((line) => words(line).length > 1)).toEqual([]);
  expect(words(tooWide.join(" "))).toContain(token);
  // What continues a line stands below its text, so that each change begins with its sign.
  expect(stdout.split("\n").filter((line) => /^[+~-] /.test(line))).toHaveLength(5);
});

test("a change of nothing but notes is in the document with each note before and after", async () => {
  await cli.must(["apply", repo.folder, "--yes"]);
  const { body } = await zw.admin.get("/api/domains?name=park.example");
  const { id } = body.domains[0] as { id: string };
  const set = ["records", "set", "park.example", "@", "A", "192.0.2.3", "--comment", "Load balancer", "--yes"];
  const data = { name: "@", recordType: "A", value: "192.0.2.3", ttl: 300, proxied: false, status: "active" };
  expect(await cli.json(set)).toMatchObject({
    changes: [{ action: "update", before: { ...data, comment: null }, after: { ...data, comment: "Load balancer" } }],
    applied: true,
  });
  await write("park.example.csv", "name,type,ttl,value,comment\n@,A,300,192.0.2.3,Old balancer\n");
  const planned = await cli.run(["plan", join(repo.folder, "park.example.csv"), "--json"]);
  const changes = [
    { action: "update", before: { ...data, comment: "Load balancer" }, after: { ...data, comment: "Old balancer" } },
  ];
  expect(JSON.parse(planned.stdout)).toMatchObject({ zones: [{ changes }] });
  const add = ["records", "add", "park.example", "new", "A", "192.0.2.7", "--comment", "New", "--yes"];
  const added = await cli.json<{ changes: { after: object }[] }>(add);
  expect(added.changes).toMatchObject([{ action: "create", before: null, after: { name: "new", comment: "New" } }]);
  // Contact, review date and lock are changed by the API and the console, and shown where a plan has them.
  const { records } = (await zw.admin.get(`/api/domains/${id}/records?name=@&type=A`)).body;
  const { id: ownerId } = (await zw.admin.get("/api/auth/me")).body;
  const noted = { ownerId, reviewAt: "2030-01-01T00:00:00.000Z", locked: true };
  const change = { action: "update", recordId: records[0].id, record: noted };
  const { body: made } = await zw.admin.post(`/api/domains/${id}/change-requests`, {
    title: "Notes",
    changes: [change],
  });
  expect(await cli.json(["requests", "show", String(made.number)])).toMatchObject({
    changes: [{ before: { ...data, ownerId: null, reviewAt: null, locked: false }, after: { ...data, ...noted } }],
  });
});

test("a comment for a merge request stays shorter than what GitHub takes, and counts the zones it leaves out", async () => {
  const long = Array.from({ length: 400 }, (_, index) => `h${index} 300 IN TXT "${"x".repeat(200)}"\n`);
  await write("blog.example.yaml", "");
  await rm(join(repo.folder, "blog.example.yaml"));
  await write("blog.example.zone", long.join(""));
  const { stdout } = await cli.run(["plan", repo.folder, "--format", "markdown"]);
  expect(stdout.length).toBeLessThan(65_536);
  expect(stdout).toContain("1 zone too long to show here. `zonewright plan` prints every change.\n");
  expect(stdout).toContain("<b>shop.example</b>");
});

/** Returns what a line of progress showed, one after the other. */
const barsOf = (stderr: string) => stderr.split("\n")[0]?.split("\r\u001b[2K").slice(1) ?? [];

test("long work shows a bar with its counts on one line of a terminal, in color unless that is unwished, and none for programs", async () => {
  await rm(join(repo.folder, "production.yaml"));
  const narrow = await cli.run(["plan", repo.folder], { columns: 40 });
  expect(barsOf(narrow.stderr)).toEqual([
    "[               ] 0 of 5 zones compared",
    "[###            ] 1 of 5 zones compared",
    "[######         ] 2 of 5 zones compared",
    "[#########      ] 3 of 5 zones compared",
    "[############   ] 4 of 5 zones compared",
    "[###############] 5 of 5 zones compared",
    "",
  ]);
  // Without room for a bar, the counts alone.
  const tiny = await cli.run(["plan", repo.folder], { columns: 24 });
  expect(barsOf(tiny.stderr)).toContain("5 of 5 zones compared");
  const colors = { NO_COLOR: "", TERM: "xterm" };
  const colored = await cli.run(["plan", repo.folder], { columns: 80, env: colors });
  expect(barsOf(colored.stderr)).toContain(`[\u001b[32m${"#".repeat(22)}\u001b[39m] 5 of 5 zones compared`);
  const saved = join(repo.folder, "plan.json");
  await cli.run(["plan", repo.folder, "--out", saved]);
  const applied = await cli.run(["apply", saved, "--yes"], { columns: 80 });
  expect(barsOf(applied.stderr)).toContain(`[${"#".repeat(22)}] 5 of 5 zones compared`);
  expect(applied.stderr).toContain(`[${"#".repeat(22)}] 5 of 5 zones applied`);
  for (const options of [{ columns: 80, env: { TERM: "dumb" } }, {}])
    expect((await cli.run(["plan", repo.folder], options)).stderr).toBe("");
  expect((await cli.run(["plan", repo.folder, "--json"], { columns: 80 })).stderr).toBe("");
});
