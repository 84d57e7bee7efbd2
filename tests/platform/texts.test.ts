import { beforeAll, describe, expect, test } from "vitest";
import { problemOf } from "../support/problems.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
let domain: string;

beforeAll(async () => {
  domain = `/api/domains/${(await zw.admin.post("/api/domains", { name: "texts.example" })).body.id}`;
});

/** One of each forbidden kind of character: bidirectional controls (UAX #9), C0, DEL, C1, line ends, invisible characters, and tags. */
const unseen = Array.from(
  "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u0000\t\n\u001b\u007f\u0085\u009f\u2028\u2029\u00ad\u200b\u2060\u2064\ufeff\u{e0000}\u{e0041}\u{e007f}",
);
const password = "a password that nobody else has";
const call = (path: string, body: object) => zw.admin.post(path, body);

/** Names and titles that people see, each in a call that succeeds with plain text. */
const lines: [field: string, send: (text: string) => ReturnType<typeof call>, path: (string | number)[]][] = [
  ["a user's name", (text) => call("/api/users", { username: `u${text}`, password, role: "member" }), ["username"]],
  [
    "a user's full name",
    (text) => call("/api/users", { username: "shown", password, role: "member", displayName: `A${text}` }),
    ["displayName"],
  ],
  ["a nickname", (text) => zw.admin.put("/api/auth/me/profile", { nickname: `A${text}` }), ["nickname"]],
  ["a group", (text) => zw.admin.put(domain, { groupName: `A${text}` }), ["groupName"]],
  ["a tag", (text) => zw.admin.put(domain, { tags: [`A${text}`] }), ["tags", 0]],
  ["a token's name", (text) => call("/api/auth/me/tokens", { name: `A${text}`, permissions: [] }), ["name"]],
  ["a configuration's name", (text) => call("/api/provider-configs", { kind: "manual", name: `A${text}` }), ["name"]],
  [
    "a channel's name",
    (text) =>
      call("/api/notifications", { channel: "web", name: `A${text}`, config: { administrators: true }, events: [] }),
    ["name"],
  ],
  [
    "a record's comment",
    (text) => call(`${domain}/records`, { recordType: "A", name: "x", value: "192.0.2.1", comment: `A${text}` }),
    ["comment"],
  ],
];

describe("control, bidirectional and invisible characters are refused", () => {
  test.each(lines)("%s refuses control, bidirectional and invisible characters", async (_field, send, path) => {
    for (const character of unseen) {
      const answer = await send(character);
      expect(problemOf(answer, 400, "BAD_REQUEST").issues?.[0]).toMatchObject({ path });
    }
  });
});

test("a name may contain letters of any script, combining marks and emoji", async () => {
  const nickname = "أدا עדה Añá 艾达 क्\u200dष نامه\u200cای 👩🏽\u200d💻";
  expect((await zw.admin.put("/api/auth/me/profile", { nickname })).body.nickname).toBe(nickname);
});

describe("notes", () => {
  test("notes may contain line breaks, tabs, and marks that written Arabic and Hebrew need", async () => {
    const notes = "One\n\tTwo \u200f(עדה)\u200e.";
    expect((await zw.admin.put(domain, { notes })).body.notes).toBe(notes);
  });

  test.each(Array.from("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))(
    "notes must not contain %j, which changes the direction of text",
    async (character) => {
      const answer = await zw.admin.put(domain, { notes: `a${character}b` });
      expect(problemOf(answer, 400, "BAD_REQUEST").issues).toMatchObject([{ path: ["notes"] }]);
    },
  );
});

test("a record's value may contain bidirectional and invisible characters, because it is data", async () => {
  const value = "a\u202eb\u2066c\u200fd";
  const answer = await zw.admin.post(`${domain}/records`, { recordType: "TXT", name: "any", value });
  expect(answer).toMatchObject({ status: 201, body: { value } });
});
