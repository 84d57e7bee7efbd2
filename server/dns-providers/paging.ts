import { ProviderError } from "./provider.ts";

/** More than any list has: 10,000 pages of the smallest size are a million entries. */
const mostPages = 10_000;

/** Ends the reading of a list that its vendor never ends, or in which it goes in circles. */
export class PageTurner {
  readonly #vendor: string;
  readonly #seen = new Set<string>();

  constructor(vendor: string) {
    this.#vendor = vendor;
  }

  /**
   * Asks for one more page.
   * @param mark what only this page begins with: the entry that it starts at, or the first one that it has.
   * @throws ProviderError with effect `none`
   */
  turn(mark: string | number): void {
    const text = String(mark);
    if (this.#seen.has(text)) {
      throw new ProviderError(
        `${this.#vendor}: it shows the same page of a list again and again; try again later.`,
        "none",
      );
    }
    this.#seen.add(text);
    if (this.#seen.size > mostPages) {
      throw new ProviderError(
        `${this.#vendor}: it shows a list of more than ${mostPages} pages, which cannot be read.`,
        "none",
      );
    }
  }
}
