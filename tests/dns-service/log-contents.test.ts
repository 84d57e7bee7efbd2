import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";
import { usePrimary } from "./primary.ts";
import { addZone, type Zone } from "../support/zones.ts";

const lines: string[] = [];
const zw = useZonewright({
  env: { DNS_LISTEN: "127.0.0.1:0", JOBS: "off" },
  logTo: { write: (line) => void lines.push(line) },
});
const servFail = 2;
const primary = usePrimary(zw);

const em = () => zw.services.database.fork();

/** Transfers a zone, which fails, and returns what is logged of it. */
async function failure(zone: Zone): Promise<string> {
  lines.length = 0;
  expect((await transfer(primary.port, zone.name)).rcode).toBe(servFail);
  expect((await transfer(primary.port, zone.name, { since: 1 })).rcode).toBe(servFail);
  const logged = lines.filter((line) => line.includes(zone.id)).join("");
  expect(logged).not.toBe("");
  return logged;
}

test("a transfer that fails at a record leaves neither its name nor its value in the log", async () => {
  const zone = await addZone(zw, { name: "record.example", providerConfigId: primary.configId });
  await zone.add("A", "hidden-name", "192.0.2.77");
  const broken = queries(em()).updateTable("records").set({ value: "hidden-value" });
  await broken.where("domain_id", "=", zone.id).where("record_type", "=", "A").execute();
  expect(await failure(zone)).not.toContain("hidden");
});

test("a transfer that the database fails in between leaves nothing of the zone in the log", async () => {
  const zone = await addZone(zw, { name: "database.example", providerConfigId: primary.configId });
  const zonefile = Array.from({ length: 1_100 }, (_, index) => `hidden${index} 300 A 192.0.2.1`).join("\n");
  expect((await zone.post("/zonefile", { zonefile })).status).toBe(200);
  await sql`alter function transfer_page rename to whole_transfer_page`.execute(queries(em()));
  // Other files of tests use the same database.
  onTestFinished(async () => {
    await sql`drop function transfer_page`.execute(queries(em()));
    await sql`alter function whole_transfer_page rename to transfer_page`.execute(queries(em()));
  });
  // The second page begins after a name.
  await sql`
    create function transfer_page(zone uuid, at_revision int, after_name text, after_type text, after_record uuid, page_rows int)
    returns table (
      record_type text, name text, value text, written_name text, written_value text, strings text, ttl int, proxied boolean, record_id uuid
    )
    language plpgsql as $$
    begin
      if after_name <> '' then raise exception 'the disk is full'; end if;
      return query select * from whole_transfer_page(zone, at_revision, after_name, after_type, after_record, page_rows);
    end $$
  `.execute(queries(em()));
  const logged = await failure(zone);
  expect(logged).toContain("the disk is full");
  expect(logged).not.toContain("hidden");
});
