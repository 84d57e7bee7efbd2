import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Hosts } from "../registry/certificates/hosts.ts";
import { useCli } from "../support/cli.ts";
import { patience } from "../support/patience.ts";
import { proxyOf } from "../support/proxy.ts";
import { useZonewright } from "../support/zonewright.ts";

const hosts = await Hosts.start(() => new Date());
const zw = useZonewright({ egress: hosts.egress });
const cli = useCli(zw);

afterAll(() => hosts.stop());
beforeAll(async () => {
  for (const name of ["bücher.example", "plain.example"]) await zw.admin.post("/api/domains", { name });
});

test("an exported table imports without a change, and one from a spreadsheet by its plan", async () => {
  const file = join(cli.configFolder, "portfolio.csv");
  expect((await cli.run(["portfolio", "export", "-o", file])).stderr).toBe(`Wrote ${file}.\n`);
  const content = await cli.must(["portfolio", "export"]);
  expect(await readFile(file, "utf8")).toBe(content);
  expect(await cli.json(["portfolio", "export"])).toEqual({ file: null, content });
  const same = await cli.run(["portfolio", "import", file, "--dry-run"]);
  expect(same).toMatchObject({ exitCode: 0, stdout: "" });
  expect(same.stderr).toContain("0 to change, 2 unchanged, 0 refused.");
  // Excel saves Latin-1.
  await writeFile(file, Buffer.from("Domain;Expires;Notes\r\nbücher.example;03/04/34;Für später\r\n", "latin1"));
  const asked = await cli.run(["portfolio", "import", file, "--yes"]);
  expect(asked.exitCode).toBe(1);
  expect(asked.stdout).toContain(
    '2\txn--bcher-kva.example\trefused: expires: "03/04/34" can be several days. Add --date-order.',
  );
  expect(asked.stderr).toContain("add --skip-refused");
  const options = ["portfolio", "import", file, "--date-order", "dmy"];
  const planned = await cli.run([...options, "--dry-run"]);
  expect(planned).toMatchObject({
    exitCode: 2,
    stdout: "2\txn--bcher-kva.example\texpires: – → 2034-04-03, notes: – → Für später\n",
  });
  expect((await cli.run(options)).stderr).toContain("This changes 1 domain. Add --yes");
  expect(await cli.run(options, { columns: 80, input: "n\n" })).toMatchObject({ exitCode: 1 });
  const undo = join(cli.configFolder, "undo.csv");
  expect(await cli.json([...options, "--yes", "--undo-to", undo])).toMatchObject({ applied: true, changed: 1 });
  expect(await cli.must(["registration", "show", "bücher.example"])).toMatch(/^expires\t2034-04-03 \(manual\)$/m);
  expect(await cli.json(["portfolio", "import", undo, "--clear", "--yes"])).toMatchObject({ changed: 1 });
  expect(await cli.must(["registration", "show", "bücher.example"])).toMatch(/^expires\tunknown$/m);
});

test("an undo that cannot be written is refused before the change, or printed after it", async () => {
  const options = ["portfolio", "import", "-", "--yes", "--undo-to"];
  const nowhere = join(cli.configFolder, "missing", "undo.csv");
  const refused = await cli.run([...options, nowhere], { input: "name,group\nplain.example,One\n" });
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("Nothing was changed.");
  const input = "name,group\nplain.example,Two\n";
  const full = await cli.run([...options, "/dev/full"], { input });
  expect(full.exitCode).toBe(1);
  expect(full.stdout).toContain("group: – → Two");
  expect(full.stdout).toMatch(/\nname,view,group\r\nplain\.example,,\r\n$/);
  expect(full.stderr).toContain("keep it");
  const undo = join(cli.configFolder, "kept.csv");
  await writeFile(undo, "x".repeat(1_000));
  await cli.must([...options, undo], { input: "name,group\nplain.example,Three\n" });
  expect(await readFile(undo, "utf8")).toBe("name,view,group\r\nplain.example,,Two\r\n");
});

test("a table that takes an import back is kept although a proxy gives up on calls that import", async () => {
  let calls = 0;
  const url = await proxyOf(zw, async (call, forward) => {
    if (!call.includes("portfolio.import")) return undefined;
    calls += 1;
    // The first one plans.
    if (calls === 1) return undefined;
    await forward();
    return { status: 504, text: "<html>504</html>" };
  });
  const undo = join(cli.configFolder, "proxied.csv");
  const before = (await cli.must(["domains", "list", "--search", "plain.example"])).split("\t")[4] ?? "";
  const { exitCode } = await cli.run(["portfolio", "import", "-", "--yes", "--undo-to", undo], {
    env: { ZONEWRIGHT_URL: url },
    input: "name,group\nplain.example,Proxied\n",
  });
  expect(exitCode).toBe(0);
  expect(await readFile(undo, "utf8")).toBe(`name,view,group\r\nplain.example,,${before}\r\n`);
});

test("what is wrong with registrations is listed, and ends with 2", async () => {
  expect(await cli.run(["portfolio"])).toMatchObject({ exitCode: 0, stdout: "" });
  const input = `name,expires\nplain.example,2020-01-01\n`;
  await cli.must(["portfolio", "import", "-", "--yes", "-m", "Old"], { input });
  expect(await cli.run(["portfolio"])).toMatchObject({
    exitCode: 2,
    stdout: "plain.example\terror\tplain.example has expired. Renew it at its registrar while you still can.\n",
  });
  const shown = await cli.must(["registration", "show", "plain.example"]);
  expect(shown).toContain("error: plain.example has expired.");
});

test("the certificates of watched hosts are listed, and end with 2 if one is not valid, not if a host is unreachable", async () => {
  const certificates = ["registration", "certificates", "plain.example"];
  expect(await cli.run(certificates)).toMatchObject({ exitCode: 0, stdout: "" });
  const { body } = await zw.admin.get("/api/domains?search=plain.example");
  const path = `/api/domains/${body.domains[0].id}/tls-hosts`;
  await zw.admin.put(path, { mode: "listed", hosts: [{ host: "www" }] });
  // The call itself has them checked.
  await vi.waitFor(async () => expect((await zw.admin.get(path)).body.hosts[0].checkedAt).not.toBeNull(), patience);
  const { exitCode, stdout } = await cli.run(certificates);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^www:443\t–\t–\t\S/) });
  const { stdout: json } = await cli.run([...certificates, "--json"]);
  expect(JSON.parse(json)).toMatchObject({ mode: "listed", hosts: [{ problem: "unreachable" }] });
  await hosts.serve(await hosts.authority.sign("other.example"), "www.plain.example:443");
  await zw.admin.put(path, { mode: "listed", hosts: [{ host: "www" }] });
  await vi.waitFor(async () => expect((await cli.run(certificates)).exitCode).toBe(2), patience);
});

test("the DNSSEC of a domain is shown, and checked on request", async () => {
  const { body } = await zw.admin.post("/api/domains", { name: "unreachable.zone" });
  expect(body.name).toBe("unreachable.zone");
  expect(await cli.must(["dnssec", "plain.example"])).toMatch(
    /^checked\texample and the names below it are not in the public DNS\.$/m,
  );
  expect(await cli.must(["dnssec", "unreachable.zone"])).toMatch(/^checked\tnot yet$/m);
  const shown = await cli.must(["dnssec", "check", "unreachable.zone"]);
  expect(shown).toMatch(/^chain of trust\tunknown: The servers of the root did not answer\./m);
  expect(await cli.json(["dnssec", "show", "unreachable.zone"])).toMatchObject({ chain: "unknown", keys: null });
});

test("a token that may not read registrations never reports that all is well", async () => {
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Plain", permissions: ["domains:read"] });
  const { exitCode, stdout, stderr } = await cli.run(["portfolio"], { env: { ZONEWRIGHT_TOKEN: body.token } });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toContain("Use a token with the permission registrations:read.");
  expect(stderr).not.toContain("Nothing is wrong");
});
