import { domainToASCII } from "node:url";

/** What a person types to find a name, as names are stored and as LIKE reads it: A-labels in lower case, nothing a wildcard. */
export function searchName(search: string): string {
  const folded = /[^\p{ASCII}]/u.test(search)
    ? search
        .split(".")
        .map((label) => domainToASCII(label) || label)
        .join(".")
    : search;
  return folded.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`);
}
