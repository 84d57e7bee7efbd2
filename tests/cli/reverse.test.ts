import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { domainWith, useCli } from "../support/cli.ts";
import { proxyOf } from "../support/proxy.ts";
import { freshNet } from "../support/reverse-zones.ts";
import { manualConfig } from "../support/zones.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
const cli = useCli(zw);

const nameServer = "@ 300 IN NS ns1.example.net.\n";
const zone = async (name: string, zonefile = nameServer) => await domainWith(zw, name, zonefile);

test("missing PTR records are reported, which exits with 2, and made", async () => {
  expect(await cli.run(["reverse"], { columns: 80 })).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: "Every PTR record is right.\n",
  });
  await zone("113.0.203.in-addr.arpa");
  await zone("forward.example", "host 300 IN A 203.0.113.5\n");
  expect(await cli.run(["reverse"])).toMatchObject({
    exitCode: 2,
    stdout: "missing\t203.0.113.5\t113.0.203.in-addr.arpa\t–\thost.forward.example\n",
  });
  expect(await cli.must(["reverse", "mend", "--yes"])).toMatch(
    /\+ 5 \d+ PTR host\.forward\.example\nApplied as revision 2\.\n/,
  );
  expect(await cli.json(["reverse", "check"])).toEqual({ findings: [] });
  expect((await cli.run(["reverse", "mend"])).stderr).toBe("There is nothing that you may fix.\n");
});

describe("mending several reverse zones", () => {
  let count = 0;
  /** Two reverse zones that each lack a PTR record. */
  let zones: [string, string] = ["", ""];
  beforeEach(async () => {
    const nets = [(count += 1), (count += 1)] as const;
    zones = [`${nets[0]}.51.198.in-addr.arpa`, `${nets[1]}.51.198.in-addr.arpa`];
    for (const name of zones) await zone(name);
    await zone(`mended-${count}.example`, nets.map((net, at) => `host${at} 300 IN A 198.51.${net}.5\n`).join(""));
    return async () => {
      await cli.must(["reverse", "mend", "--yes"]);
    };
  });

  test("a no skips one, and what was changed is summed up", async () => {
    const mended = await cli.run(["reverse", "mend"], { columns: 100, input: "y\nn\n" });
    expect(mended).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/Applied as revision 2\.\n[^]*\n1 of 2 zones changed\.\n$/) as string,
    });
    expect(mended.stderr).toContain(`${zones[1]} was not changed.\n`);
    expect(mended.stderr).not.toContain("Nothing was changed");
    const other = await cli.run(["reverse", "mend", "--json"], { columns: 100, input: "n\n" });
    expect(JSON.parse(other.stdout)).toMatchObject({
      domains: [{ domain: zones[1], applied: false, reasons: ["You answered no."] }],
    });
    expect(other.exitCode).toBe(1);
  });

  test("the end of the input stops it and says what was changed before", async () => {
    const mended = await cli.run(["reverse", "mend", "--json"], { columns: 100, input: "y\n" });
    expect(mended.exitCode).toBe(130);
    expect(mended.stderr).toContain(`${zones[1]}: Stopped.\n`);
    expect(JSON.parse(mended.stdout)).toMatchObject({
      domains: [
        { domain: zones[0], applied: true, revision: 2 },
        { domain: zones[1], applied: false, reasons: ["Stopped."] },
      ],
    });
  });

  test("a zone that is refused is named with the reason, and the others are mended", async () => {
    const { id } = await cli.json<{ id: string }>(["domains", "show", zones[0]]);
    await zw.admin.put(`/api/domains/${id}`, { reviewRequired: "everyone" });
    const mended = await cli.run(["reverse", "mend", "--yes", "--json"]);
    await zw.admin.put(`/api/domains/${id}`, { reviewRequired: "off" });
    expect(mended.exitCode).toBe(1);
    expect(JSON.parse(mended.stdout)).toMatchObject({
      domains: [
        { domain: zones[0], applied: false, reasons: [expect.stringContaining("review")] },
        { domain: zones[1], applied: true },
      ],
    });
  });

  test("an answer that is lost leaves the outcome of its zone unknown, and the others are mended", async () => {
    let calls = 0;
    const url = await proxyOf(zw, async (call, forward) => {
      if (!call.includes("applyPlan") || ++calls > 1) return undefined;
      await forward();
      return { status: 504, text: "<html>504 Gateway Time-out</html>" };
    });
    const mended = await cli.run(["reverse", "mend", "--yes", "--json"], { env: { ZONEWRIGHT_URL: url } });
    expect(mended.exitCode).toBe(1);
    expect(JSON.parse(mended.stdout)).toMatchObject({
      domains: [
        { domain: zones[0], applied: false, reasons: [expect.stringMatching(/^Outcome unknown\. HTTP 504 /)] },
        { domain: zones[1], applied: true },
      ],
    });
  });

  test("a lost connection stops it, and the zone whose outcome is unknown is in the document", async () => {
    const url = await proxyOf(zw, (call) => Promise.resolve(call.includes("applyPlan") ? null : undefined));
    const mended = await cli.run(["reverse", "mend", "--yes", "--json"], { env: { ZONEWRIGHT_URL: url } });
    expect(mended.exitCode).toBe(1);
    expect(JSON.parse(mended.stdout)).toMatchObject({
      domains: [{ domain: zones[0], reasons: [expect.stringMatching(/^Outcome unknown\. No response /)] }],
    });
  });
});

test("a zone that is being moved refuses changes, so their outcome is known, and other zones are changed", async () => {
  const providerConfigId = await manualConfig(zw);
  const reverse = [freshNet(), freshNet()];
  const ids: string[] = [];
  for (const { name } of reverse)
    ids.push(((await zw.admin.post("/api/domains", { name, providerConfigId })).body as { id: string }).id);
  await zone("moved.example", reverse.map(({ at }, host) => `host${host} 300 IN A ${at(5)}\n`).join(""));
  const [first, second] = reverse.map(({ name }) => name);
  const files = await folder(String(first), "");
  const lease = { lease_token: randomUUID(), lease_until: new Date(Date.now() + 3_600_000) };
  const moved = queries(zw.services.database.fork()).updateTable("domains").where("id", "=", String(ids[0]));
  await moved.set(lease).execute();
  onTestFinished(async () => void (await moved.set({ lease_token: null, lease_until: null }).execute()));
  const [applied, mended] = await Promise.all([
    cli.run(["apply", files, "--yes"]),
    cli.run(["reverse", "mend", "--yes", "--json"]),
  ]);
  const why = "The zone is being moved to another provider, or its registration is being changed.";
  expect(applied).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`${first}: not applied. ${why}`) });
  expect(mended.exitCode).toBe(1);
  expect(JSON.parse(mended.stdout)).toMatchObject({
    domains: expect.arrayContaining([
      expect.objectContaining({ domain: first, applied: false, reasons: [expect.stringMatching(`^${why}`)] }),
      expect.objectContaining({ domain: second, applied: true }),
    ]),
  });
});

/** A domain and a reverse zone that its addresses are in. */
async function following(mode: string): Promise<{ name: string; reverse: string; at: (host: number) => string }> {
  const { name: reverse, at } = freshNet();
  await zone(reverse);
  const name = await zone(`${mode}.example`);
  const { domains } = (await zw.admin.get(`/api/domains?name=${name}`)).body as { domains: { id: string }[] };
  await zw.admin.put(`/api/domains/${domains[0]?.id}`, { reverse: mode });
  return { name, reverse, at };
}

const folder = async (name: string, lines: string) => {
  const made = join(cli.configFolder, name);
  await mkdir(made, { recursive: true });
  await writeFile(join(made, `${name}.zone`), `@ 300 IN NS ns1.example.net.\n${lines}`);
  return made;
};

describe("PTR records that follow", () => {
  test("are in the plans of records, of files and of an undo", async () => {
    const { name, reverse, at } = await following("follow");
    const files = await folder(name, `one 300 IN A ${at(1)}\n`);
    const patch = `+ one 300 A ${at(1)}\n+ 1 3600 PTR one.${name} (in ${reverse})\n`;
    expect(await cli.run(["plan", files])).toMatchObject({ exitCode: 2, stdout: expect.stringContaining(patch) });
    expect((await cli.run(["plan", files, "--format", "markdown"])).stdout).toContain(patch);
    const file = join(files, `${name}.zone`);
    expect((await cli.run(["import", name, file, "--dry-run"])).stdout).toBe(`${name}: 1 to create\n${patch}`);
    const added = ["records", "add", name, "one", "A", at(1), "--ttl", "300", "--dry-run"];
    expect((await cli.run(added)).stdout).toBe(`${name}: 1 to create\n${patch}`);
    const saved = join(cli.configFolder, "follow.json");
    await cli.run(["plan", files, "--out", saved]);
    const applied = await cli.json<{ zones: object[] }>(["apply", saved, "--yes"]);
    expect(applied.zones).toMatchObject([
      { reverseChanges: [{ address: at(1), included: true }], reverse: [{ domainName: reverse, error: null }] },
    ]);
    const undone = await cli.run(["history", "undo", name, "2", "--dry-run"]);
    expect(undone.stdout).toBe(
      `${name}: 1 to delete\n- one 300 A ${at(1)}\n- 1 3600 PTR one.${name} (in ${reverse})\n`,
    );
  });

  test("leave a saved plan valid after another zone has made them", async () => {
    const { name, at } = await following("follow");
    const other = await zone("beside.example");
    const { domains } = (await zw.admin.get(`/api/domains?name=${other}`)).body as { domains: { id: string }[] };
    await zw.admin.put(`/api/domains/${domains[0]?.id}`, { reverse: "follow" });
    const plans: string[] = [];
    for (const one of [name, other]) {
      const saved = join(cli.configFolder, `${one}.json`);
      await cli.run(["plan", await folder(one, `www 300 IN A ${at(1)}\n`), "--out", saved]);
      plans.push(saved);
    }
    for (const saved of plans) {
      const applied = { exitCode: 0, stdout: expect.stringContaining(": applied as revision "), stderr: "" };
      expect(await cli.run(["apply", saved, "--yes"])).toMatchObject(applied);
    }
  });

  test("and cannot yet be changed are named, and the exit code is 1", async () => {
    const { name, reverse, at } = await following("follow");
    const file = join(zw.dataDir, `zones/${reverse}.zone`);
    await rename(file, `${file}.away`);
    const late = expect.stringMatching(
      new RegExp(`${reverse.replaceAll(".", "\\.")}: PTR records not changed yet: .+\\. The server retries\\.\n`),
    );
    const added = await cli.run(["records", "add", name, "two", "A", at(2), "--yes"]);
    expect(added).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("Applied as revision "), stderr: late });
    const { exitCode, stdout } = await cli.run(["records", "add", name, "three", "A", at(3), "--yes", "--json"]);
    expect({ exitCode, ...(JSON.parse(stdout) as object) }).toMatchObject({
      exitCode: 1,
      applied: true,
      reverse: [{ domainName: reverse, revision: null, error: expect.any(String) }],
    });
    const files = await folder(name, `one 300 IN A ${at(1)}\ntwo 3600 IN A ${at(2)}\nthree 3600 IN A ${at(3)}\n`);
    expect(await cli.run(["apply", files, "--yes"])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining(`${name}: applied as revision `),
      stderr: late,
    });
    await rename(`${file}.away`, file);
  });

  test("only if they are chosen are offered, with the command that makes them", async () => {
    const { name, reverse, at } = await following("offer");
    const files = await folder(name, `one 300 IN A ${at(1)}\n`);
    const planned = await cli.run(["plan", files]);
    expect(planned.stdout).not.toContain("PTR");
    expect(planned.stderr).toBe(
      "Warning: 1 PTR change is offered: `zonewright reverse mend` makes them, afterwards.\n",
    );
    const added = ["records", "add", name, "one", "A", at(1), "--dry-run"];
    expect((await cli.run(added)).stderr).toBe("Warning: 1 PTR change is offered: --reverse makes them, too.\n");
    expect((await cli.run([...added, "--reverse"])).stdout).toContain(`+ 1 3600 PTR one.${name} (in ${reverse})\n`);
  });
});
