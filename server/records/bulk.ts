import { inputError } from "../api/input-error.ts";
import { sentence } from "./editing/refusals.ts";
import type { Edit, Judged, PreparedEdit, Refusal } from "./editing/edits.ts";
import { recordInput } from "./schemas.ts";

/** The most records that a bulk call may create. */
export const mostBulkRecords = 100;

/** The items of a bulk call, read one by one: an item that cannot be read is refused and does not stop the others. */
export class BulkItems {
  /** The edits of the items that could be read. */
  readonly edits: readonly Edit[];
  readonly #items: readonly unknown[];
  /** For each item, why it cannot be read; null if it can. */
  readonly #unreadable: readonly (Refusal | null)[];

  constructor(items: readonly unknown[]) {
    const parsed = items.map((item) => recordInput.safeParse(item));
    this.#items = items;
    this.edits = parsed.flatMap((item): Edit[] => (item.success ? [{ action: "create", input: item.data }] : []));
    this.#unreadable = parsed.map((item) =>
      item.success ? null : { ok: false, code: "BAD_REQUEST", issues: inputError(item.error).issues ?? [] },
    );
  }

  /** Returns one outcome for each item, from those of the edits. */
  outcomes(judged: Judged): (PreparedEdit | undefined)[] {
    const ofEdits = [...judged.outcomes];
    return this.#unreadable.map((refusal) => refusal ?? ofEdits.shift());
  }

  /** Returns the answer for each item. @param refusedByProvider the provider's reasons, by the id of the record */
  results(judged: Judged, refusedByProvider: ReadonlyMap<string, string>) {
    return this.outcomes(judged).map((outcome, index) => {
      const item = this.#items[index];
      const error = !outcome?.ok ? sentence(outcome?.issues ?? []) : (refusedByProvider.get(outcome.id) ?? null);
      return {
        success: error === null,
        recordType: textField(item, "recordType"),
        name: textField(item, "name"),
        id: error === null && outcome?.ok ? outcome.id : null,
        error,
      };
    });
  }
}

function textField(value: unknown, field: "recordType" | "name"): string | null {
  if (typeof value !== "object" || value === null || !(field in value)) return null;
  const found = (value as Record<string, unknown>)[field];
  return typeof found === "string" ? found : null;
}
