import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { classes } from "../../../server/dns/wire/messages.ts";
import { anyRecord, prerequisite as pre, update } from "../../support/name-servers/update-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newZone } from "./key-clients.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const [noError, formErr, nxDomain, refused, yxDomain, yxRrset, nxRrset, notAuth, notZone] = [
  0, 1, 3, 5, 6, 7, 8, 9, 10,
];

let zone: Awaited<ReturnType<typeof newZone>>;
const before = [
  "@ 300 NS ns1.example.net",
  "@ 300 NS ns2.example.net",
  "alias 300 CNAME www.example.com",
  "deep.er 300 A 192.0.2.9",
  "www 300 A 192.0.2.1",
  "www 300 A 192.0.2.2",
  'www 300 TXT say "hi"',
];

beforeAll(async () => {
  zone = await newZone(zw, "forms.example");
});
beforeEach(async () => {
  const zonefile = before
    .map((line) =>
      line.replace(/^(\S+) (\d+) (\S+) (.*)$/, (_, name, ttl, type, value) => {
        const data = type === "TXT" ? '"say \\"hi\\""' : type === "A" ? value : `${value}.`;
        return `${name} ${ttl} IN ${type} ${data}`;
      }),
    )
    .join("\n");
  const { status, body } = await zw.admin.post(`/api/domains/${zone.id}/zonefile`, {
    zonefile,
    mode: "replace",
    force: true,
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
});

describe("a prerequisite", () => {
  test.each([
    ["that a name is in use", pre.nameInUse("www"), noError],
    ["that a name is in use, of one with names below it only", pre.nameInUse("er"), nxDomain],
    ["that a name is in use, of the apex", pre.nameInUse("@"), noError],
    ["that a name is in use, of a free one", pre.nameInUse("free"), nxDomain],
    ["that a name is not in use", pre.nameUnused("free"), noError],
    ["that a name is not in use, of one that is", pre.nameUnused("www"), yxDomain],
    ["that an RRset exists", pre.rrsetExists("www", "TXT"), noError],
    ["that an RRset exists, of the SOA", pre.rrsetExists("@", "SOA"), noError],
    ["that an RRset exists, which does not", pre.rrsetExists("www", "AAAA"), nxRrset],
    ["that an RRset does not exist", pre.rrsetAbsent("www", "AAAA"), noError],
    ["that an RRset does not exist, which does", pre.rrsetAbsent("www", "A"), yxRrset],
    ["that a record is the whole RRset, of one of two", pre.rrsetHas("www", "A", "192.0.2.1"), nxRrset],
    ["that a record is the whole RRset", pre.rrsetHas("deep.er", "A", "192.0.2.9"), noError],
    ["that a record is the whole RRset, of another value", pre.rrsetHas("deep.er", "A", "192.0.2.8"), nxRrset],
    ["with a TTL", anyRecord("www", "A", classes.any, 1, null), formErr],
    ["of a class that means nothing", anyRecord("www", "A", 3, 0, null), formErr],
    ["that an RRset exists, with a value", anyRecord("www", "A", classes.any, 0, "192.0.2.1"), formErr],
    ["that an RRset does not exist, with a value", anyRecord("www", "A", classes.none, 0, "192.0.2.1"), formErr],
    ["that a text exists, without a value", anyRecord("www", "TXT", classes.in, 0, null), formErr],
    ["about a type of questions", anyRecord("www", "AXFR", classes.any, 0, null), formErr],
    ["outside the zone", () => pre.nameInUse("www")("other.example"), notZone],
  ])("%s is answered with its RCODE, and only NOERROR changes the zone", async (_, prerequisite, rcode) => {
    expect(await zone.client.update([update.add("new", "A", "192.0.2.7")], [prerequisite])).toBe(rcode);
    expect(await zone.lines()).toEqual(rcode === 0 ? [...before, "new 300 A 192.0.2.7"].toSorted() : before);
  });

  test("a prerequisite on values needs every record of the RRset, in any order", async () => {
    const both = [pre.rrsetHas("www", "A", "192.0.2.2"), pre.rrsetHas("www", "A", "192.0.2.1")];
    expect(await zone.client.update([], both)).toBe(noError);
    expect(await zone.client.update([], [...both, pre.rrsetHas("www", "A", "192.0.2.3")])).toBe(nxRrset);
  });
});

const many = (count: number) => Array.from({ length: count }, (_, index) => update.add(`n${index}`, "A", "192.0.2.7"));

/** What an update leaves: the lines without some, and with others. */
const changed = (gone: (line: string) => boolean, added: readonly string[] = []) =>
  [...before.filter((line) => !gone(line)), ...added].toSorted();
const nothing = () => false;
const soaAt = (serial: number) => update.add("@", "SOA", `a. b. ${serial} 1 1 1 1`);

describe("an update", () => {
  test.each([
    ["adds to an RRset", [update.add("www", "A", "192.0.2.3")], changed(nothing, ["www 300 A 192.0.2.3"])],
    ["adds what exists", [update.add("www", "A", "192.0.2.1")], before],
    [
      "adds to a name that ends in the zone's name twice, and not to the one without",
      [update.add("www.forms.example", "A", "192.0.2.3")],
      changed(nothing, ["www.forms.example 300 A 192.0.2.3"]),
    ],
    [
      "gives an RRset the TTL of a record added to it",
      [update.add("www", "A", "192.0.2.3", 900)],
      changed(
        (line) => line.startsWith("www 300 A "),
        ["www 900 A 192.0.2.1", "www 900 A 192.0.2.2", "www 900 A 192.0.2.3"],
      ),
    ],
    [
      "gives an RRset another TTL",
      [update.add("www", "A", "192.0.2.1", 900)],
      changed((line) => line.startsWith("www 300 A "), ["www 900 A 192.0.2.1", "www 900 A 192.0.2.2"]),
    ],
    ["adds a CNAME beside other records: ignored", [update.add("www", "CNAME", "a.example")], before],
    ["adds a CNAME at the apex: ignored", [update.add("@", "CNAME", "a.example")], before],
    ["adds a record beside a CNAME: ignored", [update.add("alias", "A", "192.0.2.3")], before],
    [
      "replaces a CNAME",
      [update.add("alias", "CNAME", "b.example", 600)],
      changed((line) => line.startsWith("alias "), ["alias 600 CNAME b.example"]),
    ],
    ["deletes an RRset", [update.deleteRrset("www", "A")], changed((line) => line.startsWith("www 300 A "))],
    ["deletes an RRset that does not exist", [update.deleteRrset("www", "AAAA")], before],
    ["deletes everything at a name", [update.deleteName("www")], changed((line) => line.startsWith("www "))],
    ["deletes everything at a free name", [update.deleteName("free")], before],
    [
      "deletes one record",
      [update.deleteRecord("www", "A", "192.0.2.2")],
      changed((line) => line === "www 300 A 192.0.2.2"),
    ],
    [
      "deletes a text with quotes",
      [update.deleteRecord("www", "TXT", 'say "hi"')],
      changed((line) => line.includes("TXT")),
    ],
    ["deletes a record that does not exist", [update.deleteRecord("www", "A", "192.0.2.5")], before],
    [
      "adds records of types without rules of their own",
      [update.add("x", "LOC", "51 0 0.000 N 0 0 0.000 E 0m"), update.add("x", "TYPE65280", String.raw`\# 2 abcd`)],
      changed(nothing, [
        "x 300 LOC 51 0 0.000 N 0 0 0.000 E 0.00m 1m 10000m 10m",
        String.raw`x 300 TYPE65280 \# 2 abcd`,
      ]),
    ],
    [
      "says that a service is not offered (RFC 6186)",
      [update.add("_imap._tcp", "SRV", "0 0 0 .")],
      changed(nothing, ["_imap._tcp 300 SRV 0 0 0 ."]),
    ],
    [
      "adds a name with escapes",
      [update.add(String.raw`a\.b\032c._ipp._tcp`, "TXT", "x"), update.add("a+b", "TXT", "x")],
      changed(nothing, [String.raw`a\.b\032c._ipp._tcp 300 TXT x`, "a+b 300 TXT x"]),
    ],
    ["deletes the NS RRset of the apex: ignored", [update.deleteRrset("@", "NS")], before],
    ["deletes the SOA: ignored", [update.deleteRrset("@", "SOA")], before],
    ["deletes the SOA as one record: ignored", [update.deleteRecord("@", "SOA", "a. b. 0 1 1 1 1")], before],
    ["adds an SOA below the apex: ignored", [update.add("www", "SOA", "a. b. 2000000000 1 1 1 1")], before],
    ["adds an SOA whose serial is older across the wrap-around: ignored", [soaAt(4_294_967_295)], before],
    [
      "deletes everything at the apex after adding an MX record to it",
      [update.add("@", "MX", "10 mail.example.net"), update.deleteName("@")],
      before,
    ],
    ["deletes everything at the apex, but for the SOA and NS records", [update.deleteName("@")], before],
    [
      "deletes every NS record of the apex but the last",
      [update.deleteRecord("@", "NS", "ns1.example.net"), update.deleteRecord("@", "NS", "ns2.example.net")],
      changed((line) => line === "@ 300 NS ns1.example.net"),
    ],
    [
      "replaces an RRset with what it has, and changes nothing",
      [update.deleteRrset("www", "A"), update.add("www", "A", "192.0.2.2"), update.add("www", "A", "192.0.2.1")],
      before,
    ],
    [
      "carries out its operations in order",
      [update.add("x", "A", "192.0.2.1"), update.deleteName("x"), update.add("x", "A", "192.0.2.2")],
      changed(nothing, ["x 300 A 192.0.2.2"]),
    ],
    [
      "turns a host into an alias",
      [update.deleteName("deep.er"), update.add("deep.er", "CNAME", "a.example")],
      changed((line) => line.startsWith("deep.er"), ["deep.er 300 CNAME a.example"]),
    ],
    ["adds an SOA with an old serial: ignored", [update.add("@", "SOA", "a. b. 0 1 1 1 1")], before],
  ])("%s", async (_, updates, expected) => {
    const revision = await zone.revision();
    expect(await zone.client.update(updates)).toBe(noError);
    expect(await zone.lines()).toEqual([...expected].toSorted());
    // Adding what exists and deleting what does not costs no change.
    expect(await zone.revision()).toBe(expected === before ? revision : revision + 1);
  });

  test.each([
    ["adds an SOA whose serial is half the space ahead", [soaAt(2_147_483_648)], refused],
    ["adds an SOA with a newer serial", [update.add("@", "SOA", "a. b. 2000000000 1 1 1 1")], refused],
    ["adds a record of a type that cannot be written", [update.add("x", "TYPE65534", String.raw`\# 1 00`)], refused],
    ["breaks a rule of records", [update.add("x", "CNAME", "192.0.2.1")], refused],
    ["has a class that means nothing", [anyRecord("x", "A", 3, 0, null)], formErr],
    ["adds a type of questions", [anyRecord("x", "ANY", classes.in, 0, null)], formErr],
    ["adds an address without a value", [anyRecord("x", "A", classes.in, 0, null)], formErr],
    ["adds a text without a value", [anyRecord("x", "TXT", classes.in, 0, null)], formErr],
    ["adds a key without a value", [anyRecord("x", "OPENPGPKEY", classes.in, 0, null)], formErr],
    ["adds a location without a value", [anyRecord("x", "LOC", classes.in, 0, null)], formErr],
    ["deletes a text without a value", [anyRecord("www", "TXT", classes.none, 0, null)], formErr],
    ["deletes an RRset with a TTL", [anyRecord("www", "A", classes.any, 1, null)], formErr],
    ["deletes an RRset with a value", [anyRecord("www", "A", classes.any, 0, "192.0.2.1")], formErr],
    ["deletes a record with a TTL", [anyRecord("www", "A", classes.none, 1, "192.0.2.1")], formErr],
    ["deletes a record of any type", [anyRecord("www", "ANY", classes.none, 0, null)], formErr],
    ["reaches outside the zone", [() => update.deleteName("www")("other.example")], notZone],
  ])("an update that %s is refused as a whole", async (_, updates, rcode) => {
    expect(await zone.client.update([update.add("first", "A", "192.0.2.7"), ...updates])).toBe(rcode);
    expect(await zone.lines()).toEqual(before);
  });

  test("an update of another zone or class is NOTAUTH", async () => {
    const { client } = zone;
    const add = [update.add("x", "A", "192.0.2.7")];
    expect((await client.send(client.message(add, [], "other.example"))).rcode).toBe(notAuth);
    expect((await client.send(client.message(add, [], "www.forms.example"))).rcode).toBe(notAuth);
    const chaos = client.message(add);
    chaos.writeUInt16BE(3, 12 + "forms.example".length + 2 + 2);
    expect((await client.send(chaos)).rcode).toBe(notAuth);
  });

  test("an update whose zone section is not one SOA question is FORMERR", async () => {
    const { client } = zone;
    const wrongType = client.message([]);
    wrongType.writeUInt16BE(1, 12 + "forms.example".length + 2);
    expect((await client.send(wrongType)).rcode).toBe(formErr);
    const none = client.message([]).subarray(0, 12);
    none.writeUInt16BE(0, 4);
    expect((await client.send(none)).rcode).toBe(formErr);
  });

  test("an update that deletes everything at the apex deletes a stored MX record there, and leaves the SOA and NS records", async () => {
    await zone.add({ recordType: "MX", name: "@", value: "10 mail.example.net" });
    expect(await zone.client.update([update.deleteName("@")])).toBe(noError);
    expect(await zone.lines()).toEqual(before);
    expect((await zone.client.query("@", "SOA")).message.answers).toHaveLength(1);
  });

  test("an update of more than 1,000 changes is refused, and one of 1,000 is made", async () => {
    expect(await zone.client.update(many(1_001), [], "tcp")).toBe(refused);
    expect(await zone.lines()).toEqual(before);
    const revision = await zone.revision();
    expect(await zone.client.update(many(1_000), [], "tcp")).toBe(noError);
    expect(await zone.revision()).toBe(revision + 1);
  });
});
