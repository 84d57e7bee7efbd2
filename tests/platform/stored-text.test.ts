import { expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

test("a list of texts is stored and read back unchanged, despite PostgreSQL's array literals", async () => {
  const tags = [
    "null",
    " a ",
    "a b",
    "{}",
    "{a",
    "a,b",
    '"',
    '""',
    "\\",
    "\\n",
    "a\\",
    "'",
    "ü💥",
    "\u00a0x\u3000",
    "0",
  ];
  const created = await zw.admin.post("/api/domains", { name: "lists.example", tags });
  expect({ status: created.status, tags: created.body.tags }).toEqual({ status: 201, tags });
  // Tags that differ in case are one, so the other spelling comes with the update.
  const reversed = tags.toReversed().map((tag) => (tag === "null" ? "NULL" : tag));
  const updated = await zw.admin.put(`/api/domains/${created.body.id}`, { tags: reversed });
  expect({ status: updated.status, tags: updated.body.tags }).toEqual({ status: 200, tags: reversed });
  for (const tag of reversed) {
    const { body } = await zw.admin.get(`/api/domains?tag=${encodeURIComponent(tag)}`);
    expect({ tag, total: body.total }).toEqual({ tag, total: 1 });
  }
});
