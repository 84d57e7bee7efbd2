const longestText = 200;

/** Makes untrusted text safe to store and display: a single line of limited length, without control characters. */
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, longestText)
    .toWellFormed();
}

/** Cleans registry text. Returns null for empty text and for placeholders such as "redacted". */
export function cleanRegistryText(text: string): string | null {
  const line = oneLine(text);
  return line === "" || /^(?:redacted|not disclosed|data protected|n\/a$)/i.test(line) ? null : line;
}
