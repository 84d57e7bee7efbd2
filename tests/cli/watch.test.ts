import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { domainWith, useCli } from "../support/cli.ts";
import { memberPassword, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
const cli = useCli(zw);

const nameServer = "@ 300 IN NS ns1.example.net.\n";
const zone = async (name: string, zonefile = nameServer) => await domainWith(zw, name, zonefile);

async function requestChange(): Promise<void> {
  // The one who asks is not notified.
  const asker = { username: "asker", password: memberPassword, email: null, role: "admin" } as const;
  await zw.services.users.create(zw.services.database.fork(), asker);
  const client = await zw.signIn("asker", memberPassword);
  const { body } = await client.get("/api/domains?name=asked.example");
  const [{ id }] = (body as { domains: [{ id: string }] }).domains;
  const changes = [{ action: "create", record: { recordType: "A", name: "n", value: "192.0.2.1" } }];
  await client.post(`/api/domains/${id}/change-requests`, { title: "Heard of", changes });
}

describe("watch", () => {
  test("shows each change of a domain until Ctrl-C, as a patch and as lines of JSON", async () => {
    const name = await zone("watched.example");
    const watched = async (host: string, options: string[], interruptAt: RegExp) =>
      await cli.run(["watch", name, ...options], {
        once: {
          printed: /Watching/,
          act: () => cli.must(["records", "add", name, host, "A", "192.0.2.50", "-m", "Seen"]),
        },
        interruptAt,
      });
    const patch = await watched("a", [], /\+ a 3600/);
    expect(patch).toMatchObject({ exitCode: 0, stderr: `Watching ${name} from revision 1. Ctrl-C ends it.\n` });
    expect(patch.stdout).toMatch(
      /^\S+ \S+ {2}admin, edit, revision 2: Seen\nwatched\.example: 1 to create\n\+ a 3600 A 192\.0\.2\.50\n$/,
    );
    const { stdout } = await watched("b", ["--json"], /"revision":3.*\n/);
    expect(JSON.parse(stdout)).toMatchObject({ domain: name, revision: 3, message: "Seen" });
  });

  test("shows what changed while its connection was lost", async () => {
    const name = await zone("cut.example");
    // Behind a proxy that cuts the stream while there is a change, and lets no other through until then.
    let streams = 0;
    let isDown = false;
    const proxy = createServer((req, res) => {
      if (isDown) {
        res.destroy();
        return;
      }
      const isStream = req.url?.includes("domains.watch") === true;
      if (isStream) streams += 1;
      const onward = httpRequest(`${zw.url}${req.url}`, { method: req.method, headers: req.headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      });
      req.pipe(onward);
      onward.on("error", () => res.destroy());
      res.on("close", () => onward.destroy());
      if (!isStream || streams > 1) return;
      cut = async () => {
        isDown = true;
        res.destroy();
        for (const host of ["one", "two"]) await cli.must(["records", "add", name, host, "A", "192.0.2.50"]);
        isDown = false;
      };
    });
    let cut: (() => Promise<void>) | undefined;
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const { port } = proxy.address() as AddressInfo;
    onTestFinished(() => {
      proxy.close();
      proxy.closeAllConnections();
    });
    const watched = await cli.run(["watch", name], {
      env: { ZONEWRIGHT_URL: `http://127.0.0.1:${port}` },
      once: { printed: /Watching/, act: () => cut?.() ?? Promise.resolve() },
      interruptAt: /\+ two/,
    });
    expect(watched).toMatchObject({
      exitCode: 0,
      stderr: `Watching ${name} from revision 1. Ctrl-C ends it.\nDisconnected. Connecting again.\nConnected again.\n`,
    });
    expect(watched.stdout.match(/revision \d|\+ \w+/g)).toEqual(["revision 2", "+ one", "revision 3", "+ two"]);
  });

  test("a change of many records says that it shows the first of them", async () => {
    const name = await zone("many.example");
    const records = Array.from({ length: 150 }, (_, index) => `h${index} 300 IN A 192.0.2.1`).join("\n");
    const watched = await cli.run(["watch", name], {
      once: { printed: /Watching/, act: () => cli.must(["import", name, "-", "--yes"], { input: `${records}\n` }) },
      interruptAt: /These are/,
    });
    expect(watched.stderr).toContain("These are the first 100 of 150 changes.\n");
  });

  test("shows notifications as they come", async () => {
    await zone("asked.example");
    const heard = await cli.run(["watch"], {
      once: { printed: /Watching/, act: requestChange },
      interruptAt: /Heard of/,
    });
    expect(heard).toMatchObject({ exitCode: 0, stderr: "Watching. Ctrl-C ends it.\n" });
    expect(heard.stdout).toContain("Heard of");
  });
});
