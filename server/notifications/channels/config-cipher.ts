import type { SecretCipher } from "../../platform/secret-cipher.ts";
import type { ChannelKind } from "./kind.ts";

/** What is told of settings that `open` does not open. */
export const unreadableConfig = "No key in SECRET_KEYS opens its settings; enter them again.";

export type ChannelConfig = Readonly<Record<string, unknown>>;

/** The settings of channels: sealed at rest as a whole, for most of them are addresses that are as good as passwords. */
export class ConfigCipher {
  readonly #box: SecretCipher;

  constructor(box: SecretCipher) {
    this.#box = box;
  }

  seal(id: string, config: ChannelConfig): string {
    return this.#box.seal(JSON.stringify(config), placeOf(id));
  }

  /** Null where no key opens it. */
  open(id: string, sealed: string): ChannelConfig | null {
    const opened = this.#box.open(sealed, placeOf(id));
    return opened.ok ? (JSON.parse(opened.text) as ChannelConfig) : null;
  }

  /** Sealed by the newest key; null where no key opens it. */
  resealed(id: string, sealed: string): string | null {
    return this.#box.resealed(sealed, placeOf(id));
  }
}

/** For an answer. */
export function masked({ masks }: ChannelKind, config: ChannelConfig): Record<string, unknown> {
  const shown = Object.entries(masks).flatMap(([name, mask]) =>
    typeof config[name] === "string" && config[name] !== "" ? [[name, mask(config[name])]] : [],
  );
  return { ...config, ...Object.fromEntries(shown) };
}

/** What a change means: what is empty, or comes back as it was shown, is as it was; null is none. */
export function merged({ masks }: ChannelKind, stored: ChannelConfig, given: ChannelConfig): ChannelConfig {
  const config: Record<string, unknown> = { ...given };
  for (const [name, mask] of Object.entries(masks)) {
    const before = stored[name];
    if (given[name] === null) delete config[name];
    else if (
      given[name] === undefined ||
      given[name] === "" ||
      (typeof before === "string" && given[name] === mask(before))
    ) {
      if (before === undefined) delete config[name];
      else config[name] = before;
    }
  }
  return config;
}

function placeOf(id: string): string[] {
  return ["notification_channels", id];
}
