import { domainToASCII } from "node:url";

const longestText = 200;
/** More are ignored: no registry allows as many. */
const mostValues = 50;
const hostName = /^(?=.{1,253}$)(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d])?\.)+[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;

/** Returns the host names among texts from a registry, in lower-case A-labels, sorted and each once. */
export function readHostNames(texts: readonly string[]): string[] {
  const names = texts.flatMap((text) => {
    const name = domainToASCII(text.slice(0, 300).trim().replace(/\.$/, "")).toLowerCase();
    return hostName.test(name) ? name : [];
  });
  return distinct(names);
}

/** Returns DS records in the form of zone files (RFC 4034 §5.3), or null for a text that is none. */
export function readDs(text: string): string | null {
  const parts = text.slice(0, 500).trim().split(/\s+/);
  const [tag, algorithm, type, ...digest] = parts;
  const hex = digest.join("").toLowerCase();
  const numbers = [tag, algorithm, type].map((part) => (/^\d{1,5}$/.test(part ?? "") ? Number(part) : Infinity));
  const [keyTag = Infinity, ...octets] = numbers;
  if (keyTag > 65_535 || octets.some((octet) => octet > 255)) return null;
  return hex.length >= 40 && hex.length <= 128 && /^(?:[\da-f]{2})+$/.test(hex) ? `${numbers.join(" ")} ${hex}` : null;
}

/** Cleans registry text. Returns null for empty text and for placeholders such as "redacted". */
export function cleanRegistryText(text: string): string | null {
  const line = oneLine(text);
  return line === "" || /^(?:redacted|not disclosed|data protected|n\/a$)/i.test(line) ? null : line;
}

/** Sorts values and removes duplicates. */
export function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted().slice(0, mostValues);
}

/** Makes untrusted text safe to store and display: a single line of limited length, without control characters. */
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, longestText)
    .toWellFormed();
}
