/**
 * Compares what a page tells of a command's output with what it printed. `…` stands for anything: within a text, for a value, and at the end of
 * an object or a list for what else there is. JSON is compared as data, so that pages may break it into lines.
 * @returns where they differ; empty where they do not
 */
export function outputDifferences(reported: string, printed: string): string[] {
  const data = dataIn(printed);
  if (data === undefined)
    return fits(reported.trim(), printed.trim()) ? [] : [`told: ${reported}\nprinted: ${printed}`];
  const differences = dataDifferences(JSON.parse(withQuotedGaps(reported)), data, "");
  return differences.length === 0 ? [] : [...differences, `printed: ${printed.trim()}`];
}

/** An object or a list in JSON; undefined for any other text. */
function dataIn(printed: string): unknown {
  try {
    const data: unknown = JSON.parse(printed);
    return typeof data === "object" ? data : undefined;
  } catch {
    return undefined;
  }
}

const gap = "…";

/** JSON with gaps as JSON: a gap becomes a string, and within an object a member. */
function withQuotedGaps(reported: string): string {
  const open: string[] = [];
  let last = "";
  return reported.replaceAll(/"(?:[^"\\]|\\.)*"|\S/g, (token) => {
    const isMember = open.at(-1) === "{" && last !== ":";
    last = token;
    if (token === "{" || token === "[") open.push(token);
    if (token === "}" || token === "]") open.pop();
    if (token !== gap) return token;
    return isMember ? `"${gap}":"${gap}"` : `"${gap}"`;
  });
}

function dataDifferences(reported: unknown, actual: unknown, path: string): string[] {
  if (reported === gap) return [];
  if (typeof reported === "string" && typeof actual === "string" && fits(reported, actual)) return [];
  if (Array.isArray(reported) && Array.isArray(actual)) {
    const isOpen = reported.at(-1) === gap;
    const items = isOpen ? reported.slice(0, -1) : reported;
    if (isOpen ? actual.length < items.length : actual.length !== items.length) {
      return [`${path}: told ${items.length} items, printed ${actual.length}`];
    }
    return items.flatMap((item, index) => dataDifferences(item, actual[index], `${path}[${index}]`));
  }
  if (isObject(reported) && isObject(actual)) {
    const { [gap]: isOpen, ...members } = reported;
    const undocumented = isOpen ? [] : Object.keys(actual).filter((name) => !(name in members));
    return [
      ...undocumented.map((name) => `${path}.${name} is not told`),
      ...Object.entries(members).flatMap(([name, value]) => dataDifferences(value, actual[name], `${path}.${name}`)),
    ];
  }
  return reported === actual ? [] : [`${path}: told ${JSON.stringify(reported)}, printed ${JSON.stringify(actual)}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fits(reported: string, printed: string): boolean {
  const parts = reported.split(gap).map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[^]*")}$`).test(printed);
}
