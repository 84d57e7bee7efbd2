/**
 * Compares what a page tells of a command's output with what it printed. `…` stands for anything: within a text, for a value, and at the end of
 * an object or a list for what else there is. JSON is compared as data, so that pages may break it into lines.
 * @returns where they differ; empty where they do not
 */
export function outputDifferences(told: string, printed: string): string[] {
  const data = dataIn(printed);
  if (data === undefined) return fits(told.trim(), printed.trim()) ? [] : [`told: ${told}\nprinted: ${printed}`];
  const differences = dataDifferences(JSON.parse(withQuotedGaps(told)), data, "");
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
function withQuotedGaps(told: string): string {
  const open: string[] = [];
  let last = "";
  return told.replaceAll(/"(?:[^"\\]|\\.)*"|\S/g, (token) => {
    const isMember = open.at(-1) === "{" && last !== ":";
    last = token;
    if (token === "{" || token === "[") open.push(token);
    if (token === "}" || token === "]") open.pop();
    if (token !== gap) return token;
    return isMember ? `"${gap}":"${gap}"` : `"${gap}"`;
  });
}

function dataDifferences(told: unknown, actual: unknown, path: string): string[] {
  if (told === gap) return [];
  if (typeof told === "string" && typeof actual === "string" && fits(told, actual)) return [];
  if (Array.isArray(told) && Array.isArray(actual)) {
    const isOpen = told.at(-1) === gap;
    const items = isOpen ? told.slice(0, -1) : told;
    if (isOpen ? actual.length < items.length : actual.length !== items.length) {
      return [`${path}: told ${items.length} items, printed ${actual.length}`];
    }
    return items.flatMap((item, index) => dataDifferences(item, actual[index], `${path}[${index}]`));
  }
  if (isObject(told) && isObject(actual)) {
    const { [gap]: isOpen, ...members } = told;
    const untold = isOpen ? [] : Object.keys(actual).filter((name) => !(name in members));
    return [
      ...untold.map((name) => `${path}.${name} is not told`),
      ...Object.entries(members).flatMap(([name, value]) => dataDifferences(value, actual[name], `${path}.${name}`)),
    ];
  }
  return told === actual ? [] : [`${path}: told ${JSON.stringify(told)}, printed ${JSON.stringify(actual)}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fits(told: string, printed: string): boolean {
  const parts = told.split(gap).map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[^]*")}$`).test(printed);
}
