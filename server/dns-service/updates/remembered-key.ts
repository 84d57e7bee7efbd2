import type { KnownKey, TsigKeyCredentials } from "../../access/tsig-keys.ts";
import type { Sent } from "../../database/statements.ts";

/** Thrown when a remembered key is no longer what it was: it was deleted, or its owner's rights changed. Nothing was changed. */
export class KeyChanged extends Error {}

/** The key of an update: looked up for it, or remembered and then looked up by the transaction that makes it. */
export class RememberedKey {
  readonly #credentials: TsigKeyCredentials;
  readonly #key: KnownKey;
  #isSame: boolean | undefined;

  /** @param isRemembered false if it was just looked up */
  constructor(credentials: TsigKeyCredentials, key: KnownKey, isRemembered: boolean) {
    this.#credentials = credentials;
    this.#key = key;
    if (!isRemembered) this.#isSame = true;
  }

  /** Returns what looks it up again, if that is necessary. */
  ahead(): Sent[] {
    if (this.#isSame !== undefined) return [];
    return [this.#credentials.lookup(this.#key, (isSame) => (this.#isSame = isSame))];
  }

  /** Looks it up if nothing has. @throws KeyChanged */
  async mustBeSame(): Promise<void> {
    this.#isSame ??= await this.#credentials.isSame(this.#key);
    if (!this.#isSame) throw new KeyChanged("The key is no longer what it was.");
  }
}
