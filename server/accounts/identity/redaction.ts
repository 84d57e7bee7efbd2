const longest = 300;

/**
 * Makes a provider's text safe for the log: one line of limited length, without character runs that could be tokens.
 * @param secrets values to remove, of any length
 */
export function tellable(words: string, secrets: readonly (string | null)[]): string {
  return redacted(words, secrets)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .replaceAll(/[\w~+/=-]{20,}/g, (run) => (/^[a-z_-]+$/.test(run) ? run : "…"))
    .slice(0, longest);
}

/** Removes known secrets of any length from a text. */
export function redacted(text: string, secrets: readonly (string | null)[]): string {
  return secrets.reduce<string>((rest, secret) => (secret ? rest.replaceAll(secret, "…") : rest), text);
}
