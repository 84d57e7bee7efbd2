import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await manualZone(zw);
});

const a = (name: string, value: string) => ({ recordType: "A", name, value });
const cname = (name: string, value: string) => ({ recordType: "CNAME", name, value });

describe("rules of a name", () => {
  test("a name has each record once, in any spelling", async () => {
    await zone.add("AAAA", "www", "2001:db8::1");
    const { status, body } = await zone.create({ recordType: "AAAA", name: "WWW", value: "2001:DB8:0::0001" });
    expect([status, body.code]).toEqual([409, "CONFLICT"]);
    expect(body.issues).toMatchObject([{ path: ["value"] }]);
    const other = await zone.add("AAAA", "www", "2001:db8::2");
    expect((await zone.update(other.id, { value: "2001:db8::1" })).status).toBe(409);
    expect(await zone.lines()).toHaveLength(2);
  });

  test("a name with a CNAME takes no other record, and a name with others takes no CNAME", async () => {
    await zone.add("CNAME", "alias", "target.example");
    await zone.add("A", "host", "192.0.2.1");
    const text = await zone.add("TXT", "text", "x");
    const answers = [
      await zone.create(a("alias", "192.0.2.2")),
      await zone.create(cname("alias", "other.example")),
      await zone.create(cname("host", "target.example")),
      await zone.update(text.id, { name: "alias" }),
      await zone.update(text.id, { recordType: "CNAME", value: "x.example", name: "host" }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [409, "CONFLICT"]));
    expect(await zone.lines()).toEqual(["alias CNAME target.example", "host A 192.0.2.1", "text TXT x"]);
  });

  test("an update may turn the only record of a name into a CNAME", async () => {
    const record = await zone.add("A", "host", "192.0.2.1");
    const { status, body } = await zone.update(record.id, { recordType: "CNAME", value: "target.example" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: record.id, recordType: "CNAME", priority: null, version: 2 });
  });

  test("the apex cannot be a CNAME", async () => {
    for (const name of ["@", "", zone.name, `${zone.name}.`]) {
      const { status, body } = await zone.create(cname(name, "target.example"));
      expect(status).toBe(400);
      expect(body.issues).toMatchObject([{ path: ["recordType"] }]);
    }
  });

  test("a wildcard may exist beside the names that it covers", async () => {
    await zone.add("A", "*.dev", "192.0.2.1");
    await zone.add("CNAME", "one.dev", "target.example");
    expect((await zone.create(cname("*.dev", "target.example"))).status).toBe(409);
  });
});

describe("an imported zone that breaks rules", () => {
  const broken = "both CNAME target.example.\nboth A 192.0.2.1\nboth TXT x\n@ CNAME apex.example.\n";

  test("an imported zone that breaks rules stays as it is, and can be fixed record by record", async () => {
    const file = await fileZone(zw, broken);
    expect(await file.records()).toHaveLength(4);
    const [address, text, apex] = await Promise.all([
      file.records("&type=A"),
      file.records("&type=TXT"),
      file.records("&type=CNAME&search=@"),
    ]);
    expect((await file.delete(address[0].id)).status).toBe(200);
    expect((await file.update(text[0].id, { value: "y" })).status).toBe(200);
    expect((await file.update(apex[0].id, { ttl: 60 })).status).toBe(200);
    expect((await file.delete(apex[0].id)).status).toBe(200);
    expect(await file.lines()).toEqual(["both CNAME target.example", "both TXT y"]);
  });

  test("a zone that breaks rules cannot be made worse", async () => {
    const file = await fileZone(zw, broken);
    const answers = [
      await file.create({ recordType: "TXT", name: "both", value: "z" }),
      await file.create(cname("both", "second.example")),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 409]);
  });
});
