import { expect, test } from "vitest";
import { theService } from "../../../server/access/caller.ts";
import { queries } from "../../../server/database/database.ts";
import { useZonewright } from "../../support/zonewright.ts";

const app = useZonewright();

test("the database refuses to change or delete an entry of the audit trail", async () => {
  const { database, audit } = app.services;
  const em = () => database.fork();
  await audit.record(em(), theService, {
    action: "domain.create",
    targetType: "domain",
    targetId: null,
    after: { name: "a.example" },
  });
  const table = "audit_entries";
  await expect(queries(em()).updateTable(table).set({ action: "domain.delete" }).execute()).rejects.toThrow(
    /never changed/,
  );
  await expect(queries(em()).deleteFrom(table).execute()).rejects.toThrow(/never changed/);
  expect(
    await queries(em()).selectFrom(table).select(["action", "after"]).where("action", "=", "domain.create").execute(),
  ).toMatchObject([{ action: "domain.create", after: { name: "a.example" } }]);
});
