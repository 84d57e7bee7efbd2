import { ProviderError } from "../provider.ts";
import { PageTurner } from "./page-turner.ts";

/** One page of a list that is read by page number. */
export interface Page<Entry> {
  entries: readonly Entry[];
  /** Entries in the whole list according to this page; null if the vendor does not say. */
  total: number | null;
  /** Whether the vendor has no further page. */
  isLast: boolean;
}

export interface PagedList<Entry> {
  /** The vendor's name, for messages. */
  vendor: string;
  /** The list's name, at the beginning of messages: `The list of domains`. */
  name: string;
  /** Entries on a full page. */
  pageSize: number;
  idOf: (entry: Entry) => string | number;
  /** Whether the list is of use only when complete: the entries read must then add up to the total. */
  mustBeComplete?: boolean;
}

/**
 * Reads a list from page 1 to its last page. Entries added meanwhile push others to later pages, so each id is yielded once. Entries
 * removed meanwhile pull others to earlier pages, where they would be missed, so a shrinking list fails.
 * @throws ProviderError with effect `none` if the list changed while being read, or never ends
 */
export async function* readPages<Entry>(
  { vendor, name, pageSize, idOf, mustBeComplete = false }: PagedList<Entry>,
  read: (page: number) => Promise<Page<Entry>>,
): AsyncGenerator<Entry[]> {
  const seen = new Set<string | number>();
  const turner = new PageTurner(vendor);
  const changed = () => new ProviderError(`${name} at ${vendor} changed while being read. Try again.`, "none");
  let known = 0;
  for (let page = 1; ; page++) {
    const { entries, total, isLast } = await read(page);
    if (total !== null && total < known) throw changed();
    known = total ?? known;
    const fresh = entries.filter((entry) => !seen.has(idOf(entry)));
    for (const entry of fresh) seen.add(idOf(entry));
    if (fresh.length > 0) yield fresh;
    const [first] = entries;
    if (isLast && mustBeComplete && total !== null && seen.size !== total) throw changed();
    if (isLast) return;
    if (!first) throw changed();
    turner.turn(idOf(first), total === null ? undefined : Math.ceil(total / pageSize));
  }
}

/**
 * Lists the records of some names, one query per name. Lists the whole zone instead if there are more than `mostQueries` names.
 * @param list yields the records of one name, or of the whole zone without a name
 */
export async function* pagesOfNames<RecordsPage>(
  names: ReadonlySet<string>,
  mostQueries: number,
  list: (name?: string) => AsyncIterable<RecordsPage>,
): AsyncGenerator<RecordsPage> {
  if (names.size > mostQueries) yield* list();
  else for (const name of names) yield* list(name);
}
