import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { domainWith, useCli } from "../support/cli.ts";
import { proxyOf } from "../support/proxy.ts";
import { registered, startGandi } from "../support/vendors/registrars/account.ts";
import { memberPassword, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
const cli = useCli(zw);

/** A domain with one record. */
const zone = async (name: string) => await domainWith(zw, name, "@ 300 IN NS ns1.example.net.\n");

describe("change requests", () => {
  let reviewer = "";
  beforeAll(async () => {
    await zw.services.users.create(zw.services.database.fork(), {
      username: "reviewer",
      password: memberPassword,
      email: null,
      role: "admin",
    });
    reviewer = (await zw.signIn("reviewer", memberPassword)).token ?? "";
  });

  test("are listed, shown, commented, approved by another person and applied; or rejected, or withdrawn", async () => {
    const name = await zone("review.example");
    const ask = (host: string) => ["records", "add", name, host, "A", "192.0.2.77", "--request", `Add ${host}`];
    const numbers: string[] = [];
    for (const host of ["one", "two", "three"])
      numbers.push(String((await cli.json<{ request: number }>(ask(host))).request));
    const [one = "", two = "", three = ""] = numbers;
    expect(await cli.must(["requests", "--domain", name, "--state", "open"])).toContain(
      `${one}\topen\t${name}\tAdd one\tadmin\t+1 ~0 -0\n`,
    );
    expect(await cli.json(["requests", "list", "--mine"])).toMatchObject({ total: 3 });
    expect(await cli.must(["requests", "show", one])).toContain(`${name}: 1 to create\n+ one 3600 A 192.0.2.77\n`);
    expect(await cli.json(["requests", "show", one])).toMatchObject({ changes: [{ action: "create", before: null }] });
    expect(await cli.must(["requests", "comment", one, "Which server?"])).toBe(`Commented on request ${one}.\n`);
    const own = await cli.run(["requests", "approve", one, "--yes"]);
    expect(own.exitCode).toBe(1);
    const env = { ZONEWRIGHT_TOKEN: reviewer };
    expect((await cli.run(["requests", "approve", one], { env })).stderr).toContain(
      `This would approve request ${one}. Add --yes to do it without a question.\n`,
    );
    expect(await cli.must(["requests", "approve", one, "--yes", "--note", "Fine"], { env })).toContain(
      `Request ${one} is approved now.\n`,
    );
    const changing = async (number: string) =>
      (await cli.json<{ changes: object[] }>(["requests", "show", number])).changes;
    for (const [number, verb, state, by] of [
      [one, "apply", "applied", {}],
      [two, "reject", "rejected", env],
      [three, "withdraw", "withdrawn", {}],
    ] as const) {
      const changes = await changing(number);
      expect(changes).toMatchObject([{ action: "create", before: null, after: { value: "192.0.2.77" } }]);
      expect(await cli.json(["requests", verb, number, "--yes"], { env: by })).toMatchObject({ state, changes });
    }
    expect((await cli.run(["requests", "show", "999"])).stderr).toBe(
      "There is no request 999, or you may not see it. `zonewright requests` lists those that you may.\n",
    );
  });

  test("are made once, however often the command runs while one is open, also if its answer was lost", async () => {
    const name = await zone("once.example");
    const losing = await proxyOf(zw, async (url, forward) => {
      if (!url.includes("changeRequests.create")) return undefined;
      await forward();
      return { status: 504, text: "<h1>504</h1>" };
    });
    const ask = (title: string) => ["records", "add", name, "new", "A", "192.0.2.77", "--request", title];
    const lost = await cli.run(ask("Once"), { env: { ZONEWRIGHT_URL: losing } });
    expect(lost).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^Outcome unknown\. /) });
    const found = () =>
      cli.json<{ total: number; requests: { number: number }[] }>(["requests", "--domain", name, "--state", "open"]);
    const [one] = (await found()).requests;
    expect(await cli.json(ask("Once"))).toMatchObject({ request: one?.number, applied: false });
    const again = `Request ${one?.number} already asks for this. See it with \`zonewright requests show ${one?.number}\`.\n`;
    expect((await cli.must(ask("Once"))).endsWith(again)).toBe(true);
    expect(await found()).toMatchObject({ total: 1 });
    for (const other of [ask("Another"), [...ask("Once"), "--message", "Why"], ask("Once").with(3, "other")])
      expect(await cli.must(other)).toContain("waits for a review.");
    expect(await found()).toMatchObject({ total: 4 });
    await cli.must(["requests", "withdraw", String(one?.number), "--yes"]);
    expect(await cli.must(ask("Once"))).toContain("waits for a review.");
    const file = join(cli.configFolder, `${name}.zone`);
    await writeFile(file, "@ 300 IN NS ns1.example.net.\nfile 300 IN A 192.0.2.78\n");
    const [first, second] = [
      await cli.must(["apply", file, "--request", "File"]),
      await cli.must(["apply", file, "--request", "File"]),
    ];
    const [, number] = /request (\d+) waits for a review\.\n$/.exec(first) ?? [];
    expect(second).toMatch(new RegExp(`request ${number} already asks for this\\.\n$`));
  });

  test("are made by a token that may not read them, too", async () => {
    const name = await zone("blind.example");
    const permissions = ["domains:read", "records:read", "records:write", "requests:write"];
    const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Blind", permissions });
    const env = { ZONEWRIGHT_TOKEN: (body as { token: string }).token };
    const ask = ["records", "add", name, "new", "A", "192.0.2.77", "--request", "Blind"];
    expect(await cli.must(ask, { env })).toContain("waits for a review.");
  });

  test("of a registration show each field before and after, with the warnings", async () => {
    const gandi = await startGandi();
    onTestFinished(() => gandi.stop());
    gandi.domains.set("registered.example", registered());
    const { config } = gandi;
    const { body: account } = await zw.admin.post("/api/registrar-configs", { kind: "gandi", name: "gandi", config });
    const { body: domain } = await zw.admin.post("/api/domains", { name: "registered.example" });
    await zw.admin.put(`/api/domains/${domain.id}`, { registrarConfigId: account.id });
    const { body: made } = await zw.admin.post(`/api/domains/${domain.id}/change-requests`, {
      title: "Let it go",
      registration: { autoRenew: false },
    });
    const shown = await cli.run(["requests", "show", String(made.number)]);
    expect(shown).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("Warning: Without automatic renewal") });
    expect(shown.stdout).toContain("registered.example: 1 field of the registration to change\n~ autoRenew on → off\n");
  });

  test("are what a domain with required reviews takes, and the message says how", async () => {
    const name = await zone("strict.example");
    const { body } = await zw.admin.get(`/api/domains?name=${name}`);
    const [{ id }] = (body as { domains: [{ id: string }] }).domains;
    await zw.admin.put(`/api/domains/${id}`, { reviewRequired: "everyone" });
    const refused = await cli.run(["records", "add", name, "x", "A", "192.0.2.1"]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toBe(
      "This domain requires a review of each change. Ask for one with --request 'what it is for'.\n",
    );
    const overridden = ["records", "add", name, "x", "A", "192.0.2.1", "--override"];
    expect((await cli.run(overridden)).stderr).toContain("--message");
    await cli.must([...overridden, "-m", "Outage"]);
    const editor = join(cli.configFolder, "strict.sh");
    await writeFile(editor, `#!/bin/sh\necho 'y 300 IN A 192.0.2.2' >> "$1"\n`, { mode: 0o755 });
    const edited = await cli.run(["records", "edit", name], { env: { EDITOR: editor }, columns: 80, input: "y\nn\n" });
    expect(edited.stderr).toContain("Ask for one with --request 'what it is for'.\n");
  });

  test("that are applied say at Ctrl-C where their outcome stands, as a domain does that is moved", async () => {
    const name = await zone("interrupted.example");
    await zw.admin.post("/api/provider-configs", { kind: "manual", name: "There", config: {} });
    const ask = ["records", "add", name, "new", "A", "192.0.2.77", "--request", "Interrupted"];
    const { request } = await cli.json<{ request: number }>(ask);
    for (const [procedure, args, look] of [
      [
        "changeRequests.applyRequest",
        ["requests", "apply", `${request}`],
        `requests show ${request}\` shows its state`,
      ],
      ["domains.update", ["domains", "move", name, "--to", "There"], `domains show ${name}\` shows where it is`],
    ] as const) {
      const { promise: interruptWhen, resolve } = Promise.withResolvers<void>();
      const url = await proxyOf(zw, async (call) => {
        if (!call.includes(procedure)) return undefined;
        resolve();
        return await new Promise(() => undefined);
      });
      const line = [...args, "--yes"];
      expect(await cli.run(line, { env: { ZONEWRIGHT_URL: url }, interruptWhen })).toMatchObject({
        exitCode: 130,
        stderr: `Interrupted before the server answered. \`zonewright ${look}.\n`,
      });
    }
  });
});
