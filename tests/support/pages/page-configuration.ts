import { page } from "../markdown.ts";

/** What a test puts in place of something on a page: its own host, port, key, secret or path. */
export type Substitutions = Readonly<Record<string, string>>;

/**
 * Returns a block of configuration as a page shows it, so the page and the test that runs it cannot differ.
 * @param marker a text that only this block of the page has
 * @throws Error unless exactly one block has the marker, and the block everything that is replaced
 */
export async function configurationOn(path: string, marker: string, inPlace: Substitutions = {}): Promise<string> {
  const found = (await page(path)).blocks.filter(({ code }) => code.includes(marker));
  const [block] = found;
  if (!block || found.length > 1) throw new Error(`${path} has ${found.length} blocks with ${marker}.`);
  return substituted(block.code, inPlace);
}

/** Replaces all substitutions at once, so none applies to what another one has put in. @throws Error if one is not in the text */
export function substituted(text: string, inPlace: Substitutions): string {
  const names = Object.keys(inPlace).toSorted((one, other) => other.length - one.length);
  const missing = names.filter((name) => !text.includes(name));
  if (missing.length > 0) throw new Error(`Not in the documented configuration: ${missing.join(", ")}\n${text}`);
  if (names.length === 0) return text;
  const pattern = names.map((name) => name.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join("|");
  return text.replaceAll(new RegExp(pattern, "g"), (name) => inPlace[name] ?? name);
}

/** Returns the environment that a block of `NAME=value` lines sets. */
export async function settingsOn(
  path: string,
  marker: string,
  inPlace: Substitutions,
): Promise<Record<string, string>> {
  const lines = (await configurationOn(path, marker, inPlace)).trim().split("\n");
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/** Returns the arguments of the command in a block, without the program. Quotes are single, and nothing else is special. */
export async function argumentsOn(path: string, marker: string, inPlace: Substitutions): Promise<string[]> {
  const command = (await configurationOn(path, marker, inPlace)).replaceAll("\\\n", " ");
  const words = [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
  return words.slice(1);
}
