/**
 * Returns the lower-case letter that was pressed with Alt, or null. On a Mac, Option makes other characters of most letters: there, the place
 * of the key says which one was meant.
 */
export function altLetter(
  event: Pick<KeyboardEvent, "key" | "code" | "altKey" | "ctrlKey" | "metaKey">,
): string | null {
  if (!event.altKey || event.ctrlKey || event.metaKey) return null;
  const [, letter] = /^([a-z])$/i.exec(event.key) ?? /^Key([A-Z])$/.exec(event.code) ?? [];
  return letter?.toLowerCase() ?? null;
}
