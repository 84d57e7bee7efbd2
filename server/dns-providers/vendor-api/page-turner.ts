import { ProviderError } from "../provider.ts";

/** More than any list has, whatever its vendor says of it. */
const mostPages = 10_000;
/** A list may grow while it is read: to so many times what it first was, and some pages. */
const growth = { times: 2, pages: 10 };

/** Ends the reading of a list that its vendor never ends, or in which it goes in circles. One for each list that is read. */
export class PageTurner {
  readonly #vendor: string;
  readonly #seen = new Set<string>();
  #most = mostPages;

  constructor(vendor: string) {
    this.#vendor = vendor;
  }

  /**
   * Asks for one more page.
   * @param mark what only the last page begins with or leads to: its first entry, or the cursor that it gives.
   * @param promised how many pages there are by what the vendor says now; left out where it does not.
   * @throws ProviderError with effect `none`
   */
  turn(mark: string | number, promised?: number): void {
    if (this.#seen.size === 0 && promised !== undefined) {
      this.#most = Math.min(mostPages, growth.times * promised + growth.pages);
    }
    const text = String(mark);
    if (this.#seen.has(text)) throw this.#failure("it shows the same page of a list again and again");
    this.#seen.add(text);
    if (this.#seen.size >= this.#most) throw this.#failure("its list grows faster than it can be read");
  }

  #failure(what: string): ProviderError {
    return new ProviderError(`${this.#vendor}: ${what}; try again later.`, "none");
  }
}
