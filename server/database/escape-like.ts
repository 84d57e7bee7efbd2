/** Text for a pattern of `like`, in which every character is to stand for itself: `_` is a letter in names and a wildcard in patterns. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}
