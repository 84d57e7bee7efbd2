import { Migration } from "@mikro-orm/migrations";
import { layouts } from "../../dns/rdata/layouts.ts";
import { uneditableRule } from "../../dns/values/uneditable.ts";

type Execute = (sql: string, params?: unknown[]) => Promise<unknown>;

interface Row {
  record_id: string;
  version: number;
  record_type: string;
  value: string;
}

const atOnce = 1000;
/** The types that were editable then; their values were canonical already. */
const editableThen = new Set(["A", "AAAA", "CNAME", "NS", "MX", "TXT", "SRV", "CAA"]);
const keptTypes = [...layouts.keys()].filter((type) => !editableThen.has(type)).map((type) => `'${type}'`);

/**
 * Brings the data of kept types into the form in which it is read now: `LOC \# 16 …` to text, numbers without zeros in front. Without it the
 * next look at a provider would take each such record for another one, and a rollback to an older snapshot would write it anew.
 */
export async function canonicalizeStoredData(execute: Execute): Promise<void> {
  let after: Pick<Row, "record_id" | "version"> | undefined;
  for (;;) {
    const rows = (await execute(
      `select record_id, version, record_type, value from records where record_type in (${keptTypes.join()})
        ${after ? "and (record_id, version) > (?::uuid, ?::int)" : ""} order by record_id, version limit ${atOnce}`,
      after ? [after.record_id, after.version] : [],
    )) as Row[];
    const changed = rows.flatMap((row) => {
      const written = uneditableRule(row.record_type).write(row.value, null);
      return written.ok && written.value.value !== row.value ? [{ ...row, value: written.value.value }] : [];
    });
    if (changed.length > 0) {
      await execute(
        `update records set value = now.value from (values ${changed.map(() => "(?::uuid, ?::int, ?)").join()}) as now (record_id, version, value)
          where records.record_id = now.record_id and records.version = now.version`,
        changed.flatMap(({ record_id: id, version, value }) => [id, version, value]),
      );
    }
    after = rows.at(-1);
    if (rows.length < atOnce) return;
  }
}

/** What {@link canonicalizeStoredData} says. */
export class CanonicalData extends Migration {
  override async up(): Promise<void> {
    await canonicalizeStoredData((sql, params) => this.execute(sql, params));
  }
}
