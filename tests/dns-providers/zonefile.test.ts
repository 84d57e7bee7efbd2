import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ZodError } from "zod";
import { kindById, kindByName, providerKinds } from "../../server/dns-providers/kinds.ts";
import type { DnsProvider, RecordChange } from "../../server/dns-providers/provider.ts";
import { fileNamesOf, zoneOfFile } from "../../server/dns-providers/zonefile/file-names.ts";
import { replaceFile } from "../../server/dns-providers/zonefile/replace-file.ts";
import type { RecordData } from "../../server/records/record.ts";

const zone = "example.com";
const now = () => new Date("2024-05-06T12:00:00Z");
let root: string;
let folder: string;
let provider: DnsProvider;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "zonewright-zonefile-"));
  folder = join(root, "zones");
  provider = connect({});
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

function connect(config: unknown): DnsProvider {
  const connected = kindByName("zonefile")?.connect?.(config, { zonesFolder: folder, now });
  if (!connected) throw new Error("the kind zonefile is missing");
  return connected;
}

function record(name: string, recordType: string, value: string, ttl = 300): RecordData {
  return { recordType, name, value, ttl, priority: null, proxied: false };
}

const create = (after: RecordData): RecordChange => ({ action: "create", before: null, after });
const update = (before: RecordData, after: RecordData): RecordChange => ({ action: "update", before, after });
const remove = (before: RecordData): RecordChange => ({ action: "delete", before, after: null });

async function recordsOf(name: string): Promise<RecordData[]> {
  return (await batchesOf(name)).flat();
}

async function batchesOf(name: string): Promise<RecordData[][]> {
  const batches: RecordData[][] = [];
  for await (const batch of provider.readZone(name)) batches.push(batch);
  return batches;
}

const fileOf = (name: string) => join(folder, name);
const contentOf = (name = `${zone}.zone`) => readFile(fileOf(name), "utf8");

async function serialOf(): Promise<number> {
  return Number(/(\d+) *; serial/.exec(await contentOf())?.[1]);
}

async function place(name: string, content: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(fileOf(name), content);
}

const soaLine = "@ 60 IN SOA ns1 hostmaster 7 3600 900 1209600 300\n";

describe("kinds", () => {
  test("have names and ids of their own, and are found by both", () => {
    expect(kindById("5a1f0c52-7d0e-4c1b-9d0a-000000000001")?.kind).toBe("manual");
    expect(kindById("5a1f0c52-7d0e-4c1b-9d0a-000000000002")?.kind).toBe("zonefile");
    expect(kindByName("manual")?.connect).toBeNull();
    expect(kindByName("nothing")).toBeNull();
    expect(new Set(providerKinds.map(({ id }) => id)).size).toBe(providerKinds.length);
  });

  test.each([[{ folder: "" }], [{ hostmaster: "a b@example.com" }], [{ path: "x" }]])(
    "%j is no configuration",
    (config) => {
      expect(kindByName("zonefile")?.configSchema.safeParse(config).success).toBe(false);
      expect(() => connect(config)).toThrow(ZodError);
    },
  );
});

describe("a new zone", () => {
  test("is empty, listed, and has a file that a server loads", async () => {
    expect(await provider.listZones()).toEqual([]);
    await provider.createZone(zone);
    expect(await provider.listZones()).toEqual([zone]);
    expect(await recordsOf(zone)).toEqual([]);
    const content = await contentOf();
    expect(content).toContain("SOA    placeholder.invalid. hostmaster.example.com. (");
    expect(content).toContain("NS     placeholder.invalid.");
    expect(await serialOf()).toBe(2_024_050_600);
    expect((await stat(fileOf("example.com.zone"))).mode & 0o777).toBe(0o644);
  });

  test("names the configured hostmaster", async () => {
    provider = connect({ hostmaster: "Dns.Team@Example.net" });
    await provider.createZone(zone);
    expect(await contentOf()).toContain(String.raw`dns\.team.example.net.`);
  });

  test("leaves a file alone that is there already, whatever it is called", async () => {
    await place("db.example.com", soaLine);
    await provider.createZone(zone);
    expect(await readdir(folder)).toEqual(["db.example.com"]);
    expect(await contentOf("db.example.com")).toBe(soaLine);
  });

  test.each([
    "../evil",
    "..",
    "a/../../b.example",
    "/etc/passwd",
    ".example.com",
    "EXAMPLE.com",
    "com",
    "a\u0000.example",
  ])("%j is refused as a name", async (name) => {
    await expect(provider.createZone(name)).rejects.toMatchObject({ effect: "none" });
    expect(await readdir(root)).toEqual([]);
  });
});

describe("files", () => {
  test.each([
    ["example.com", "example.com.zone"],
    ["0/25.2.0.192.in-addr.arpa", "0%2f25.2.0.192.in-addr.arpa.zone"],
    ["0%2f25.example.com", "0%252f25.example.com.zone"],
    ["db.example.com", "db.example.com.zone"],
    ["../../etc/passwd", "..%2f..%2fetc%2fpasswd.zone"],
  ])("of %s is %s, and holds no other zone", (name, file) => {
    expect(fileNamesOf(name)[0] ?? file).toBe(file);
    expect(fileNamesOf(name).every((candidate) => zoneOfFile(candidate) === name && !candidate.includes("/"))).toBe(
      true,
    );
  });

  test("a file name means one zone", () => {
    expect(fileNamesOf("example.com")).toEqual(["example.com.zone", "db.example.com", "example.com.db", "example.com"]);
    expect(fileNamesOf("example.zone")).not.toContain("example.zone");
    expect(fileNamesOf("db.example.com")).not.toContain("db.example.com");
    expect(zoneOfFile("example.com.zone~")).toBeNull();
    expect(zoneOfFile("Example.com.zone")).toBeNull();
    expect(zoneOfFile(".example.com.zone")).toBeNull();
  });

  test("are listed when they hold an SOA, each zone once and in order", async () => {
    await Promise.all([
      place("example.org", `; SOA\n$TTL 60\n${soaLine}`),
      place("db.example.net", "$TTL 60\n@ IN SOA a b (\n 1 2 3 4 5 )"),
      place("example.com.db", soaLine),
      place("example.com.zone", soaLine),
      place("0%2f25.2.0.192.in-addr.arpa.zone", soaLine),
      place("hosts.example.inc", "www A 192.0.2.1\n"),
      place("readme.txt", "Each file begins with an SOA record.\n"),
      place(".example.info.zone", soaLine),
      place("local.zone", soaLine),
    ]);
    await mkdir(fileOf("folder.example.zone"), { recursive: true });
    expect(await provider.listZones()).toEqual([
      "0/25.2.0.192.in-addr.arpa",
      "example.com",
      "example.net",
      "example.org",
    ]);
  });

  test("a configured folder may be any absolute one, and a relative one within the zone folder", async () => {
    await mkdir(join(folder, "team"), { recursive: true });
    await connect({ folder: "team" }).createZone(zone);
    await connect({ folder: join(root, "elsewhere") }).createZone(zone);
    expect(await readdir(join(folder, "team"))).toEqual(["example.com.zone"]);
    expect(await readdir(join(root, "elsewhere"))).toEqual(["example.com.zone"]);
    expect(() => connect({ folder: "../other" })).toThrow(/outside the service's zone folder/);
    await expect(connect({ folder: "missing" }).listZones()).rejects.toThrow(
      "Cannot list the zone folder (missing): it does not exist.",
    );
  });
});

describe("reading", () => {
  test("yields batches of a thousand", async () => {
    await place(
      "example.com.zone",
      soaLine + Array.from({ length: 2500 }, (_, index) => `h${index} A 192.0.2.1\n`).join(""),
    );
    const batches = await batchesOf(zone);
    expect(batches.map((batch) => batch.length)).toEqual([1000, 1000, 500]);
  });

  test("a zone without a file is told as missing, by every call", async () => {
    await expect(recordsOf(zone)).rejects.toMatchObject({ zoneMissing: true, effect: "none" });
    await expect(provider.applyChanges(zone, [])).rejects.toMatchObject({ zoneMissing: true, effect: "none" });
    await expect(provider.fingerprint(zone)).rejects.toMatchObject({ zoneMissing: true });
    await expect(recordsOf("../zones/example.com")).rejects.toMatchObject({ zoneMissing: true });
  });

  test("a syntax error names file, line and reason", async () => {
    await place("example.com.zone", `${soaLine}www A 192.0.2.999\nx FOO\n`);
    await expect(recordsOf(zone)).rejects.toMatchObject({
      effect: "none",
      message: expect.stringMatching(/^example\.com\.zone, line 2: The A value .* \(1 more after it\)$/),
    });
  });

  test("a file that is no text and a folder are told in words", async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(fileOf("example.com.zone"), Buffer.from("www TXT caf\u00e9\n", "latin1"));
    await expect(recordsOf(zone)).rejects.toThrow(
      "Cannot read the zone file (example.com.zone): it is not UTF-8 text.",
    );
    await mkdir(fileOf("example.net.zone"));
    await expect(recordsOf("example.net")).rejects.toThrow("example.net.zone is not a file.");
  });

  test("links in a circle are told in words", async () => {
    await mkdir(folder, { recursive: true });
    await symlink(fileOf("example.com.zone"), fileOf("example.com.zone"));
    await expect(recordsOf(zone)).rejects.toThrow(
      "Cannot read the zone file (example.com.zone): its symbolic links go in a circle.",
    );
  });

  // The superuser reads everything.
  test.skipIf(process.getuid?.() === 0)("a file without permission is told in words", async () => {
    await place("example.com.zone", soaLine);
    await chmod(fileOf("example.com.zone"), 0o000);
    await expect(recordsOf(zone)).rejects.toThrow(/the service lacks the permission/);
  });

  test("a symbolic link may not lead out of the folder", async () => {
    await place("inside", `${soaLine}www A 192.0.2.1\n`);
    await writeFile(join(root, "outside.zone"), soaLine);
    await symlink(fileOf("inside"), fileOf("example.com.zone"));
    await symlink(join(root, "outside.zone"), fileOf("example.net.zone"));
    expect(await recordsOf(zone)).toHaveLength(1);
    await expect(recordsOf("example.net")).rejects.toThrow(
      "example.net.zone is a link that leads out of the zone folder.",
    );
    expect(await provider.listZones()).toEqual([zone]);
  });
});

describe("$INCLUDE", () => {
  test("reads files of the folder, and refuses to rewrite what they make up", async () => {
    await place("hosts.inc", "www A 192.0.2.1\n");
    await place("example.com.zone", `${soaLine}$INCLUDE hosts.inc\n`);
    expect(await recordsOf(zone)).toMatchObject([{ name: "www" }]);
    expect(await provider.fingerprint(zone)).toBeNull();
    await expect(provider.applyChanges(zone, [create(record("a", "A", "192.0.2.2"))])).rejects.toMatchObject({
      effect: "none",
      message: expect.stringContaining("put together by hand with $INCLUDE"),
    });
    expect(await contentOf()).toBe(`${soaLine}$INCLUDE hosts.inc\n`);
  });

  test.each(["../secret", "/etc/hostname", "link", "linked/secret", "sub/../../secret"])(
    "%s is refused for leading out of the folder",
    async (path) => {
      await place("example.com.zone", `${soaLine}$INCLUDE ${path}\n`);
      await writeFile(join(root, "secret"), "www A 192.0.2.1\n");
      await symlink(join(root, "secret"), fileOf("link"));
      await symlink(root, fileOf("linked"));
      await expect(recordsOf(zone)).rejects.toThrow(`line 2: $INCLUDE ${path} leads out of the zone folder.`);
    },
  );

  test("a missing one and a folder are told", async () => {
    await place("example.com.zone", `${soaLine}$INCLUDE nowhere`);
    await expect(recordsOf(zone)).rejects.toThrow("$INCLUDE nowhere cannot be read: it does not exist.");
    await place("example.com.zone", `${soaLine}$INCLUDE .`);
    await expect(recordsOf(zone)).rejects.toThrow("$INCLUDE . is not a file.");
  });
});

describe("changing", () => {
  const www = record("www", "A", "192.0.2.1");
  const text = record("@", "TXT", 'v=spf1 "-all"; \\');

  beforeEach(async () => {
    await provider.createZone(zone);
    await provider.applyChanges(zone, [create(www), create(text)]);
  });

  test("what was applied reads back equal, and the serial advances once a call", async () => {
    expect(await recordsOf(zone)).toEqual([text, www]);
    expect(await serialOf()).toBe(2_024_050_601);
    const moved = record("web", "A", "192.0.2.7", 60);
    expect(await provider.applyChanges(zone, [update(www, moved), remove(text)])).toEqual([{ ok: true }, { ok: true }]);
    expect(await recordsOf(zone)).toEqual([moved]);
    expect(await serialOf()).toBe(2_024_050_602);
  });

  test("records that were edited by hand survive, and their TTL is no obstacle", async () => {
    const content = await contentOf();
    await writeFile(fileOf("example.com.zone"), `${content.replace(/^www +300/m, "www 77")}byhand TXT "kept" ; note\n`);
    expect(await provider.applyChanges(zone, [update(www, record("www", "A", "192.0.2.2"))])).toEqual([{ ok: true }]);
    expect(await recordsOf(zone)).toEqual([
      text,
      record("byhand", "TXT", "kept", 3600),
      record("www", "A", "192.0.2.2"),
    ]);
  });

  test("each change has its own outcome, and one that cannot be does not stop the others", async () => {
    const other = record("www", "A", "192.0.2.2");
    const gone = record("gone", "A", "192.0.2.3");
    expect(
      await provider.applyChanges(zone, [
        create(www),
        remove(gone),
        update(gone, other),
        create(other),
        create(record("@", "NS", "placeholder.invalid")),
      ]),
    ).toEqual([
      { ok: false, message: "www A 192.0.2.1 is in the zone file already; sync the zone first." },
      { ok: false, message: "gone A 192.0.2.3 is no longer in the zone file; sync the zone first." },
      { ok: false, message: "gone A 192.0.2.3 is no longer in the zone file; sync the zone first." },
      { ok: true },
      { ok: false, message: "placeholder.invalid stands in for a missing name server and cannot be a record." },
    ]);
    expect(await recordsOf(zone)).toEqual([text, www, other]);
  });

  test("two records can exchange their values in one change set", async () => {
    const other = record("www", "A", "192.0.2.2");
    await provider.applyChanges(zone, [create(other)]);
    expect(await provider.applyChanges(zone, [update(www, other), update(other, www)])).toEqual([
      { ok: true },
      { ok: true },
    ]);
    expect(await recordsOf(zone)).toEqual([text, www, other]);
  });

  test("a call in which nothing succeeds leaves the file as it is", async () => {
    const before = await contentOf();
    await provider.applyChanges(zone, [create(www)]);
    await provider.applyChanges(zone, []);
    expect(await contentOf()).toBe(before);
  });

  test("no temporary file stays, and the file keeps its mode", async () => {
    await chmod(fileOf("example.com.zone"), 0o640);
    await provider.applyChanges(zone, [remove(www)]);
    expect(await readdir(folder)).toEqual(["example.com.zone"]);
    expect((await stat(fileOf("example.com.zone"))).mode & 0o777).toBe(0o640);
  });

  test("a file edited since it was read is left alone, and so is the folder", async () => {
    const stats = await stat(fileOf("example.com.zone"), { bigint: true });
    await writeFile(fileOf("example.com.zone"), "; edited");
    await expect(replaceFile(fileOf("example.com.zone"), "; ours", stats)).rejects.toMatchObject({ effect: "none" });
    expect(await contentOf()).toBe("; edited");
    await expect(replaceFile(fileOf("nowhere/a.zone"), "; ours", null)).rejects.toThrow(/it does not exist/);
    expect(await readdir(folder)).toEqual(["example.com.zone"]);
  });

  test("a file that a link within the folder leads to is changed where it lies", async () => {
    await mkdir(fileOf("real"));
    await writeFile(fileOf("real/net"), soaLine);
    await symlink(fileOf("real/net"), fileOf("example.net.zone"));
    await provider.applyChanges("example.net", [create(www)]);
    expect(await contentOf("real/net")).toContain("192.0.2.1");
    expect(await recordsOf("example.net")).toEqual([www]);
  });

  test("calls at the same time are all carried out", async () => {
    const added = Array.from({ length: 20 }, (_, index) => record(`h${index}`, "A", "192.0.2.1"));
    const outcomes = await Promise.all(added.map((one) => connect({}).applyChanges(zone, [create(one)])));
    expect(outcomes.flat().every((outcome) => outcome.ok)).toBe(true);
    expect(await recordsOf(zone)).toHaveLength(22);
    expect(await serialOf()).toBe(2_024_050_621);
  });

  test("a zone file that cannot be read is not overwritten, and the next call is not held up", async () => {
    await writeFile(fileOf("example.com.zone"), "www FOO\n");
    await expect(provider.applyChanges(zone, [create(www)])).rejects.toMatchObject({ effect: "none" });
    expect(await contentOf()).toBe("www FOO\n");
    await writeFile(fileOf("example.com.zone"), soaLine);
    expect(await provider.applyChanges(zone, [create(www)])).toEqual([{ ok: true }]);
  });

  test("a file without an SOA gets one", async () => {
    await writeFile(fileOf("example.com.zone"), "@ NS ns1\n");
    await provider.applyChanges(zone, [create(www)]);
    expect(await contentOf()).toContain("SOA    placeholder.invalid. hostmaster.example.com. (");
    expect(await serialOf()).toBe(2_024_050_600);
  });

  test("the fingerprint changes with the content and only with it", async () => {
    const before = await provider.fingerprint(zone);
    expect(before).toBe(
      createHash("sha256")
        .update(await contentOf())
        .digest("hex"),
    );
    await provider.applyChanges(zone, [create(www)]);
    expect(await provider.fingerprint(zone)).toBe(before);
    await provider.applyChanges(zone, [remove(www)]);
    expect(await provider.fingerprint(zone)).not.toBe(before);
  });

  test("ten changes to a zone of a hundred thousand records cost no more than reading and writing it", async () => {
    const many = Array.from(
      { length: 100_000 },
      (_, index) => `h${index} 60 A 10.0.${(index >> 8) & 255}.${index & 255}\n`,
    );
    await writeFile(fileOf("example.com.zone"), soaLine + many.join(""));
    const start = performance.now();
    const changes = Array.from({ length: 10 }, (_, index) => create(record(`new${index}`, "A", "192.0.2.1")));
    await provider.applyChanges(zone, changes);
    // Quadratic work would take minutes; the margin is for a busy machine.
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});
