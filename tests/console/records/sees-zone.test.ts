import { expect, test } from "vitest";
import { seesZone } from "../../../web/src/records/sees-zone.ts";

const user = (id: string, role: "admin" | "auditor" | "member" = "member", disabled = false) => ({
  id,
  role,
  disabled,
});
const zone = { ownerId: "owner" };
const assigned = { assignments: [{ userId: "assigned" }], total: 1 };

test.each([
  [user("a", "admin"), true],
  [user("b", "auditor"), true],
  [user("owner"), true],
  [user("assigned"), true],
  [user("stranger"), false],
  [user("c", "admin", true), false],
  [user("assigned", "member", true), false],
])("of the user %j it is said whether they can see the zone: %s", (one, sees) => {
  expect(seesZone(one, zone, assigned)).toBe(sees);
});

test("where more are assigned than were read, or none was read yet, nobody who is not disabled is left out", () => {
  expect(seesZone(user("stranger"), zone, { ...assigned, total: 101 })).toBe(true);
  expect(seesZone(user("stranger"), zone, undefined)).toBe(true);
});
