import { writeFile } from "node:fs/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { writableFormats } from "../../../server/dns/formats/formats.ts";
import { data } from "../../dns/zone-file/corpus/types.ts";
import { refusedLines } from "../../dns/zone-file/corpus/refused.ts";
import { fileZone, lineOf, manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await manualZone(zw);
});

const awkward = String.raw`
$TTL 1h30m
@           IN NS    ns1
            IN NS    ns2.example.net.
@       300 IN MX    10 mail
        300 IN MX    20 mail.example.net.
            IN TXT   "v=spf1 include:_spf.example.net; \"quoted\" \\ -all"
            IN CAA   0 issue "letsencrypt.org"
www         IN A     192.0.2.1
            IN AAAA  2001:DB8:0:0:0:0:0:1
*.dev       IN CNAME www
_sip._tcp   IN SRV   10 5 5060 sip ; trailing comment
key._domainkey IN TXT ( "v=DKIM1; k=rsa; p=AAAABBBB"
                        "CCCCDDDD" )
ptr         IN PTR   host.example.net.
odd         IN TYPE65280 \# 2 abcd
`;

const send = (body: object) => zone.post("/zonefile", body);

describe("an exported zone file", () => {
  test("importing an exported zone file changes nothing in the same zone, and rebuilds an empty one", async () => {
    await send({ zonefile: awkward });
    const { headers, body: zonefile } = await zone.get("/zonefile");
    expect(headers.get("content-type")).toMatch(/^text\/plain; charset=utf-8/);
    expect(zonefile).toContain(`$ORIGIN ${zone.name}.`);
    for (const mode of ["merge", "replace"]) {
      const { body } = await send({ zonefile, mode });
      expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 13, plan: null });
    }
    expect(await zone.detail()).toMatchObject({ revision: 1 });
    const other = await manualZone(zw);
    const inOther = String(zonefile).replaceAll(zone.name, other.name);
    expect((await other.post("/zonefile", { zonefile: inOther })).body).toMatchObject({ created: 13 });
    expect(String((await other.get("/zonefile")).body).replaceAll(other.name, zone.name)).toBe(zonefile);
  });

  test("importing an exported zone file as a replacement keeps the records that no zone file can have, with a warning", async () => {
    await zone.add("ALIAS", "shop", "shop.example.net");
    await zone.add("A", "www", "192.0.2.1");
    const { body: zonefile } = await zone.get("/zonefile");
    const { body } = await send({ zonefile, mode: "replace" });
    expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 1 });
    expect(body.warnings).toEqual([expect.stringMatching(/^Kept: shop ALIAS shop\.example\.net\./)]);
    expect(await zone.lines()).toEqual(["shop ALIAS shop.example.net", "www A 192.0.2.1"]);
  });

  test("an exported zone file says that its SOA is made up, unless it is the provider's", async () => {
    const note = /^; SOA written by Zonewright/m;
    expect((await zone.get("/zonefile")).body).toMatch(note);
    const served = await fileZone(zw);
    expect((await served.get("/zonefile")).body).not.toMatch(note);
    await writeFile(served.file, "no zone file\n");
    const { body } = await served.get("/zonefile");
    expect(body).toContain("; SOA written by Zonewright: the provider did not answer.\n");
  });

  test("the export of an empty zone can be imported", async () => {
    const { body: zonefile } = await zone.get("/zonefile");
    expect((await send({ zonefile, mode: "replace" })).body).toMatchObject({ created: 0, unchanged: 0 });
  });
});

describe("a string over 255 octets", () => {
  const key = `v=DKIM1; k=rsa; p=${"A".repeat(392)}`;
  const line = `key._domainkey 300 IN TXT "${key}"\n`;

  test("an import with a string over 255 octets is refused with its line, and stores nothing", async () => {
    const { status, body } = await send({ zonefile: `www A 192.0.2.1\n${line}` });
    expect(status).toBe(400);
    expect(JSON.stringify(body.issues)).toContain("Line 2: A string of a TXT record has at most 255 octets");
    expect(await zone.records()).toEqual([]);
  });

  test("a zone whose file has a string over 255 octets is read with it split, and can be changed", async () => {
    const read = await fileZone(zw, line);
    expect(await read.records()).toMatchObject([{ name: "key._domainkey", value: key, strings: null }]);
    expect((await read.add("A", "www", "192.0.2.1")).version).toBe(1);
    expect(await read.readFile()).toContain(`"${key.slice(0, 255)}" "${key.slice(255)}"`);
    expect((await read.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 2 });
  });
});

describe("an import", () => {
  test("a merging import adds and updates records, and deletes none", async () => {
    const kept = await zone.add("A", "kept", "192.0.2.9");
    const changed = await zone.add("TXT", "www", "x", 60);
    const { status, body } = await send({ zonefile: 'www 300 TXT "x"\nnew 300 A 192.0.2.1\n' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ created: 1, updated: 1, deleted: 0, unchanged: 0, plan: null });
    expect(await zone.records()).toMatchObject([
      kept,
      { name: "new", ttl: 300 },
      { id: changed.id, ttl: 300, version: 2 },
    ]);
  });

  test("a replacing import makes the zone equal to the file, and records keep their identity", async () => {
    const record = await zone.add("A", "www", "192.0.2.1");
    await zone.add("A", "gone", "192.0.2.9");
    const { body } = await send({ zonefile: "www A 192.0.2.2\nnew A 192.0.2.3\n", mode: "replace" });
    expect(body).toMatchObject({ created: 1, updated: 1, deleted: 1, unchanged: 0 });
    expect(await zone.records()).toMatchObject([{ name: "new" }, { id: record.id, value: "192.0.2.2", version: 2 }]);
  });

  test("an import run dry returns the plan and changes nothing", async () => {
    await zone.add("A", "www", "192.0.2.1");
    const zonefile = "www A 192.0.2.2\nnew A 192.0.2.3\n";
    const { body } = await send({ zonefile, mode: "replace", dryRun: true });
    expect(body).toMatchObject({ created: 1, updated: 1, deleted: 0 });
    expect(body.plan).toMatchObject({
      creates: [{ name: "new" }],
      updates: [
        {
          before: { value: "192.0.2.1" },
          after: { value: "192.0.2.2" },
          changes: { value: ["192.0.2.1", "192.0.2.2"] },
        },
      ],
      deletes: [],
    });
    expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
    expect((await zone.get("/snapshots")).body.total).toBe(0);
    const real = await send({ zonefile, mode: "replace" });
    expect(real.body).toEqual({ ...body, revision: 2, plan: null, planHash: null });
  });

  test("an import takes a snapshot of the previous state, unless it changes nothing", async () => {
    await zone.add("A", "www", "192.0.2.1");
    await send({ zonefile: "www A 192.0.2.2\n", mode: "replace" });
    await send({ zonefile: "www A 192.0.2.2\n", mode: "replace" });
    const { body } = await zone.get("/snapshots");
    expect(body).toMatchObject({ total: 1, snapshots: [{ trigger: "on_change", recordCount: 1 }] });
    expect(body.snapshots[0].records).toMatchObject([{ value: "192.0.2.1" }]);
  });

  test("an import is written to the provider", async () => {
    const file = await fileZone(zw);
    const zonefile = `${awkward}ns1 IN A 192.0.2.53\n`;
    expect((await file.post("/zonefile", { zonefile })).body).toMatchObject({ created: 14 });
    expect((await file.post("/sync")).body).toMatchObject({ synced: 14, unchanged: 14 });
  });

  test("an import gives each RRset one TTL, that of the file, with a warning", async () => {
    const live = await zone.add("A", "www", "192.0.2.1", 3600);
    const { body } = await send({ zonefile: "www 300 A 192.0.2.2\nwww 60 A 192.0.2.3\n" });
    expect(body.warnings.join(" ")).toMatch(/different TTLs/);
    const records = await zone.records();
    expect(records.map(({ ttl }) => ttl)).toEqual([300, 300, 300]);
    expect(records.find(({ id }) => id === live.id)).toMatchObject({ value: "192.0.2.1", version: 2 });
    expect(body).toMatchObject({ created: 2, updated: 1 });
  });
});

describe("names outside the zone", () => {
  const zonefile = "www A 192.0.2.1\nwww.example.net. A 192.0.2.2\n AAAA 2001:db8::2\n";

  test("names outside the zone refuse a file with line and name, or are skipped with a warning on request", async () => {
    const refused = await send({ zonefile });
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      `Line 2: The name "www.example.net" is outside the zone ${zone.name}.`,
    ]);
    expect(await zone.lines()).toEqual([]);
    for (const dryRun of [true, false]) {
      const { body } = await send({ zonefile, ignoreOutOfZone: true, dryRun });
      expect(body).toMatchObject({ created: 1, updated: 0, deleted: 0 });
      expect(body.warnings).toEqual([
        `Skipped 2 records outside ${zone.name}: line 2 (www.example.net), line 3 (www.example.net).`,
      ]);
    }
    expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
  });

  test("all names outside the zone are counted, and the first ten are named", async () => {
    const lines = Array.from({ length: 12 }, (_, index) => `h${index}.example.net. A 192.0.2.1`);
    const { body } = await send({ zonefile: `${lines.join("\n")}\nwww A 192.0.2.1`, ignoreOutOfZone: true });
    expect(body.warnings).toEqual([
      expect.stringMatching(/^Skipped 12 records .* line 10 \(h9\.example\.net\) and 2 more\.$/),
    ]);
  });

  test("the file of another zone never empties this one", async () => {
    await zone.add("A", "www", "192.0.2.1");
    const foreign = "www.example.net. A 192.0.2.2\n";
    const { status, body } = await send({ zonefile: foreign, mode: "replace", ignoreOutOfZone: true });
    expect([status, body.detail]).toEqual([
      400,
      `Line 1: The file has no records of ${zone.name}; its first record is for www.example.net.`,
    ]);
    expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
  });
});

describe("an invalid zone file", () => {
  test.each(refusedLines)(
    "an import of %s is 400 with the line and the reason, and imports nothing",
    async (line, reason) => {
      const { status, body } = await send({ zonefile: `ok A 192.0.2.1\n${line}\n` });
      expect([status, body.issues[0].path]).toEqual([400, ["zonefile", 2]]);
      expect(body.issues[0].message).toContain(reason);
      expect(await zone.lines()).toEqual([]);
    },
  );

  test("an import with syntax errors is 400 with each line and reason, and changes nothing", async () => {
    await zone.add("A", "www", "192.0.2.1");
    const { status, body } = await send({ zonefile: 'ok A 192.0.2.2\nbad A 999.1.1.1\n\nworse "\n', mode: "replace" });
    expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(body.detail).toMatch(/^Line 2: .*1 more/);
    expect(body.issues.map(({ path }: Body) => path)).toEqual([
      ["zonefile", 2],
      ["zonefile", 4],
    ]);
    expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
    expect(await zone.detail()).toMatchObject({ revision: 1 });
    expect((await zone.get("/snapshots")).body.total).toBe(0);
  });

  test.each([
    ["$INCLUDE /etc/passwd\n", 1],
    ["x.example.org. A 192.0.2.1\n", 1],
    ["a A 192.0.2.1\n\u0000 A 192.0.2.2\n", 2],
    ["$GENERATE 1-9 a$ A 192.0.2.$\n", 1],
  ])("an import of %j is 400 with the line", async (zonefile, line) => {
    const { status, body } = await send({ zonefile });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: ["zonefile", line] }]);
  });

  test.each(["www CNAME x.example.\nwww A 192.0.2.1\n", "@ CNAME x.example.\n", "old CNAME x.example.\n"])(
    "an import that breaks a zone rule, such as %j, is 409 and changes nothing, dry or not",
    async (zonefile) => {
      await zone.add("A", "old", "192.0.2.1");
      for (const dryRun of [true, false]) {
        const { status, body } = await send({ zonefile, dryRun });
        expect([status, body.code]).toEqual([409, "CONFLICT"]);
        expect(body.issues[0].path).toEqual(["zonefile"]);
      }
      expect(await zone.lines()).toEqual(["old A 192.0.2.1"]);
    },
  );

  test.each([
    ["zonefile", ""],
    ["zonefile", 7],
    ["mode", "append"],
    ["format", "dnscontrol"],
    ["lenient", 1],
    ["ignoreOutOfZone", "yes"],
    ["dryRun", "true"],
  ])("an import whose %s is %j is 400 and names the field", async (field, given) => {
    const { status, body } = await send({ zonefile: "a A 192.0.2.1\n", [field]: given });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: [field] }]);
  });
});

const exported = (name: string) => `;;
;; Domain:     ${name}.
;; Exported:   2026-03-01 09:30:00
;; SOA Record
${name}	3600	IN	SOA	ada.ns.cloudflare.com. dns.cloudflare.com. 2050000001 10000 2400 604800 3600

;; A Records
${name}.	1	IN	A	192.0.2.1 ; Front door cf_tags=cf-proxied:true
www.${name}.	1	IN	CNAME	${name}. ; cf_tags=cf-proxied:true
`;

describe("a zone file in a dialect", () => {
  test("an unedited export of Cloudflare is imported, and the warnings name each reading that is not literal", async () => {
    for (const format of [undefined, "auto", "zonefile"]) {
      const { status, body } = await send({ zonefile: exported(zone.name), format, dryRun: true });
      expect([status, body.created]).toEqual([200, 2]);
      expect(body.warnings).toEqual([
        `Line 5: The owner of the SOA, "${zone.name}", has no final dot and is read as the zone itself.`,
        "Lines 8 and 9: TTL 1 means automatic at Cloudflare and is read as 3600.",
        "Line 8: Cloudflare's comment is kept as the record's comment.",
        "Lines 8 and 9: Cloudflare's proxy answered for this record. It is imported without a proxy, so its value becomes public.",
      ]);
      expect(body.plan.warnings).toEqual(body.warnings);
    }
    await send({ zonefile: exported(zone.name) });
    expect(await zone.records()).toMatchObject([
      { name: "@", ttl: 3600, proxied: false, comment: "Front door" },
      { name: "www", ttl: 3600, proxied: false, comment: null },
    ]);
  });

  test("importing an export of Cloudflare twice changes nothing the second time", async () => {
    await send({ zonefile: exported(zone.name) });
    expect((await send({ zonefile: exported(zone.name), mode: "replace" })).body).toMatchObject({
      created: 0,
      updated: 0,
      deleted: 0,
      unchanged: 2,
    });
  });

  test("an import does not remove the comments of records that the file has no comment for", async () => {
    await zone.create({ recordType: "A", name: "@", value: "192.0.2.1", ttl: 3600, comment: "Ours" });
    await send({ zonefile: "@ 3600 A 192.0.2.1\n", mode: "replace" });
    expect(await zone.records()).toMatchObject([{ comment: "Ours" }]);
  });

  test("a text in JSON is 400 with a message that names JSON", async () => {
    const { status, body } = await send({ zonefile: '{"records":[]}' });
    expect([status, body.detail]).toEqual([
      400,
      "Line 1: This is JSON, not a zone file. Export the zone as a zone file, often called BIND format.",
    ]);
  });
});

describe("a lenient import", () => {
  const long = `key TXT "${"a".repeat(300)}"\n`;
  const beside = "www CNAME x.example.\nwww A 192.0.2.1\n";

  test("a lenient import splits strings over 255 octets and keeps what breaks a zone rule, each with a warning", async () => {
    expect((await send({ zonefile: long })).status).toBe(400);
    expect((await send({ zonefile: beside })).status).toBe(409);
    const { status, body } = await send({ zonefile: long + beside, lenient: true });
    expect([status, body.created]).toEqual([200, 3]);
    expect(body.warnings).toEqual([
      expect.stringMatching(/^Line 1: .*255/),
      "Kept although it breaks a rule: A CNAME must be the only record of its name, and www also has A; delete one of them.",
    ]);
    expect(await zone.lines()).toEqual([`key TXT ${"a".repeat(300)}`, "www A 192.0.2.1", "www CNAME x.example"]);
  });

  test("a lenient import still refuses what no record of its type can hold", async () => {
    const { status, body } = await send({ zonefile: "a SSHFP 1 1 zz\nb A 300.1.1.1\n", lenient: true });
    expect([status, body.issues.map(({ path }: Body) => path[1])]).toEqual([400, [1, 2]]);
  });

  test("a lenient import still refuses what the name servers of the domain would not load", async () => {
    const file = await fileZone(zw);
    const { status, body } = await file.post("/zonefile", { zonefile: beside, lenient: true });
    expect([status, body.code]).toEqual([409, "CONFLICT"]);
    expect(await file.lines()).toEqual([]);
  });
});

describe("the formats of other tools", () => {
  const readBack = writableFormats.filter((format) => format !== "dnscontrol");

  test.each(readBack)(
    "records of every type exported as %s and imported as a replacement change nothing",
    async (format) => {
      const lines = data.flatMap(([recordType, ...rdatas]) =>
        rdatas.map(
          (rdata, index) =>
            `${recordType === "DNSKEY" ? "@" : `${recordType.toLowerCase()}${index}`} 300 IN ${recordType} ${rdata}`,
        ),
      );
      const delegations = lines
        .filter((line) => line.startsWith("ds"))
        .map((line) => `${line.split(" ")[0]} 300 IN NS ns1.elsewhere.test.`);
      const { status, body: made } = await send({ zonefile: [awkward, ...lines, ...delegations].join("\n") });
      expect({ status, issues: made.issues }).toEqual({ status: 200, issues: undefined });
      await zone.add("ALIAS", "shop", "shop.example.net");
      const { headers, body: text } = await zone.get(`/export?format=${format}`);
      expect(headers.get("content-type")).toMatch(/^text\/plain; charset=utf-8/);
      const { body } = await send({ zonefile: text, mode: "replace", dryRun: true });
      expect(body).toMatchObject({
        created: 0,
        updated: 0,
        deleted: 0,
        plan: { creates: [], updates: [], deletes: [] },
      });
    },
  );

  test("a text in another format is recognized, and each of its readings that is not literal is a warning", async () => {
    const { status, body } = await send({ zonefile: "www:\n  type: CNAME\n  value: www.example.net\n" });
    expect({ status, warnings: body.warnings, lines: await zone.lines() }).toEqual({
      status: 200,
      warnings: ['Line 3: "www.example.net" has no final dot and is read as the full name.'],
      lines: ["www CNAME www.example.net"],
    });
  });

  test("an error in another format names its line, and nothing is changed", async () => {
    const zonefile = 'resource "powerdns_record" "a" {\n  zone = "x.test."\n';
    const { status, body } = await send({ zonefile, format: "terraform" });
    expect({ status, issues: body.issues }).toEqual({
      status: 400,
      issues: [{ path: ["zonefile", 1], message: "Line 1: The block that begins here is never closed." }],
    });
    expect(await zone.detail()).toMatchObject({ revision: 0 });
  });

  test("records that octoDNS does not have stay when its file replaces the zone, with a warning", async () => {
    await send({ zonefile: 'h 300 IN HINFO "cpu" "os"\nwww 300 IN A 192.0.2.1\n' });
    const { body } = await send({ zonefile: "---\n{}\n", mode: "replace" });
    expect(body).toMatchObject({ deleted: 1, warnings: [expect.stringMatching(/^Kept: h HINFO/)] });
    expect(await zone.lines()).toEqual(['h HINFO "cpu" "os"']);
  });

  test("disabled records and their comments go along in a table", async () => {
    await send({ zonefile: "name,type,value,status,comment\nwww,A,192.0.2.1,disabled,later\n" });
    const { body: text } = await zone.get("/export?format=csv");
    expect(text).toBe("name,type,ttl,priority,value,status,comment\nwww,A,3600,,192.0.2.1,disabled,later\n");
  });

  test.each([
    ["/export?format=dig", "This must be one of zonefile, octodns, csv, tsv, terraform, dnscontrol."],
    ["/export?format=csv&revision=-1", "This must be 0 or more."],
  ])("an export that cannot be made is refused: %s", async (path, message) => {
    const { status, body } = await zone.get(path);
    expect({ status, message: body.issues?.[0]?.message }).toEqual({ status: 400, message });
  });
});

describe("records of others, when a file replaces the zone", () => {
  test("stay as they are by patterns, and the file's own that match are left out", async () => {
    await send({
      zonefile:
        '@ 300 IN TXT "google-site-verification=x"\n@ 300 IN TXT "ours"\na.dev 300 IN A 192.0.2.1\nb.dev 300 IN AAAA 2001:db8::1\n0/25 300 IN NS ns1.example.net.\nwww 300 IN A 192.0.2.1\n',
    });
    const { body } = await send({
      zonefile: '@ 300 IN TXT "google-site-verification=y"\nc.dev 300 IN A 192.0.2.3\nwww 300 IN A 192.0.2.2\n',
      mode: "replace",
      ignore: ["@/TXT/google-*", "*.dev/a", "0/25/*"],
    });
    expect(body).toMatchObject({ left: 3, created: 0, updated: 1, deleted: 2 });
    expect(body.warnings).toContain("Left 3 records as they are: 3 by pattern.");
    expect(await zone.lines()).toEqual([
      "0/25 NS ns1.example.net",
      "@ TXT google-site-verification=x",
      "a.dev A 192.0.2.1",
      "www A 192.0.2.2",
    ]);
  });

  test("keep their TTL, which the file's own records of the same RRset take, and stay those of a personal token at each further replacement", async () => {
    const { body: made } = await zw.admin.post("/api/auth/me/tokens", { name: "CI", permissions: ["records:write"] });
    const program = new RestClient(zw.url, made.token);
    const post = async (record: object) => (await program.post(`${zone.path}/records`, record)).status;
    expect(await post({ recordType: "A", name: "home", value: "192.0.2.1", ttl: 3600 })).toBe(201);
    await send({ zonefile: "pattern 300 IN A 192.0.2.2\n" });
    const given = {
      zonefile: "home 300 IN A 192.0.2.9\npattern 600 IN A 192.0.2.8\n",
      mode: "replace",
      leave: ["tokens"],
      ignore: ["pattern/A/192.0.2.2"],
    };
    const { body: first } = await send(given);
    expect(first).toMatchObject({ left: 2, created: 2, updated: 0, deleted: 0 });
    expect(first.warnings).toContain(
      "home A keeps the TTL 3600: an RRset has one TTL, and 192.0.2.1 is left as it is.",
    );
    for (let run = 0; run < 2; run++) {
      const { body } = await send(given);
      expect(body).toMatchObject({ left: 2, created: 0, updated: 0, deleted: 0 });
    }
    expect((await zone.records()).map((one) => `${lineOf(one)} ${one.ttl}`).toSorted()).toEqual([
      "home A 192.0.2.1 3600",
      "home A 192.0.2.9 3600",
      "pattern A 192.0.2.2 300",
      "pattern A 192.0.2.8 300",
    ]);
  });

  test("stay as they are if external-dns marks them, or if they are ACME challenges", async () => {
    const mark = '"heritage=external-dns,external-dns/owner=k8s,external-dns/resource=ingress/a/b"';
    await send({
      zonefile: `app 300 IN A 192.0.2.1\na-app 300 IN TXT ${mark}\nold 300 IN CNAME x.example.net.\ncname-old 300 IN TXT ${mark}\n_acme-challenge 60 IN TXT "token"\napp 300 IN AAAA 2001:db8::1\nours 300 IN A 192.0.2.9\n`,
    });
    const { body } = await send({
      zonefile: "www 300 IN A 192.0.2.2\n",
      mode: "replace",
      leave: ["external-dns", "acme"],
    });
    expect(body.warnings).toContain("Left 5 records as they are: 4 of external-dns, 1 ACME challenge.");
    expect(await zone.lines()).toEqual([
      "_acme-challenge TXT token",
      `a-app TXT ${mark.slice(1, -1)}`,
      "app A 192.0.2.1",
      `cname-old TXT ${mark.slice(1, -1)}`,
      "old CNAME x.example.net",
      "www A 192.0.2.2",
    ]);
  });

  test.each([
    [
      { ignore: ["www"] },
      "www must be name/type or name/type/value, such as *.dev/A or @/TXT/google-site-verification=*.",
    ],
    [{ leave: ["terraform"] }, "This must be one of keys, tokens, external-dns, acme."],
  ])("are named in a way that is understood, or the import is refused: %j", async (given, message) => {
    const { status, body } = await send({ zonefile: "www 300 IN A 192.0.2.1\n", ...given });
    expect({ status, message: body.issues[0].message }).toEqual({ status: 400, message });
  });
});
