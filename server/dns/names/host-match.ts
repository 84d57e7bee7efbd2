/** Returns whether a host matches a pattern, both canonical. Searches each part once, after the previous one, so there is no backtracking. */
export function matchesHost(pattern: string, host: string): boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop();
  if (last === undefined) return host === pattern;
  if (!host.startsWith(first)) return false;
  let from = first.length;
  for (const part of parts) {
    const at = host.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return host.length - last.length >= from && host.endsWith(last);
}
