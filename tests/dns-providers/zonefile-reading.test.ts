import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  batchesOf,
  contentOf,
  create,
  fileOf,
  place,
  record,
  recordsOf,
  soaLine,
  there,
  useZoneFolder,
  zone,
} from "./zone-folder.ts";

useZoneFolder();

describe("reading zone files", () => {
  test("a zone file is read in batches of a thousand records", async () => {
    await place(
      "example.com.zone",
      soaLine + Array.from({ length: 2500 }, (_, index) => `h${index} A 192.0.2.1\n`).join(""),
    );
    const batches = await batchesOf(zone);
    expect(batches.map((batch) => batch.length)).toEqual([1000, 1000, 500]);
  });

  test("every call reports a zone without a file as missing", async () => {
    await expect(recordsOf(zone)).rejects.toMatchObject({ zoneMissing: true, effect: "none" });
    await expect(there.provider.applyChanges(zone, [])).rejects.toMatchObject({ zoneMissing: true, effect: "none" });
    await expect(there.provider.fingerprint(zone)).rejects.toMatchObject({ zoneMissing: true });
    await expect(recordsOf("../zones/example.com")).rejects.toMatchObject({ zoneMissing: true });
  });

  test("a syntax error in a zone file is reported with file, line and reason", async () => {
    await place("example.com.zone", `${soaLine}www A 192.0.2.999\nx FOO\n`);
    await expect(recordsOf(zone)).rejects.toMatchObject({
      effect: "none",
      message: expect.stringMatching(/^example\.com\.zone, line 2: The A value .* \(1 more below\)$/),
    });
  });

  test("octets that are not UTF-8 are preserved, and comments may contain anything", async () => {
    await mkdir(there.folder, { recursive: true });
    await writeFile(fileOf("example.com.zone"), Buffer.from("; caf\u00e9\nwww TXT caf\u00e9\n", "latin1"));
    expect(await recordsOf(zone)).toMatchObject([{ name: "www", value: "\\# 5 04636166e9" }]);
  });

  test("a folder in place of a zone file is reported in words", async () => {
    await mkdir(there.folder, { recursive: true });
    await mkdir(fileOf("example.net.zone"));
    await expect(recordsOf("example.net")).rejects.toThrow("example.net.zone is not a file.");
  });

  test("circular links are reported in words", async () => {
    await mkdir(there.folder, { recursive: true });
    await symlink(fileOf("example.com.zone"), fileOf("example.com.zone"));
    await expect(recordsOf(zone)).rejects.toThrow(
      "Cannot read the zone file (example.com.zone): its symbolic links go in a circle.",
    );
  });

  test("every call reports a file in place of the zone folder in words", async () => {
    await writeFile(there.folder, "no folder");
    const reason = /part of its path is not a folder\.$/;
    await expect(recordsOf(zone)).rejects.toThrow(reason);
    await expect(there.provider.listZones()).rejects.toThrow(reason);
    await expect(there.provider.fingerprint(zone)).rejects.toThrow(reason);
    await expect(there.provider.applyChanges(zone, [create(record("www", "A", "192.0.2.1"))])).rejects.toThrow(reason);
    expect(await readFile(there.folder, "utf8")).toBe("no folder");
  });

  test("a dangling link counts as a missing zone file", async () => {
    await mkdir(there.folder, { recursive: true });
    await symlink(fileOf("nowhere"), fileOf("example.com.zone"));
    await expect(recordsOf(zone)).rejects.toMatchObject({ zoneMissing: true, effect: "none" });
    expect((await there.provider.listZones()).names).toEqual([]);
  });

  test("a symbolic link must not lead outside the zone folder", async () => {
    await place("inside", `${soaLine}www A 192.0.2.1\n`);
    await writeFile(join(there.root, "outside.zone"), soaLine);
    await symlink(fileOf("inside"), fileOf("example.com.zone"));
    await symlink(join(there.root, "outside.zone"), fileOf("example.net.zone"));
    expect(await recordsOf(zone)).toHaveLength(1);
    await expect(recordsOf("example.net")).rejects.toThrow(
      "example.net.zone is a link that leads outside the zone folder.",
    );
    expect((await there.provider.listZones()).names).toEqual([zone]);
  });
});

describe("$INCLUDE", () => {
  test("$INCLUDE reads files of the folder, and zones that use it are not rewritten", async () => {
    await place("hosts.inc", "www A 192.0.2.1\n");
    await place("example.com.zone", `${soaLine}$INCLUDE hosts.inc\n`);
    expect(await recordsOf(zone)).toMatchObject([{ name: "www" }]);
    expect(await there.provider.fingerprint(zone)).toBeNull();
    await expect(there.provider.applyChanges(zone, [create(record("a", "A", "192.0.2.2"))])).rejects.toMatchObject({
      effect: "none",
      message: expect.stringContaining("uses $INCLUDE"),
    });
    expect(await contentOf()).toBe(`${soaLine}$INCLUDE hosts.inc\n`);
  });

  test.each(["../secret", "/etc/hostname", "link", "linked/secret", "sub/../../secret"])(
    "$INCLUDE %s is refused because it leads outside the folder",
    async (path) => {
      await place("example.com.zone", `${soaLine}$INCLUDE ${path}\n`);
      await writeFile(join(there.root, "secret"), "www A 192.0.2.1\n");
      await symlink(join(there.root, "secret"), fileOf("link"));
      await symlink(there.root, fileOf("linked"));
      await expect(recordsOf(zone)).rejects.toThrow(`line 2: $INCLUDE ${path} leads outside the zone folder.`);
    },
  );

  test("$INCLUDE of a missing file or a folder is reported", async () => {
    await place("example.com.zone", `${soaLine}$INCLUDE nowhere`);
    await expect(recordsOf(zone)).rejects.toThrow("$INCLUDE nowhere cannot be read: it does not exist.");
    await place("example.com.zone", `${soaLine}$INCLUDE .`);
    await expect(recordsOf(zone)).rejects.toThrow("$INCLUDE . is not a file.");
  });
});
