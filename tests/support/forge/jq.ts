type Filter = (value: unknown) => unknown[];

/**
 * Applies a filter of jq, as far as the workflows in the documentation use them: pipes, `.[]`, fields, strings, `select` and `startswith`.
 * @throws Error for anything else
 */
export function jq(filter: string, value: unknown): unknown[] {
  const tokens = filter.match(/"(?:[^"\\]|\\.)*"|\.\[\]|\.?\w+|\S/g) ?? [];
  const parsed = pipe(tokens);
  if (tokens.length > 0) throw new Error(`jq: ${tokens.join(" ")} is not understood.`);
  return parsed(value);
}

function pipe(tokens: string[]): Filter {
  const first = term(tokens);
  if (tokens[0] !== "|") return first;
  tokens.shift();
  const rest = pipe(tokens);
  return (value) => first(value).flatMap(rest);
}

function term(tokens: string[]): Filter {
  const token = tokens.shift() ?? "";
  if (token.startsWith('"')) return () => [JSON.parse(token)];
  if (token === ".[]") return (value) => [...(value as unknown[])];
  if (/^\.\w+$/.test(token)) return (value) => [(value as Record<string, unknown>)[token.slice(1)]];
  if (tokens.shift() !== "(") throw new Error(`jq: ${token} is not understood.`);
  const inner = pipe(tokens);
  if (tokens.shift() !== ")") throw new Error(`jq: ${token} does not end.`);
  if (token === "select") return (value) => inner(value).flatMap((is) => (is === true ? [value] : []));
  if (token === "startswith")
    return (value) => inner(value).map((start) => (value as string).startsWith(String(start)));
  throw new Error(`jq: ${token} is not understood.`);
}
