/** The pages whose filters can be saved. */
export type SavedPage = "search" | "domains";

export type Filters = Readonly<Record<string, string | undefined>>;

const kept: Readonly<Record<SavedPage, readonly string[]>> = {
  search: ["q", "value", "host", "note", "type", "tag"],
  domains: ["search", "status", "tag", "group", "view", "provider", "drift", "sort"],
};

/** What is saved of the filters in the address of a page, in one order. */
export function savedFilters(page: SavedPage, filters: Filters): Record<string, string> {
  const given = kept[page].map((key) => [key, filters[key]] as const);
  return Object.fromEntries(given.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

/** Whether a page shows what was saved. The service may have stored it in another order. */
export function isSame(page: SavedPage, one: Filters, other: Filters): boolean {
  return JSON.stringify(savedFilters(page, one)) === JSON.stringify(savedFilters(page, other));
}
