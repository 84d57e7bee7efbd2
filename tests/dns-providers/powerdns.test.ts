import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { kindByName } from "../../server/dns-providers/kinds.ts";
import { zoneId } from "../../server/dns-providers/powerdns/client.ts";
import { ProviderError, type DnsProvider } from "../../server/dns-providers/provider.ts";
import { createEgress } from "../../server/platform/net/egress.ts";
import { freePorts } from "../support/programs.ts";
import { create, record, remove, update } from "./zone-folder.ts";

const apiKey = "the-key-of-the-server";
const now = () => new Date();

function connect(url: string): DnsProvider {
  const egress = createEgress({ allow: [], now });
  onTestFinished(() => egress.close());
  const environment = { zonesFolder: "/nowhere", now, egress };
  const provider = kindByName("powerdns")?.connect?.({ url, apiKey }, environment);
  if (!provider) throw new Error("the kind powerdns is missing");
  return provider;
}

/** The requests sent to a server, and a server with scripted answers. */
interface Fake {
  url: string;
  patches: { name: string; type: string; ttl: number; records: { content: string; disabled: boolean }[] }[][];
}

type Say = (answer: ServerResponse, body: string) => void;

async function fake(zone: object, patch: Say): Promise<Fake> {
  const patches: Fake["patches"] = [];
  const server = createServer((request: IncomingMessage, answer) => {
    if (request.method === "GET") {
      answer.end(JSON.stringify(zone));
      return;
    }
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.once("end", () => {
      patches.push((JSON.parse(body) as { rrsets: Fake["patches"][number] }).rrsets);
      patch(answer, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/`, patches };
}

const refuse =
  (status: number, error: string): Say =>
  (answer) =>
    answer.writeHead(status).end(JSON.stringify({ error }));
const accept: Say = (answer) => answer.writeHead(204).end();

const served = (name: string, type: string, ...contents: string[]) => ({
  name,
  type,
  ttl: 300,
  records: contents.map((content) => ({ content, disabled: false })),
  comments: [],
});
const state = (...rrsets: object[]) => ({ kind: "Native", serial: 7, soa_edit_api: "DEFAULT", rrsets });
const www = record("www", "A", "192.0.2.1");
const ftp = record("ftp", "A", "192.0.2.2");

const mx = (value: string) => ({ ...record("mixed", "MX", value), priority: 20 });
const asks = (form: string) =>
  refuse(422, `Record www.example.com./TLSA '…': Not in expected format (parsed as '${form}')`);

async function errorOf(call: Promise<unknown>): Promise<ProviderError> {
  const error = await call.then(
    () => new Error("The call succeeded."),
    (reason: unknown) => reason,
  );
  if (error instanceof ProviderError) return error;
  throw error;
}

test.each([
  ["example.com", "example.com."],
  ["0/26.2.0.192.in-addr.arpa", "0=2F26.2.0.192.in-addr.arpa."],
  ["_udp.example.com", "=5Fudp.example.com."],
  ["xn--mnchen-3ya.example", "xn--mnchen-3ya.example."],
])("the zone %s has the id %s in a PowerDNS path", (zone, id) => {
  expect(zoneId(zone)).toBe(id);
});

test("PowerDNS RRsets are emptied before others are filled, and unchanged records are sent back as they came", async () => {
  const there = await fake(
    state(
      served("www.example.com.", "A", "192.0.2.1"),
      served("mixed.example.com.", "MX", "10 Mail.Example.COM.", "20 b.example."),
    ),
    accept,
  );
  const changes = [
    create(record("www", "CNAME", "cdn.example")),
    remove(www),
    update(mx("20 b.example"), mx("20 c.example")),
  ];
  const { outcomes } = await connect(there.url).applyChanges("example.com", changes);
  expect(outcomes).toEqual([{ ok: true }, { ok: true }, { ok: true }]);
  expect(there.patches).toHaveLength(1);
  expect(
    there.patches[0]?.map(({ name, type, records }) => [name, type, records.map(({ content }) => content)]),
  ).toEqual([
    ["www.example.com.", "A", []],
    ["mixed.example.com.", "MX", ["10 Mail.Example.COM.", "20 c.example."]],
    ["www.example.com.", "CNAME", ["cdn.example."]],
  ]);
  expect(there.patches[0]?.every((rrset) => !("comments" in rrset))).toBe(true);
});

test("an RRset that PowerDNS refuses by name fails alone, or with its atomic set", async () => {
  const there = await fake(state(), (answer, body) => {
    const bad = body.includes("www.example.com.");
    (bad ? refuse(422, "RRset www.example.com. IN A: Conflicts with pre-existing RRset") : accept)(answer, body);
  });
  const provider = connect(there.url);
  const changes = [create(ftp), create(www)];
  expect((await provider.applyChanges("example.com", changes)).outcomes).toEqual([
    { ok: true },
    { ok: false, message: expect.stringContaining("Conflicts with pre-existing RRset") },
  ]);
  expect(there.patches).toHaveLength(2);
  expect((await provider.applyChanges("example.com", changes, { atomic: true })).outcomes).toMatchObject([
    { ok: false, message: expect.stringContaining("Not applied") },
    { ok: false },
  ]);
  expect(there.patches).toHaveLength(3);
});

test("a notation that PowerDNS asks for is used only if it is the same record", async () => {
  const tlsa = record("www", "TLSA", "3 1 1 abcdef");
  const willing = await fake(state(), (answer, body) =>
    (body.includes("ABCDEF") ? accept : asks("3 1 1 ABCDEF"))(answer, body),
  );
  expect((await connect(willing.url).applyChanges("example.com", [create(tlsa)])).outcomes).toEqual([{ ok: true }]);
  const other = await fake(state(), asks("3 1 1 00"));
  expect((await connect(other.url).applyChanges("example.com", [create(tlsa)])).outcomes).toMatchObject([
    { ok: false },
  ]);
  expect(other.patches).toHaveLength(1);
});

test("a notation with spaces and angle brackets is used exactly as PowerDNS writes it", async () => {
  const value = '10 10 "u" "a;  b" "!^<b>.*$!x!" .';
  const form = String.raw`10 10 "u" "a\;  b" "!^<b>.*$!x!" .`;
  const there = await fake(state(), (answer, body) => {
    const asked = refuse(422, `Record www.example.com./NAPTR '…': Not in expected format (parsed as '${form}')`);
    (body.includes(JSON.stringify(form)) ? accept : asked)(answer, body);
  });
  const { outcomes } = await connect(there.url).applyChanges("example.com", [create(record("www", "NAPTR", value))]);
  expect(outcomes).toEqual([{ ok: true }]);
});

test("changing a missing record, or creating an existing one, is refused without a call to PowerDNS", async () => {
  const there = await fake(state(served("www.example.com.", "A", "192.0.2.1")), accept);
  const { outcomes } = await connect(there.url).applyChanges("example.com", [create(www), remove(ftp)]);
  expect(outcomes).toMatchObject([
    { ok: false, message: expect.stringContaining("already") },
    { ok: false, message: expect.stringContaining("no longer") },
  ]);
  expect(there.patches).toEqual([]);
});

test.each<[string, Say, "none" | "unknown"]>([
  ["cuts the connection after the request", (answer) => answer.destroy(), "unknown"],
  ["fails in the middle", refuse(500, "database is locked"), "unknown"],
  ["refuses the key", (answer) => answer.writeHead(401).end("Unauthorized"), "none"],
  ["finds the request too large", (answer) => answer.writeHead(400).end("Bad Request"), "none"],
  ["redirects", (answer) => answer.writeHead(302, { location: "http://127.0.0.1:1/" }).end(), "unknown"],
  ["lost the zone", (answer) => answer.writeHead(404).end("Not Found"), "none"],
])("a PowerDNS write has the right effect if the server %s", async (_what, patch, effect) => {
  const there = await fake(state(), patch);
  const error = await errorOf(connect(there.url).applyChanges("example.com", [create(www)]));
  expect(error.effect).toBe(effect);
  expect(error.message).not.toContain(apiKey);
});

test("the PowerDNS API key never appears in errors, even if the server repeats it", async () => {
  const there = await fake(state(), refuse(422, `who would use ${apiKey} as a key`));
  const [outcome] = (await connect(there.url).applyChanges("example.com", [create(www)])).outcomes;
  expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining("use ******** as") });
});

test("an unreachable PowerDNS server changes nothing, and another service at its address is reported", async () => {
  const [port] = await freePorts(1);
  const away = await errorOf(connect(`http://127.0.0.1:${port}`).applyChanges("example.com", [create(www)]));
  expect([away.effect, away.message]).toEqual(["none", expect.stringContaining("refused the connection")]);
  const other = await fake({ hello: "world" }, accept);
  expect((await errorOf(connect(other.url).listZones())).message).toContain("does not look like the PowerDNS API");
});

test("a secondary zone is not written, and a zone with a fixed serial has no fingerprint", async () => {
  const secondary = await fake({ ...state(), kind: "Slave" }, accept);
  const error = await errorOf(connect(secondary.url).applyChanges("example.com", [create(www)]));
  expect([error.effect, error.message]).toEqual(["none", expect.stringContaining("secondary")]);
  expect(await connect(secondary.url).fingerprint("example.com")).toBe("Slave 7");
  const still = await fake({ ...state(), soa_edit_api: "" }, accept);
  expect(await connect(still.url).fingerprint("example.com")).toBeNull();
});

test("zones of PowerDNS with a name that no domain can have are listed apart, with the reason", async () => {
  const there = await fake([{ name: "example.org." }, { name: "lan." }, { name: "." }], accept);
  const reason = expect.stringContaining("must look like");
  expect(await connect(there.url).listZones()).toEqual({
    names: ["example.org"],
    unusable: [
      { name: ".", reason },
      { name: "lan.", reason },
    ],
  });
});
