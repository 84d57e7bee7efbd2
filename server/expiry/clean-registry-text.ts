const longestText = 200;

/** Text that a stranger wrote as the database takes it and people can read it: one line, no control characters, not endless. */
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, longestText)
    .toWellFormed();
}

/** The same; null for nothing, and for what stands in place of text that is not disclosed. */
export function cleanRegistryText(text: string): string | null {
  const line = oneLine(text);
  return line === "" || /^(?:redacted|not disclosed|data protected|n\/a$)/i.test(line) ? null : line;
}
