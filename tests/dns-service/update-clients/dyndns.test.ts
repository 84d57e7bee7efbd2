import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { parseAddresses } from "../../../server/dns-service/update-clients/dynamic-addresses.ts";
import { requireReview } from "../../zones/change-requests/requested.ts";
import { startZonewright, useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Zone } from "../../support/zones.ts";
import { basic, narrowedToken } from "./narrowed.ts";

const zw = useZonewright();

let zone: Zone;
let token: string;

beforeAll(async () => {
  zone = await manualZone(zw);
  token = await narrowedToken(zw.admin, { recordTypes: ["A", "AAAA"] });
});

/** Calls as a router does. @returns the status, and the lines */
async function update(query: string, headers: Record<string, string> = basic(token)): Promise<[number, ...string[]]> {
  const { status, body } = await zw.nobody.get(`/nic/update?${query}`, headers);
  return [status, ...String(body).trimEnd().split("\n")];
}

describe("an update", () => {
  test("sets the addresses of a host, says `nochg` when it has them, and leaves other records alone", async () => {
    const own = await fileZone(zw);
    const host = `home.${own.name}`;
    await own.add("TXT", "home", "stays");
    expect(await update(`hostname=${host}&myip=192.0.2.1`)).toEqual([200, "good 192.0.2.1"]);
    expect(await update(`hostname=${host}&myip=192.0.2.1`)).toEqual([200, "nochg 192.0.2.1"]);
    expect(await update(`hostname=${host}&myip=2001:DB8:0::1`)).toEqual([200, "good 2001:db8::1"]);
    expect(await update(`hostname=${host}&myip=192.0.2.2,2001:db8::1`)).toEqual([200, "good 192.0.2.2,2001:db8::1"]);
    expect(await own.lines()).toEqual(["home A 192.0.2.2", "home AAAA 2001:db8::1", "home TXT stays"]);
    expect((await own.records()).map(({ recordType, ttl }) => [recordType, ttl])).toContainEqual(["A", 60]);
    expect((await own.history()).length).toBe(4);
  });

  test("makes the address one of a personal token, which a replacement by a file can leave", async () => {
    const own = await manualZone(zw);
    expect(await update(`hostname=home.${own.name}&myip=192.0.2.1`)).toEqual([200, "good 192.0.2.1"]);
    const file = { zonefile: "www 300 IN A 192.0.2.2\n", mode: "replace", force: true };
    const { body } = await own.post("/zonefile", { ...file, leave: ["tokens"] });
    expect(body.warnings).toContain("Left 1 record as it is: 1 last written with personal tokens.");
    expect(await own.lines()).toEqual(["home A 192.0.2.1", "www A 192.0.2.2"]);
  });

  test("leaves a disabled address alone", async () => {
    const own = await manualZone(zw);
    const record = { recordType: "A", name: "home", value: "192.0.2.7", status: "disabled" };
    expect((await own.create(record)).status).toBe(201);
    expect(await update(`hostname=home.${own.name}&myip=192.0.2.7`)).toEqual([200, "good 192.0.2.7"]);
    const records = await own.records();
    expect(records.map(({ status, value }) => `${value} ${status}`).toSorted()).toEqual([
      "192.0.2.7 active",
      "192.0.2.7 disabled",
    ]);
  });

  test("replaces all addresses of a family by one", async () => {
    const own = await manualZone(zw);
    for (const value of ["192.0.2.7", "192.0.2.8", "192.0.2.9"]) await own.add("A", "many", value);
    expect(await update(`hostname=many.${own.name}&myip=192.0.2.8`)).toEqual([200, "good 192.0.2.8"]);
    expect(await own.lines()).toEqual(["many A 192.0.2.8"]);
  });

  test("an update sets the address of a host that ends in the zone's name twice, and of no other", async () => {
    const own = await manualZone(zw);
    const host = `home.${own.name}.${own.name}`;
    expect(await update(`hostname=${host}&myip=192.0.2.1`)).toEqual([200, "good 192.0.2.1"]);
    expect(await update(`hostname=${host}&myip=192.0.2.1`)).toEqual([200, "nochg 192.0.2.1"]);
    expect(await own.lines()).toEqual([`home.${own.name} A 192.0.2.1`]);
  });

  test("an update uses the caller's address if `myip` is absent or empty", async () => {
    const host = `here.${zone.name}`;
    expect(await update(`hostname=${host}`)).toEqual([200, "good 127.0.0.1"]);
    expect(await update(`hostname=${host}&myip=&system=dyndns&mx=NOCHG&wildcard=OFF`)).toEqual([
      200,
      "nochg 127.0.0.1",
    ]);
  });

  test("answers one line per host, in their order", async () => {
    const lines = await update(`hostname=a.${zone.name},nowhere.test,b.${zone.name},single&myip=192.0.2.3`);
    expect(lines).toEqual([200, "good 192.0.2.3", "nohost", "good 192.0.2.3", "notfqdn"]);
  });
});

describe("words for mistakes", () => {
  test.each([
    ["no host", "myip=192.0.2.1", "notfqdn"],
    ["an empty host", "hostname=&myip=192.0.2.1", "notfqdn"],
    ["a name without a domain", "hostname=home", "notfqdn"],
    ["a name that is none", "hostname=a..b.example", "notfqdn"],
    ["21 hosts", `hostname=${Array.from({ length: 21 }, (_, at) => `h${at}.a.example`).join(",")}`, "numhost"],
    ["a host that nobody has", "hostname=home.foreign.test", "nohost"],
  ])("%s", async (_what, query, word) => {
    expect(await update(query)).toEqual([200, word]);
  });

  test.each(["myip=localhost", "myip=192.0.2.1,192.0.2.2", "myip=fe80::1%25eth0", "myip=192.0.2.1/32", "myip=1"])(
    "an address that is none gets `dnserr` and changes nothing: %s",
    async (given) => {
      expect(await update(`hostname=bad.${zone.name}&${given}`)).toEqual([200, "dnserr"]);
      expect((await zone.lines()).filter((line) => line.startsWith("bad"))).toEqual([]);
    },
  );

  test("a host beside a CNAME, or in a zone that needs a review, gets `dnserr`", async () => {
    await zone.add("CNAME", "alias", "www.example.net");
    expect(await update(`hostname=alias.${zone.name}&myip=192.0.2.1`)).toEqual([200, "dnserr"]);
    const reviewed = await manualZone(zw);
    await requireReview(zw, reviewed, "everyone");
    expect(await update(`hostname=home.${reviewed.name}&myip=192.0.2.1`)).toEqual([200, "dnserr"]);
    expect(await reviewed.lines()).toEqual([]);
  });

  test("hosts that the token does not cover get `nohost`", async () => {
    const narrow = basic(await narrowedToken(zw.admin, { domainIds: [zone.id], hostPattern: "mine" }));
    expect(await update(`hostname=yours.${zone.name}&myip=192.0.2.1`, narrow)).toEqual([200, "nohost"]);
    const onlyA = basic(await narrowedToken(zw.admin, { recordTypes: ["A"] }));
    expect(await update(`hostname=six.${zone.name}&myip=2001:db8::1`, onlyA)).toEqual([200, "nohost"]);
  });

  test("credentials that open nothing get 401 and `badauth`", async () => {
    const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Broad", permissions: ["records:write"] });
    const readOnly = await narrowedToken(zw.admin, { recordTypes: ["A"], permissions: ["records:read"] });
    for (const headers of [{}, basic("wrong"), basic(body.token), basic(readOnly), basic(zw.admin.token ?? "")])
      expect(await update(`hostname=home.${zone.name}&myip=192.0.2.1`, headers)).toEqual([401, "badauth"]);
    const { headers } = await zw.nobody.get("/nic/update");
    expect(headers.get("www-authenticate")).toMatch(/^Basic realm=/);
  });

  test("other methods and paths do not exist", async () => {
    expect((await zw.nobody.post("/nic/update", {}, basic(token))).status).toBe(405);
    expect((await zw.nobody.get("/nic/other", basic(token))).status).toBe(404);
    expect(
      (await zw.nobody.send("HEAD", `/nic/update?hostname=head.${zone.name}`, undefined, basic(token))).status,
    ).toBe(405);
    expect(await zone.lines()).not.toContain("head A 127.0.0.1");
  });
});

test("a token that calls too often gets `abuse`", async () => {
  const limited = await startZonewright({ env: { RATE_LIMIT: "20" } });
  const made = await manualZone(limited);
  const headers = basic(await narrowedToken(limited.admin, { domainIds: [made.id] }));
  const answers: string[] = [];
  for (let count = 0; count < 25; count++)
    answers.push((await limited.nobody.get(`/nic/update?hostname=a.${made.name}`, headers)).body.trim());
  expect(answers[0]).toBe("good 127.0.0.1");
  expect(answers.at(-1)).toBe("abuse");
  await limited.stop();
});

test("addresses are read in any spelling, one of each family, and nothing else is taken for one", () => {
  expect(parseAddresses(["::ffff:192.0.2.1"])).toEqual({ A: "192.0.2.1", AAAA: null });
  fc.assert(
    fc.property(
      fc.ipV4(),
      fc.oneof(
        { weight: 9, arbitrary: fc.ipV6() },
        fc.ipV4().map((four) => `::ffff:${four}`),
      ),
      (four, six) => {
        const both = parseAddresses([six, four]);
        // It is an IPv4 address then: the second one.
        const isMapped = /^::ffff:\d+\./i.test(six);
        expect([both?.A, typeof both?.AAAA]).toEqual(isMapped ? [undefined, "undefined"] : [four, "string"]);
      },
    ),
  );
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 20 }), { minLength: 1, maxLength: 3 }), (texts) => {
      const found = parseAddresses(texts);
      expect(found === null || texts.every((text) => /^\s*[\d.:a-f]+\s*$/i.test(text))).toBe(true);
    }),
  );
});
