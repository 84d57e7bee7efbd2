import { EventEmitter, once } from "node:events";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { useCli } from "../support/cli.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const cli = useCli(zw);

interface Report {
  domain: string;
  changes: { action: string; before: { value: string } | null; after: { value: string; ttl: number } | null }[];
  applied: boolean;
  revision: number | null;
  request: number | null;
}

let count = 0;
/** A domain of its own for each test, with three records. */
let zone = "";
beforeEach(async () => {
  zone = `zone-${++count}.example`;
  const { body } = await zw.admin.post("/api/domains", { name: zone });
  const zonefile = "@ 300 IN NS ns1.example.net.\nwww 300 IN A 192.0.2.1\n@ 300 IN MX 10 mail.example.net.\n";
  await zw.admin.post(`/api/domains/${(body as { id: string }).id}/zonefile`, { zonefile });
});

describe("domains", () => {
  test("are added, listed and shown, as a table, for programs, and on 40 columns", async () => {
    expect(
      await cli.must(["domains", "add", "added.example", "added.example!internal", "--tag", "lab", "--group", "Ops"]),
    ).toBe("Added added.example with 0 records.\nAdded added.example!internal with 0 records.\n");
    const table = await cli.must(["domains", "list", "--tag", "lab"], { columns: 80 });
    expect(table).toBe(
      "domain                  records  status  expires  group  tags\n" +
        "added.example                 0  active           Ops    lab\n" +
        "added.example!internal        0  active           Ops    lab\n",
    );
    expect(await cli.must(["domains", "--tag", "lab", "--view", "default"])).toBe(
      "added.example\t0\tactive\t\tOps\tlab\n",
    );
    const { domains, total } = await cli.json<{ domains: { name: string }[]; total: number }>([
      "domains",
      "--tag",
      "lab",
    ]);
    expect({ total, names: domains.map(({ name }) => name) }).toEqual({
      total: 2,
      names: ["added.example", "added.example"],
    });
    const narrow = await cli.must(["domains", "--tag", "lab"], { columns: 40 });
    expect(narrow).toMatch(/^domain: added\.example\nrecords: 0\n/);
    expect(Math.max(...narrow.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(40);
    expect(await cli.must(["domains", "show", "added.example"], { columns: 80 })).toMatch(
      /^domain +added\.example\nprovider +\S/,
    );
    expect(await cli.json(["domains", "show", "added.example!internal"])).toMatchObject({
      view: "internal",
      tags: ["lab"],
    });
    expect((await cli.run(["domains", "--tag", "none"], { columns: 80 })).stderr).toBe("No matching domains.\n");
  });

  test("move to another provider after a question, which needs --yes without a terminal", async () => {
    const created = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "By hand", config: {} });
    expect(created.status).toBe(201);
    const asked = await cli.run(["domains", "move", zone, "--to", "By hand"]);
    expect(asked).toMatchObject({ exitCode: 1, stdout: "" });
    expect(asked.stderr).toMatch(
      /^This moves zone-\d+\.example with 3 records to By hand\. Add --yes to do it without a question\.\n$/,
    );
    const refused = await cli.run(["domains", "move", zone, "--to", "By hand"], { columns: 80, input: "n\n" });
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/Nothing was changed\.\n$/) });
    expect(await cli.json(["domains", "move", zone, "--to", "by HAND", "--yes"])).toMatchObject({
      providerConfigId: (created.body as { id: string }).id,
    });
    expect(await cli.run(["domains", "move", zone, "--to", "By hand", "--yes"])).toEqual({
      exitCode: 0,
      stdout: `${zone} is at By hand already.\n`,
      stderr: "",
    });
    expect((await cli.run(["domains", "move", zone, "--to", "Nobody", "--yes"])).stderr).toMatch(
      /^There is no provider configuration Nobody\. There are: .*By hand/,
    );
  });

  test("that do not exist, or have several views and no default, are refused with what to do", async () => {
    expect(await cli.run(["records", "nowhere.example"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr:
        "There is no domain nowhere.example, or you may not see it. `zonewright domains list` shows those that you may.\n",
    });
    for (const view of ["east", "west"]) await zw.admin.post("/api/domains", { name: `split.example!${view}` });
    const { exitCode, stderr } = await cli.run(["records", "split.example"]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/split\.example!east.*split\.example!west/);
    expect((await cli.run(["records", "split.example!west"])).exitCode).toBe(0);
  });
});

describe("records", () => {
  test("are listed as a table, as lines with tabs, and for programs", async () => {
    expect(await cli.must(["records", zone], { columns: 80 })).toBe(
      "name  ttl  type  value\n@     300  MX    10 mail.example.net\n@     300  NS    ns1.example.net\nwww   300  A     192.0.2.1\n",
    );
    expect(await cli.must(["records", "list", zone, "--type", "A"])).toBe(
      "www\t300\tA\t192.0.2.1\t\n".replace("\t\n", "\n"),
    );
    const { records, total } = await cli.json<{ records: object[]; total: number }>([
      "records",
      zone,
      "--search",
      "mail",
    ]);
    expect({ records, total }).toMatchObject({
      total: 1,
      records: [{ recordType: "MX", value: "10 mail.example.net" }],
    });
    expect(await cli.must(["records", zone, "--at", "0"])).not.toContain("www");
    expect((await cli.run(["records", zone, "--at", "one"])).stderr).toBe("--at must be a whole number, such as 12.\n");
  });

  test("long values are wrapped on a narrow terminal, and text that would control it is escaped", async () => {
    const text = `${"long text ".repeat(9)}\u001b[31mred\u202e`;
    await cli.must(["import", zone, "-"], { input: `txt 300 IN TXT "${text.replace("\u001b", String.raw`\027`)}"\n` });
    const narrow = await cli.must(["records", zone, "--type", "TXT"], { columns: 40 });
    expect(Math.max(...narrow.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(40);
    expect(narrow.replaceAll(/\s+/g, "")).toContain(String.raw`longtext\027[31mred\u202e`);
    const piped = await cli.must(["records", zone, "--type", "TXT"]);
    expect(["\u001b", "\u202e"].filter((character) => piped.includes(character))).toEqual([]);
    const { records } = await cli.json<{ records: { value: string }[] }>(["records", zone, "--type", "TXT"]);
    expect(records[0]?.value).toBe(text);
  });

  test("plans and fields break between words on 40 columns, and progress stays on its line", async () => {
    const value = `v=spf1 ${"include:_spf.mail.example.net ".repeat(4)}-all`;
    const { stdout } = await cli.run(["records", "add", zone, "narrow", "TXT", value, "--dry-run"], { columns: 40 });
    const [, first = "", ...rest] = stdout.trimEnd().split("\n");
    expect(first).toBe("+ narrow 3600 TXT v=spf1");
    expect(rest.every((line) => line.startsWith("    ") && line.length <= 40)).toBe(true);
    expect([first, ...rest.map((line) => line.trim())].join(" ")).toBe(`+ narrow 3600 TXT ${value}`);
    const fields = await cli.must(["whoami"], { columns: 40 });
    expect(fields).toContain("\npermissions     domains:read\n                domains:write\n");
    const { stderr } = await cli.run(["drift", zone], { columns: 20 });
    expect(stderr.split("\r\u001b[2K")).toEqual(["", `Reading ${zone} …`.slice(0, 19), ""]);
  });

  test("are added by a plan that is shown, with a reason that the history keeps", async () => {
    const added = await cli.must([
      "records",
      "add",
      zone,
      "api",
      "A",
      "192.0.2.8",
      "192.0.2.9",
      "--ttl",
      "5m",
      "-m",
      "New API",
    ]);
    expect(added).toBe(`${zone}: 2 to create\n+ api 300 A 192.0.2.8\n+ api 300 A 192.0.2.9\nApplied as revision 2.\n`);
    expect(await cli.json<Report>(["records", "add", zone, "mx", "mx", "10 mail.example.net"])).toMatchObject({
      domain: zone,
      changes: [{ action: "create", before: null, after: { name: "mx", value: "10 mail.example.net", ttl: 3600 } }],
      warnings: [],
      applied: true,
      revision: 3,
      request: null,
    });
    expect(await cli.must(["history", zone])).toContain("\tadmin\tbulk\t+2 ~0 -0\tNew API\n");
    const refused = await cli.run(["records", "add", zone, "www", "CNAME", "example.net"]);
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
    expect(refused.stderr).toBe(
      "A CNAME must be the only record of its name, and www also has A; delete one of them.\n",
    );
    expect((await cli.run(["records", "add", zone, "x", "A", "192.0.2.1", "--ttl", "soon"])).stderr).toBe(
      "--ttl must be seconds, such as 300, or have a unit: 5m, 1h, 1d, 1w.\n",
    );
  });

  test("a name is set to exactly some values, and setting it again changes nothing", async () => {
    const set = ["records", "set", zone, "www", "A", "192.0.2.7", "192.0.2.8"];
    expect(await cli.run([...set, "--dry-run"])).toEqual({
      exitCode: 2,
      stdout: `${zone}: 1 to create, 1 to update\n~ www 300 A 192.0.2.1 → 192.0.2.7\n+ www 300 A 192.0.2.8\n`,
      stderr: "",
    });
    await cli.must(set);
    expect(await cli.json<Report>(set)).toMatchObject({ changes: [], applied: false });
    // One of three values goes: that is asked.
    const fewer = ["records", "set", zone, "www", "A", "192.0.2.8", "--ttl", "60"];
    const asked = await cli.run(fewer);
    expect(asked.exitCode).toBe(1);
    expect(asked.stderr).toContain(
      `This changes ${zone}: 1 to update, 1 to delete. Add --yes to do it without a question.\n`,
    );
    await cli.must([...fewer, "--yes"]);
    expect(await cli.must(["records", zone, "--name", "www"])).toBe("www\t60\tA\t192.0.2.8\n");
  });

  test("setting a name enables a disabled record with a wanted value, and never counts it as served", async () => {
    const spare = async (value: string) =>
      await cli.must(["records", "add", zone, "www", "A", value, "--ttl", "300", "--disabled"]);
    const set = ["records", "set", zone, "www", "A"];
    const lines = async () => {
      const listed = (await cli.must(["records", zone, "--name", "www"])).trimEnd().split("\n");
      return listed.map((line) => line.trimEnd()).toSorted();
    };
    await spare("192.0.2.7");
    expect(await cli.must([...set, "192.0.2.7", "--yes"])).toBe(
      `${zone}: 1 to update, 1 to delete\n- www 300 A 192.0.2.1\n~ www 300 A 192.0.2.7 (disabled) → active\nApplied as revision 3.\n`,
    );
    // One that is in DNS is enough, whatever a disabled copy of it says.
    await spare("192.0.2.7");
    expect(await cli.json<Report>([...set, "192.0.2.7"])).toMatchObject({ changes: [], applied: false });
    await spare("192.0.2.8");
    // A disabled record makes no room for another value.
    expect(await cli.json<Report>([...set, "192.0.2.7", "192.0.2.9"])).toMatchObject({
      changes: [{ action: "create", after: { value: "192.0.2.9" } }],
    });
    expect(await lines()).toEqual([
      "www\t300\tA\t192.0.2.7",
      "www\t300\tA\t192.0.2.7\tdisabled",
      "www\t300\tA\t192.0.2.8\tdisabled",
      "www\t300\tA\t192.0.2.9",
    ]);
    await cli.must([...set, "192.0.2.8", "--disabled", "--yes"]);
    expect(await lines()).toEqual(["www\t300\tA\t192.0.2.8\tdisabled"]);
  });

  test("are removed after a question; no, and Ctrl-C in it, change nothing", async () => {
    const remove = ["records", "rm", zone, "www"];
    const no = await cli.run(remove, { columns: 80, input: "no\n" });
    expect(no).toMatchObject({ exitCode: 1, stdout: `${zone}: 1 to delete\n- www 300 A 192.0.2.1\n` });
    expect(no.stderr).toBe("Apply? [y/N] Nothing was changed.\n");
    const interrupted = await cli.run(remove, { columns: 80, interruptAt: /Apply\?/ });
    expect(interrupted).toMatchObject({ exitCode: 130, stderr: "Apply? [y/N] \nStopped. Nothing was changed.\n" });
    expect(await cli.must(["records", zone, "--name", "www"])).not.toBe("");
    const yes = await cli.run(remove, { columns: 80, input: "y\n" });
    expect(yes).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Applied as revision 2.\n") as string });
    expect(yes.stderr).toContain(`To undo it: zonewright history undo ${zone} 2\n`);
    expect((await cli.run(remove)).stderr).toBe(
      `${zone} has no record www. \`zonewright records ${zone}\` lists them.\n`,
    );
    await cli.must(["history", "undo", zone, "2"]);
    expect(await cli.must(["records", zone, "--name", "www"])).toBe("www\t300\tA\t192.0.2.1\n");
  });

  test("Ctrl-C while a change is being made says where its outcome stands", async () => {
    const reached = new EventEmitter();
    const interruptWhen = once(reached, "apply").then(() => undefined);
    // The service, except that it never answers to an apply.
    const silent = createServer((request, response) => {
      if (request.url?.startsWith("/trpc/records.applyPlan") === true) {
        reached.emit("apply");
        return;
      }
      const { method = "GET", headers } = request;
      const forwarded = httpRequest(new URL(request.url ?? "", zw.url), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(forwarded);
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const env = { ZONEWRIGHT_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
    const interrupted = await cli.run(["records", "add", zone, "late", "A", "192.0.2.1"], { env, interruptWhen });
    expect(interrupted).toEqual({
      exitCode: 130,
      stdout: `${zone}: 1 to create\n+ late 3600 A 192.0.2.1\n`,
      stderr: `Interrupted before the server answered. \`zonewright history ${zone}\` shows whether it was applied.\n`,
    });
  });

  test("colors stand only on a terminal, and not with NO_COLOR", async () => {
    const line = ["records", "add", zone, "c", "A", "192.0.2.3", "--dry-run"];
    expect((await cli.run(line, { columns: 80, env: { NO_COLOR: "", TERM: "xterm" } })).stdout).toContain(
      "\u001b[32m+ c 3600 A 192.0.2.3\u001b[39m",
    );
    expect((await cli.run(line, { columns: 80 })).stdout).not.toContain("\u001b");
    expect((await cli.run(line, { env: { NO_COLOR: "", TERM: "xterm" } })).stdout).not.toContain("\u001b");
  });

  test("a change is requested for a review instead", async () => {
    const line = ["records", "add", zone, "r", "A", "192.0.2.3", "--request", "A third server"];
    const { request, applied } = await cli.json<Report>(line);
    expect({ request: typeof request, applied }).toEqual({ request: "number", applied: false });
    const other = ["records", "add", zone, "r", "A", "192.0.2.4", "--request", "Another"];
    expect(await cli.must(other)).toMatch(/\nRequest \d+ waits for a review\./);
    expect(await cli.must(["records", zone, "--name", "r"])).toBe("");
  });
});

describe("the editor", () => {
  let script = "";
  beforeAll(() => {
    script = join(cli.configFolder, "editor.sh");
  });

  /** An editor that runs these commands on the file. */
  async function editor(...commands: string[]): Promise<Record<string, string>> {
    const counted = commands.map((command, index) => `${index + 1}) ${command} ;;`);
    const times = join(cli.configFolder, "times");
    await rm(times, { force: true });
    await writeFile(
      script,
      `#!/bin/sh\necho x >> ${times}\ncase $(wc -l < ${times} | tr -d ' ') in\n${counted.join("\n")}\nesac\n`,
    );
    await chmod(script, 0o755);
    return { EDITOR: script };
  }

  test("opens the zone, shows the plan, and applies it after a yes", async () => {
    const env = await editor(`sed -i 's/192.0.2.1/192.0.2.99/' "$1"`);
    expect(await cli.run(["records", "edit", zone], { env, columns: 80, input: "y\n" })).toEqual({
      exitCode: 0,
      stdout: `${zone}: 1 to update\n~ www 300 A 192.0.2.1 → 192.0.2.99\nApplied as revision 2.\n`,
      stderr: `Apply? [y/N] To undo it: zonewright history undo ${zone} 2\n`,
    });
    const same = await cli.run(["records", "edit", zone], { env: await editor("true"), columns: 80 });
    expect(same).toMatchObject({ exitCode: 0, stdout: "", stderr: "Nothing was changed.\n" });
  });

  test("a key that interrupts within the editor does not end the command", async () => {
    // What runs the shell that runs this, or what runs this.
    const parent = `parent=$PPID; case $(cat /proc/$parent/comm) in *sh) parent=$(cut -d' ' -f4 /proc/$parent/stat) ;; esac`;
    const edited = await editor(`${parent}; kill -INT $parent; sed -i 's/192.0.2.1/192.0.2.98/' "$1"`);
    // As a process, which gets signals.
    const env = { ...edited, NODE_NO_WARNINGS: "1" };
    expect(await cli.run(["records", "edit", zone], { env, columns: 80, input: "y\n" })).toMatchObject({
      exitCode: 0,
      stdout: `${zone}: 1 to update\n~ www 300 A 192.0.2.1 → 192.0.2.98\nApplied as revision 2.\n`,
    });
  });

  test("opens a file with an error again, and loses nothing when the user stops", async () => {
    const env = await editor(`echo 'bad 300 IN A 192.0.2.999' >> "$1"`, `sed -i 's/192.0.2.999/192.0.2.9/' "$1"`);
    const mended = await cli.run(["records", "edit", zone], { env, columns: 80, input: "y\ny\n" });
    expect(mended.stderr).toMatch(/line \d+/i);
    expect(mended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("+ bad 300 A 192.0.2.9\n") as string });
    const stopped = await cli.run(["records", "edit", zone], {
      env: await editor(`echo 'bad2 300 IN A x' >> "$1"`),
      columns: 80,
      input: "n\n",
    });
    expect(stopped.exitCode).toBe(1);
    const [, kept = ""] = /Your edits are in (.+)\.\n$/.exec(stopped.stderr) ?? [];
    expect(await readFile(kept, "utf8")).toContain("bad2 300 IN A x");
    await rm(join(kept, ".."), { recursive: true });
    const refused = await cli.run(["records", "edit", zone], {
      env: await editor(`echo 'good 300 IN A 192.0.2.4' >> "$1"`),
      columns: 80,
      input: "n\n",
    });
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Your edits are in ") as string });
  });

  test.each([
    ["the input ends at the question whether to edit again", [`echo 'bad 300 IN A x' >> "$1"`], ""],
    ["the editor fails the second time", [`echo 'bad 300 IN A x' >> "$1"`, "exit 3"], "y\n"],
  ])("says where the edits are when %s", async (_, commands, input) => {
    const { exitCode, stderr } = await cli.run(["records", "edit", zone], {
      env: await editor(...commands),
      columns: 80,
      input,
    });
    const [, kept = ""] = /Your edits are in (.+)\.$/m.exec(stderr) ?? [];
    expect({ isDone: exitCode === 0, kept: await readFile(kept, "utf8") }).toEqual({
      isDone: false,
      kept: expect.stringContaining("bad 300 IN A x"),
    });
    await rm(join(kept, ".."), { recursive: true });
  });

  describe("while others change the zone", () => {
    /** A shell command that adds a record by the API, as somebody else might while the editor is open. */
    const meanwhile = (body: object) =>
      `curl -s -X POST '${zw.url}/api/domains/${id}/records' -H 'authorization: Bearer ${cli.token}' -H 'content-type: application/json' -d '${JSON.stringify(body)}' >/dev/null`;
    let id = "";
    beforeEach(async () => {
      id = (await cli.json<{ id: string }>(["domains", "show", zone])).id;
    });

    test("an edit leaves what others added, and changes only what was edited", async () => {
      const env = await editor(
        `sed -i 's/^www.*/changed 300 IN A 192.0.2.98/' "$1"; ${meanwhile({ recordType: "A", name: "bobs", value: "192.0.2.77" })}`,
      );
      const edited = await cli.run(["records", "edit", zone, "--yes"], { env, columns: 80 });
      expect(edited).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining(
          `${zone} has changed since you opened it (\`zonewright history ${zone}\`). That stays: only your changes are made.\n`,
        ) as string,
      });
      expect(edited.stdout).toContain("+ changed 300 A 192.0.2.98\n");
      expect(edited.stdout).not.toContain("bobs");
      expect(await cli.must(["records", zone, "--name", "bobs"])).toContain("192.0.2.77");
      expect(await cli.must(["records", zone, "--name", "www"])).toBe("");
    });

    test("an edit of a record that somebody else changed is refused, and kept", async () => {
      const added = meanwhile({ recordType: "A", name: "www", value: "192.0.2.2", ttl: 300 });
      const env = await editor(`sed -i 's/192.0.2.1/192.0.2.3/' "$1"; ${added}`);
      const edited = await cli.run(["records", "edit", zone, "--yes"], { env, columns: 80 });
      expect(edited).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: expect.stringContaining("You and somebody else changed www A.") as string,
      });
      const [, kept = ""] = /Your edits are in (.+)\.\n$/.exec(edited.stderr) ?? [];
      expect(await readFile(kept, "utf8")).toContain("192.0.2.3");
      await rm(join(kept, ".."), { recursive: true });
      expect(await cli.must(["records", zone, "--name", "www"])).toBe(
        "www\t300\tA\t192.0.2.1\nwww\t300\tA\t192.0.2.2\n",
      );
    });
  });

  test("needs a terminal, and one that runs", async () => {
    expect((await cli.run(["records", "edit", zone])).stderr).toBe(
      "`records edit` needs a terminal. Use `zonewright import` for a file that you have.\n",
    );
    const missing = await cli.run(["records", "edit", zone], { env: { EDITOR: "/no/such/editor" }, columns: 80 });
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr).toContain(
      "/no/such/editor ended with 127. Nothing was changed; set EDITOR to another editor.\n",
    );
  });
});

test("a disabled record survives an edit of others", async () => {
  await cli.must(["records", "add", zone, "off", "A", "192.0.2.66", "--disabled", "--comment", "Later"]);
  const script = join(cli.configFolder, "add.sh");
  await writeFile(
    script,
    `#!/bin/sh\ncp "$1" "${join(cli.configFolder, "seen.zone")}"\necho 'more 300 IN A 192.0.2.7' >> "$1"\n`,
  );
  await chmod(script, 0o755);
  const edited = await cli.run(["records", "edit", zone], { env: { EDITOR: script }, columns: 80, input: "y\n" });
  expect(edited).toMatchObject({
    exitCode: 0,
    stdout: `${zone}: 1 to create\n+ more 300 A 192.0.2.7\nApplied as revision 3.\n`,
  });
  expect(await cli.must(["records", zone, "--name", "off"])).toBe("off\t3600\tA\t192.0.2.66\tdisabled, Later\n");
});
