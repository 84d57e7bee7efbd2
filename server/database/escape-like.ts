/** Escapes text for a `like` pattern so that it matches literally: `_` is valid in names but a wildcard in patterns. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}
