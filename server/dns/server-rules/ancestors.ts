/** The names above a name, nearest first, without the apex, each made when it is asked for. */
export function* ancestorsAbove(name: string): Generator<string, void> {
  if (name === "@") return;
  for (let rest = withoutFirst(name); rest !== ""; rest = withoutFirst(rest)) yield rest;
}

/** All of {@link ancestorsAbove}. */
export function ancestorsOf(name: string): string[] {
  return [...ancestorsAbove(name)];
}

/** The name with one label that a name is, or is below; `@` for the apex. */
export function topOf(name: string): string {
  if (!name.includes("\\")) return name.slice(name.lastIndexOf(".") + 1);
  let top = name;
  for (const above of ancestorsAbove(name)) top = above;
  return top;
}

function withoutFirst(name: string): string {
  if (!name.includes("\\")) {
    const dot = name.indexOf(".");
    return dot === -1 ? "" : name.slice(dot + 1);
  }
  return name.replace(/^(?:\\\d{3}|\\.|[^.\\])*\.?/s, "");
}

/** The wildcard right below a name. */
export function wildcardBelow(name: string): string {
  return name === "@" ? "*" : `*.${name}`;
}

/** The name that a wildcard is below; null for a name that is none. */
export function wildcardParent(name: string): string | null {
  if (name === "*") return "@";
  return name.startsWith("*.") ? name.slice(2) : null;
}
