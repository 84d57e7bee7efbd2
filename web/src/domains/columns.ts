/** The columns of the list that can be chosen: their width and, if the list can be sorted by them, the field. */
export const columnTable: Readonly<Record<string, readonly [width: string, sort?: string]>> = {
  provider: ["minmax(0, 1.5fr)", "provider"],
  records: ["64px", "recordCount"],
  expires: ["104px", "expiresAt"],
  tags: ["minmax(0, 1fr)"],
  group: ["minmax(0, 1fr)"],
  changed: ["78px", "updatedAt"],
  author: ["minmax(0, 1fr)"],
};

/** Shown unless the user chose others. */
export const usualColumns = ["provider", "records", "expires", "tags", "changed", "author"];

/** Known to the first page before the account's choice is. */
export const columnsKey = "zonewright.columns";

/** The columns to show, in order: another version of the console may have stored others. */
export function knownColumns(stored: readonly string[]): string[] {
  return [...new Set(stored)].filter((column) => Object.hasOwn(columnTable, column));
}
