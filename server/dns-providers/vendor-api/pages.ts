import { ProviderError } from "../provider.ts";

/** One page of a list that is read by page number. */
interface Page<Entry> {
  entries: readonly Entry[];
  /** Entries in the whole list according to this page; null if the vendor does not say. */
  total: number | null;
  /** Whether the vendor has no further page. */
  isLast: boolean;
}

interface PagedList<Entry> {
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

/** More pages than any real list has. */
const mostPages = 10_000;
/** How much a list may grow while being read: to this multiple of its first length, plus some pages. */
const growth = { times: 2, pages: 10 };

/** Stops reading a list that never ends or goes in circles. Use one per list read. */
export class PageTurner {
  readonly #vendor: string;
  readonly #seen = new Set<string>();
  #most = mostPages;

  constructor(vendor: string) {
    this.#vendor = vendor;
  }

  /**
   * Permits one more page.
   * @param mark identifies the page just read: its first entry, or the cursor it returned.
   * @param promised number of pages according to the vendor; left out if it does not say.
   * @throws ProviderError with effect `none`
   */
  turn(mark: string | number, promised?: number): void {
    if (this.#seen.size === 0 && promised !== undefined) {
      this.#most = Math.min(mostPages, growth.times * promised + growth.pages);
    }
    const text = String(mark);
    if (this.#seen.has(text)) throw this.#failure("keeps returning the same page of a list");
    this.#seen.add(text);
    if (this.#seen.size >= this.#most) throw this.#failure("returns a list that grows faster than it can be read");
  }

  #failure(what: string): ProviderError {
    return new ProviderError(`${this.#vendor} ${what}. Try again later.`, "none");
  }
}
