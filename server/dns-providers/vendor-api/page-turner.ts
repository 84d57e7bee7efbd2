import { ProviderError } from "../provider.ts";

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
