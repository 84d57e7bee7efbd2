/** Yields the ancestors of a name, nearest first, without the apex. */
export function* ancestorsAbove(name: string): Generator<string, void> {
  if (name === "@") return;
  for (let rest = withoutFirst(name); rest !== ""; rest = withoutFirst(rest)) yield rest;
}

/** Returns all of {@link ancestorsAbove}. */
export function ancestorsOf(name: string): string[] {
  return [...ancestorsAbove(name)];
}

/** Returns the single-label ancestor of a name, or the name itself; `@` for the apex. */
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

/** Returns the wildcard immediately below a name. */
export function wildcardBelow(name: string): string {
  return name === "@" ? "*" : `*.${name}`;
}

/** Returns the parent of a wildcard, or null if the name is not a wildcard. */
export function wildcardParent(name: string): string | null {
  if (name === "*") return "@";
  return name.startsWith("*.") ? name.slice(2) : null;
}
