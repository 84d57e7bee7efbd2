import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
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

/** Passes a call on, also one whose answer is a stream. */
function passOn(req: IncomingMessage, res: ServerResponse): void {
  const onward = httpRequest(`${zw.url}${req.url}`, { method: req.method, headers: req.headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  req.pipe(onward);
  onward.on("error", () => res.destroy());
  res.on("close", () => onward.destroy());
}

/** Has a proxy listen until the test ends. @returns the variable that names it */
async function throughProxy(proxy: Server): Promise<{ ZONEWRIGHT_URL: string }> {
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { ZONEWRIGHT_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
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
      passOn(req, res);
      if (!isStream || streams > 1) return;
      cut = async () => {
        isDown = true;
        res.destroy();
        for (const host of ["one", "two"]) await cli.must(["records", "add", name, host, "A", "192.0.2.50"]);
        isDown = false;
      };
    });
    let cut: (() => Promise<void>) | undefined;
    const watched = await cli.run(["watch", name], {
      env: await throughProxy(proxy),
      once: { printed: /Watching/, act: () => cut?.() ?? Promise.resolve() },
      interruptAt: /\+ two/,
    });
    expect(watched).toMatchObject({
      exitCode: 0,
      stderr: `Watching ${name} from revision 1. Ctrl-C ends it.\nDisconnected. Connecting again.\nConnected again.\n`,
    });
    expect(watched.stdout.match(/revision \d|\+ \w+/g)).toEqual(["revision 2", "+ one", "revision 3", "+ two"]);
  });

  test("shows a change although the server did not answer when it was first asked for it", async () => {
    const name = await zone("away.example");
    let refusals = 2;
    const proxy = createServer((req, res) => {
      if (req.url?.includes("records.history") !== true || refusals === 0) {
        passOn(req, res);
        return;
      }
      refusals -= 1;
      res.writeHead(502, { "content-type": "text/html" }).end("<html>502 Bad Gateway</html>");
    });
    const watched = await cli.run(["watch", name], {
      env: await throughProxy(proxy),
      once: { printed: /Watching/, act: () => cli.must(["records", "add", name, "a", "A", "192.0.2.50"]) },
      interruptAt: /\+ a 3600/,
    });
    expect(watched).toMatchObject({
      exitCode: 0,
      stderr: `Watching ${name} from revision 1. Ctrl-C ends it.\nThe changes of ${name} cannot be read now. Trying again …\n`,
    });
  });

  test("ends with 1 when the server refuses to show a change", async () => {
    const name = await zone("refused.example");
    const proxy = createServer((req, res) => {
      if (req.url?.includes("records.history") !== true) passOn(req, res);
      else {
        const problem = { title: "You may not see this.", code: "FORBIDDEN" };
        res.writeHead(403, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
      }
    });
    const watched = await cli.run(["watch", name], {
      // As a process, which an open stream would keep alive.
      env: { ...(await throughProxy(proxy)), NODE_NO_WARNINGS: "1" },
      once: { printed: /Watching/, act: () => cli.must(["records", "add", name, "a", "A", "192.0.2.50"]) },
    });
    expect(watched).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `Watching ${name} from revision 1. Ctrl-C ends it.\nYou may not see this.\n`,
    });
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
