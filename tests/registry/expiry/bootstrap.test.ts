import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { RdapBootstrap, readBootstrap } from "../../../server/registry/expiry/rdap/bootstrap.ts";
import { createLog } from "../../../server/platform/log.ts";
import { Clock, day, hour, minute } from "../../support/clock.ts";
import { bootstrapFile, duringTest, startRdapServer, type RdapServer } from "./registries.ts";
import { openDoor } from "../../platform/net/door.ts";

const clock = new Clock();
let file: string;
let listed: object;
let list: RdapServer;
beforeEach(async () => {
  const dir = await mkdtemp(join(tmpdir(), "zonewright-rdap-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  file = join(dir, "rdap-servers.json");
  listed = bootstrapFile({ "com net": "https://rdap.example/com/" });
  list = await duringTest(startRdapServer(() => listed));
});

function bootstrap(url = `${list.url}/dns.json`): RdapBootstrap {
  return new RdapBootstrap({ egress: openDoor(), log: createLog("silent"), now: clock.now, file, url });
}

test("the bootstrap list is fetched once for simultaneous lookups, and again after a day", async () => {
  const servers = bootstrap();
  const all = await Promise.all([
    servers.serversFor(["com"]),
    servers.serversFor(["net"]),
    servers.serversFor(["org"]),
  ]);
  expect(all).toEqual([["https://rdap.example/com/"], ["https://rdap.example/com/"], []]);
  clock.advance(23 * hour);
  await servers.serversFor(["com"]);
  expect(list.asked).toHaveLength(1);
  clock.advance(2 * hour);
  listed = bootstrapFile({ com: "https://new.example/" });
  expect(await servers.serversFor(["com"])).toEqual(["https://new.example/"]);
});

test("the longest suffix in the bootstrap list wins", async () => {
  listed = bootstrapFile({ br: "https://short.example/", "com.br": "https://long.example/" });
  expect(await bootstrap().serversFor(["com.br", "br"])).toEqual(["https://long.example/"]);
  expect(await bootstrap().serversFor(["net.br", "br"])).toEqual(["https://short.example/"]);
});

test("the bootstrap list survives a restart and a failure of its server", async () => {
  await bootstrap().serversFor(["com"]);
  listed = { status: 500, body: "" };
  expect(await bootstrap().serversFor(["com"])).toEqual(["https://rdap.example/com/"]);
  expect(list.asked).toHaveLength(1);
  clock.advance(30 * day);
  const servers = bootstrap();
  expect(await servers.serversFor(["com"])).toEqual(["https://rdap.example/com/"]);
  expect(list.asked).toHaveLength(2);
});

test("a failed fetch of the bootstrap list is retried after an hour and not before", async () => {
  listed = { status: 503, body: "" };
  const servers = bootstrap();
  await servers.serversFor(["com"]);
  clock.advance(59 * minute);
  await servers.serversFor(["com"]);
  expect(list.asked).toHaveLength(1);
  clock.advance(2 * minute);
  listed = bootstrapFile({ com: "https://rdap.example/" });
  expect(await servers.serversFor(["com"])).toEqual(["https://rdap.example/"]);
});

test("the built-in server list is used until the bootstrap list has been fetched", async () => {
  listed = { status: 500, body: "" };
  const servers = bootstrap();
  expect(await servers.serversFor(["com"])).toEqual(["https://rdap.verisign.com/com/v1/"]);
  expect(await servers.serversFor(["co.uk", "uk"])).toEqual(["https://rdap.nominet.uk/uk/"]);
  expect(await servers.serversFor(["io"])).toEqual(["https://rdap.identitydigital.services/rdap/"]);
  expect(await servers.serversFor(["internal"])).toEqual([]);
});

test.each(["", "{", "[]", '{"services":[]}', '{"services":[[["com"]]]}', '{"services":[[["com"],["ftp://x/"]]]}'])(
  "the answer %j is not a valid bootstrap list, and the last list stays in use",
  async (body) => {
    const servers = bootstrap();
    await servers.serversFor(["com"]);
    clock.advance(2 * day);
    listed = { status: 200, body };
    expect(await servers.serversFor(["com"])).toEqual(["https://rdap.example/com/"]);
    const kept = JSON.parse(await readFile(file, "utf8")) as { text: string };
    expect(readBootstrap(kept.text)?.get("com")).toEqual(["https://rdap.example/com/"]);
  },
);

test("a stored bootstrap list belongs to its address, and only its owner can read the file", async () => {
  await bootstrap().serversFor(["com"]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const other = await duringTest(startRdapServer(() => bootstrapFile({ com: "https://other.example/" })));
  expect(await bootstrap(`${other.url}/dns.json`).serversFor(["com"])).toEqual(["https://other.example/"]);
});

test("a damaged bootstrap file is fetched again", async () => {
  await writeFile(file, "{");
  expect(await bootstrap().serversFor(["com"])).toEqual(["https://rdap.example/com/"]);
});

test("https addresses in a bootstrap list come first, and case does not matter", () => {
  const text = JSON.stringify({ services: [[["COM"], ["http://a.example/", "https://b.example/", "gopher://c/"]]] });
  expect(readBootstrap(text)?.get("com")).toEqual(["https://b.example/", "http://a.example/"]);
});
