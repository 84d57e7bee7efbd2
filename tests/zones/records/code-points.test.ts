import { beforeAll, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

/** Code points that a client's TXT value must not contain: C0 controls except tab, DEL, and surrogates. */
function isRefused(code: number): boolean {
  return (code < 0x20 && code !== 9) || code === 0x7f || (code >= 0xd800 && code <= 0xdfff);
}

const shown = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;

// At the ends of a text, where byte order marks, noncharacters and blanks get lost.
const awkward = [
  0x09, 0x20, 0x80, 0x85, 0xa0, 0xad, 0x301, 0x200b, 0x200e, 0x202e, 0x2028, 0x2060, 0xd7ff, 0xe000, 0xfdd0, 0xfeff,
  0xfffd, 0xfffe, 0xffff, 0x1_0000, 0x1_f44b, 0x1_fffe, 0xe_0001, 0xf_ffff, 0x10_ffff,
];

let file: Zone;
beforeAll(async () => {
  file = await fileZone(zw);
});

test.each(awkward.map((code) => [shown(code), String.fromCodePoint(code)]))(
  "a text that begins and ends with %s can be created, read, changed, deleted and created again",
  async (_, character) => {
    const value = `${character}text${character}`;
    const { status, body } = await file.create({ recordType: "TXT", name: "x", value, comment: null });
    expect({ status, value: body.value }).toEqual({ status: 201, value });
    expect((await file.create({ recordType: "TXT", name: "x", value })).status).toBe(409);
    expect((await file.records()).map((record) => record.value)).toEqual([value]);
    expect(await file.update(body.id, { ttl: 60 })).toMatchObject({ status: 200, body: { value, ttl: 60 } });
    const changed = await file.update(body.id, { value: character });
    expect(changed).toMatchObject({ status: 200, body: { value: character } });
    const cut = await file.update(body.id, { strings: [character, "b", character] });
    expect(cut).toMatchObject({ status: 200, body: { strings: [character, "b", character] } });
    expect((await file.records())[0]).toEqual(cut.body);
    expect((await file.delete(body.id)).status).toBe(200);
    expect(await file.records()).toEqual([]);
    expect((await file.get("/history?limit=5")).body.entries).toMatchObject(
      Array.from({ length: 5 }, () => ({ state: "applied" })),
    );
  },
);

test("texts that begin and end with awkward characters can be created, read, changed, deleted and created again in a zone without a back end", async () => {
  const zone = await manualZone(zw);
  const make = async (change: (character: string) => object) => {
    const records = awkward.map((code, index) => {
      const text = change(String.fromCodePoint(code));
      return { recordType: "TXT", name: `x${index}`, ...text };
    });
    expect((await zone.post("/records/bulk", { records })).body).toMatchObject({ succeeded: records.length });
    const read = new Map((await zone.records()).map((record) => [record.name, record]));
    for (const record of records) expect(read.get(record.name)).toMatchObject(record);
    return { records, ids: records.map(({ name }) => String(read.get(name)?.id)) };
  };
  const write = async (changes: object[]) => {
    const { planHash } = (await zone.post("/records/plan", { changes })).body;
    expect((await zone.post("/records/apply", { changes, planHash, force: true })).status).toBe(200);
  };
  const remove = (ids: string[]) => write(ids.map((recordId) => ({ action: "delete", recordId })));
  const { records, ids } = await make((character) => ({ value: `${character}text${character}` }));
  expect((await zone.post("/records/bulk", { records })).body).toMatchObject({ succeeded: 0 });
  const ends = awkward.map((code) => String.fromCodePoint(code));
  await write(ids.map((recordId, index) => ({ action: "update", recordId, record: { value: ends[index], ttl: 60 } })));
  const changed = new Map((await zone.records()).map(({ name, value }) => [name, value]));
  expect(ends.map((_, index) => changed.get(`x${index}`))).toEqual(ends);
  await remove(ids);
  expect(await zone.records()).toEqual([]);
  const again = await make((character) => ({ strings: [character, "b", character] }));
  await remove(again.ids);
  expect(await zone.records()).toEqual([]);
  expect(new Set((await zone.history()).map(({ state }: Body) => state))).toEqual(new Set(["applied"]));
});

test("every code point of every plane reads back as it was sent, and can be deleted", async () => {
  const zone = await manualZone(zw);
  const values: string[] = [];
  for (let start = 0; start < 0x11_0000; start += 2_048) {
    const codes = Array.from({ length: 2_048 }, (_, index) => start + index).filter((code) => !isRefused(code));
    if (codes.length > 0) values.push(codes.map((code) => String.fromCodePoint(code)).join(""));
  }
  for (let start = 0; start < values.length; start += 100) {
    const records = values
      .slice(start, start + 100)
      .map((value, index) => ({ recordType: "TXT", name: `t${start + index}`, value }));
    const { body } = await zone.post("/records/bulk", { records });
    expect(body).toMatchObject({ succeeded: records.length });
  }
  const read: Body[] = [];
  for (const page of [1, 2]) read.push(...(await zone.get(`/records?limit=500&page=${page}`)).body.records);
  expect(read.length).toBe(values.length);
  const wrong = read.filter(({ name, value }) => value !== values[Number(name.slice(1))]).map(({ name }) => name);
  expect(wrong).toEqual([]);
  const { body } = await zone.post("/zonefile", { zonefile: "@ NS ns1.example.net.\n", mode: "replace", force: true });
  expect(body).toMatchObject({ deleted: values.length });
});

test("code points that are not text are refused, naming the value", async () => {
  const zone = await manualZone(zw);
  const codes = Array.from({ length: 0x80 }, (_, code) => code).filter(isRefused);
  for (const character of [...codes.map((code) => String.fromCharCode(code)), "\ud800", "a\udfffb"]) {
    for (const [field, given] of Object.entries({ value: `a${character}`, strings: ["a", character] })) {
      const answer = await zone.create({ recordType: "TXT", name: "x", [field]: given });
      expect([answer.status, answer.body.issues[0].path[0]]).toEqual([400, field]);
    }
  }
});

test("notes that begin with a byte order mark read back whole", async () => {
  const { id } = await manualZone(zw);
  const notes = "\ufeffnotes";
  expect((await zw.admin.put(`/api/domains/${id}`, { notes })).body.notes).toBe(notes);
  expect((await zw.admin.get(`/api/domains/${id}`)).body.notes).toBe(notes);
});
