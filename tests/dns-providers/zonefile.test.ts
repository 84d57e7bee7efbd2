import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ZodError } from "zod";
import { kindByName, providerKinds } from "../../server/dns-providers/kinds.ts";
import { fileNamesOf, zoneOfFile } from "../../server/dns-providers/zonefile/folder.ts";
import {
  connect,
  contentOf,
  fileOf,
  place,
  record,
  recordsOf,
  serialOf,
  soaLine,
  there,
  useZoneFolder,
  zone,
} from "./zone-folder.ts";

useZoneFolder();

describe("provider kinds", () => {
  test("every provider kind has its own name and fixed id", () => {
    expect(kindByName("manual")?.id).toBe("5a1f0c52-7d0e-4c1b-9d0a-000000000001");
    expect(kindByName("zonefile")?.id).toBe("5a1f0c52-7d0e-4c1b-9d0a-000000000002");
    expect(kindByName("manual")?.connect).toBeNull();
    expect(kindByName("nothing")).toBeNull();
    expect(new Set(providerKinds.map(({ id }) => id)).size).toBe(providerKinds.length);
  });

  test.each([[{ folder: "" }], [{ hostmaster: "a b@example.com" }], [{ path: "x" }]])(
    "%j is not a valid zone-file configuration",
    (config) => {
      expect(kindByName("zonefile")?.configSchema.safeParse(config).success).toBe(false);
      expect(() => connect(config)).toThrow(ZodError);
    },
  );
});

test.each([
  ["dns@example.com", true],
  ["first.last+dns@ns.example.com", true],
  ["hostmaster.example.com", true],
  ["dns_team.example.com", true],
  ["dns@a_b.example", false],
  ["dns@-a.example", false],
  ["dns@a-.example", false],
  ["dns.a_b.example", false],
  ["dns@example", false],
])("the hostmaster %j is accepted: %j", (hostmaster, isAccepted) => {
  expect(kindByName("zonefile")?.configSchema.safeParse({ hostmaster }).success).toBe(isAccepted);
});

describe("new zone files", () => {
  test("a new zone is empty, listed, and has a file that a server loads", async () => {
    expect((await there.provider.listZones()).names).toEqual([]);
    await there.provider.createZone(zone);
    expect((await there.provider.listZones()).names).toEqual([zone]);
    expect(await recordsOf(zone)).toEqual([]);
    const content = await contentOf();
    expect(content).toContain("SOA    placeholder.invalid. hostmaster.example.com. (");
    expect(content).toContain("NS     placeholder.invalid.");
    expect(await serialOf()).toBe(2_024_050_600);
    expect((await stat(fileOf("example.com.zone"))).mode & 0o777).toBe(0o644);
  });

  test("a zone can be created even if its name is too long for a mailbox below it", async () => {
    const long = `${"x".repeat(63)}.${"x".repeat(63)}.${"x".repeat(63)}.${"x".repeat(56)}`;
    await there.provider.createZone(long);
    expect(await there.provider.readSoa(long)).toMatchObject({ rname: "hostmaster.placeholder.invalid" });
    expect(await recordsOf(long)).toEqual([]);
  });

  test.each(["_msdcs.corp.example", "0/25.9.0.192.in-addr.arpa", "a_b.example", "_tcp.example"])(
    "the new zone %s, not a valid host name, gets a mailbox that BIND loads",
    async (name) => {
      const nobodys = "hostmaster.placeholder.invalid";
      await there.provider.createZone(name);
      expect(await there.provider.readSoa(name)).toMatchObject({ rname: nobodys });
      await connect({ folder: "off", checkNames: "off" }).createZone(name);
      expect(await connect({ folder: "off", checkNames: "off" }).readSoa(name)).toMatchObject({
        rname: `hostmaster.${name}`,
      });
    },
  );

  test("a mailbox that BIND rejects, from an earlier version, is replaced with the zone's next change", async () => {
    const name = "a_b.example";
    const change = { action: "create", before: null, after: record("t", "TXT", "x") } as const;
    await place(`${name}.zone`, "@ 60 IN SOA ns1.example.net. hostmaster 7 3600 900 1209600 300\n");
    await there.provider.applyChanges(name, [change]);
    expect(await there.provider.readSoa(name)).toMatchObject({
      mname: "ns1.example.net",
      rname: "hostmaster.placeholder.invalid",
      ttl: 60,
    });
    // This hostmaster was set on purpose, perhaps for a server that checks no names.
    await place("a_c.example.zone", "@ 60 IN SOA ns1.example.net. dns.a_c.example. 7 3600 900 1209600 300\n");
    await there.provider.applyChanges("a_c.example", [change]);
    expect(await there.provider.readSoa("a_c.example")).toMatchObject({ rname: "dns.a_c.example" });
  });

  test("a new zone loads even if the stored hostmaster is not at a host name", async () => {
    there.provider = connect({ hostmaster: "dns@a_b.example" });
    await there.provider.createZone(zone);
    expect(await there.provider.readSoa(zone)).toMatchObject({ rname: "hostmaster.placeholder.invalid" });
  });

  test("a new zone names the configured hostmaster", async () => {
    there.provider = connect({ hostmaster: "Dns.Team@Example.net" });
    await there.provider.createZone(zone);
    expect(await contentOf()).toContain(String.raw`Dns\.Team.Example.net.`);
  });

  test("creating a zone leaves an existing file alone, whatever its name", async () => {
    await place("db.example.com", soaLine);
    await there.provider.createZone(zone);
    expect(await readdir(there.folder)).toEqual(["db.example.com"]);
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
  ])("the zone name %j is refused", async (name) => {
    await expect(there.provider.createZone(name)).rejects.toMatchObject({ effect: "none" });
    expect(await readdir(there.root)).toEqual([]);
  });
});

describe("zone file names", () => {
  test.each([
    ["example.com", "example.com.zone"],
    ["0/25.2.0.192.in-addr.arpa", "0%2f25.2.0.192.in-addr.arpa.zone"],
    ["0%2f25.example.com", "0%252f25.example.com.zone"],
    ["db.example.com", "db.example.com.zone"],
    ["../../etc/passwd", "..%2f..%2fetc%2fpasswd.zone"],
  ])("the zone %s has the file %s, which belongs to no other zone", (name, file) => {
    expect(fileNamesOf(name)[0] ?? file).toBe(file);
    expect(fileNamesOf(name).every((candidate) => zoneOfFile(candidate) === name && !candidate.includes("/"))).toBe(
      true,
    );
  });

  test("a file name identifies exactly one zone", () => {
    expect(fileNamesOf("example.com")).toEqual(["example.com.zone", "db.example.com", "example.com.db", "example.com"]);
    expect(fileNamesOf("example.zone")).not.toContain("example.zone");
    expect(fileNamesOf("db.example.com")).not.toContain("db.example.com");
    expect(zoneOfFile("example.com.zone~")).toBeNull();
    expect(zoneOfFile("Example.com.zone")).toBeNull();
    expect(zoneOfFile(".example.com.zone")).toBeNull();
  });

  test("zone files with an SOA are listed, each zone once and in order", async () => {
    await Promise.all([
      place("example.org", `; SOA\n$TTL 60\n${soaLine}`),
      place("db.example.net", "$TTL 60\n@ IN SOA a b (\n 1 2 3 4 5 )"),
      place("example.com.db", soaLine),
      place("example.com.zone", soaLine),
      place("0%2f25.2.0.192.in-addr.arpa.zone", soaLine),
      place("hosts.example.inc", "www A 192.0.2.1\n"),
      place("readme.txt", "Each file begins with an SOA record.\n"),
      place(".example.info.zone", soaLine),
    ]);
    await mkdir(fileOf("folder.example.zone"), { recursive: true });
    expect((await there.provider.listZones()).names).toEqual([
      "0/25.2.0.192.in-addr.arpa",
      "example.com",
      "example.net",
      "example.org",
    ]);
  });

  test.each([
    ["local.zone", 'The domain name must look like "example.com", but it has only one label.'],
    ["Example.com.zone", "Rename the file to example.com.zone."],
    ["db.bücher.example", "Rename the file to xn--bcher-kva.example.zone."],
    ["0%2F25.2.0.192.in-addr.arpa.db", "Rename the file to 0%2f25.2.0.192.in-addr.arpa.zone."],
    ["example.com!default.zone", "Rename the file to example.com.zone."],
    ["Example.net.zone", "db.example.net already has the zone's name."],
    ["two words.example.zone", expect.stringContaining("must look like")],
  ])("the zone file %j cannot be managed, and the list says why", async (file, reason) => {
    await Promise.all([place(file, soaLine), place("db.example.net", soaLine), place("Notes.txt", "No SOA here.\n")]);
    await Promise.all([place("Example.org.zone~", soaLine), place(".Example.org.zone.swp", soaLine)]);
    expect(await there.provider.listZones()).toEqual({ names: ["example.net"], unusable: [{ name: file, reason }] });
  });

  test("a configured folder may be absolute, or relative within the zone folder", async () => {
    await mkdir(join(there.folder, "team"), { recursive: true });
    await connect({ folder: "team" }).createZone(zone);
    await connect({ folder: join(there.root, "elsewhere") }).createZone(zone);
    expect(await readdir(join(there.folder, "team"))).toEqual(["example.com.zone"]);
    expect(await readdir(join(there.root, "elsewhere"))).toEqual(["example.com.zone"]);
    expect(() => connect({ folder: "../other" })).toThrow(/outside the service's zone folder/);
    await expect(connect({ folder: "missing" }).listZones()).rejects.toThrow(
      "Cannot list the zone folder (missing): it does not exist.",
    );
  });
});
