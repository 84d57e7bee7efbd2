import type { SecretCipher } from "../../platform/secret-cipher.ts";
import type { ChannelKind } from "./kind.ts";

/** Error for settings that cannot be decrypted. */
export const unreadableConfig = "No key in SECRET_KEYS decrypts the channel's settings. Enter them again.";

export type ChannelConfig = Readonly<Record<string, unknown>>;

/** Encrypts channel settings at rest. They are encrypted as a whole because most contain URLs that work like passwords. */
export class ConfigCipher {
  readonly #box: SecretCipher;

  constructor(box: SecretCipher) {
    this.#box = box;
  }

  seal(id: string, config: ChannelConfig): string {
    return this.#box.seal(JSON.stringify(config), aadOf(id));
  }

  /** Decrypts settings; null if no key fits. */
  open(id: string, sealed: string): ChannelConfig | null {
    const opened = this.#box.open(sealed, aadOf(id));
    return opened.ok ? (JSON.parse(opened.text) as ChannelConfig) : null;
  }

  /** Re-encrypts settings with the newest key; null if no key decrypts them. */
  resealed(id: string, sealed: string): string | null {
    return this.#box.resealed(sealed, aadOf(id));
  }
}

/** Returns settings with secrets masked, for responses. */
export function masked({ masks }: ChannelKind, config: ChannelConfig): Record<string, unknown> {
  const shown = Object.entries(masks).flatMap(([name, mask]) =>
    typeof config[name] === "string" && config[name] !== "" ? [[name, mask(config[name])]] : [],
  );
  return { ...config, ...Object.fromEntries(shown) };
}

/** Applies an update to masked fields: an omitted, empty or masked value keeps the stored one; null removes it. */
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

function aadOf(id: string): string[] {
  return ["notification_channels", id];
}
