const longest = 300;

/**
 * What a provider said, fit for a log: one line of bounded length, and no run of characters that could be a token.
 * @param secrets that it may quote, however short
 */
export function tellable(words: string, secrets: readonly (string | null)[]): string {
  return redacted(words, secrets)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .replaceAll(/[\w~+/=-]{20,}/g, (run) => (/^[a-z_-]+$/.test(run) ? run : "…"))
    .slice(0, longest);
}

/** A text without values that are known to be secret, however short they are. */
export function redacted(text: string, secrets: readonly (string | null)[]): string {
  return secrets.reduce<string>((rest, secret) => (secret ? rest.replaceAll(secret, "…") : rest), text);
}
