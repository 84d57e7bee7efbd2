import { escapeLike } from "../database/escape-like.ts";
import { shown, toALabel } from "../dns/names/labels.ts";
import { ok, refuse, type Result } from "../platform/result.ts";

/*
 * A pattern for hosts of a zone, as records name them: relative, lower-case, `@` for the apex. `*` stands for any run of characters, for
 * none and for dots, too; everything else stands for itself. So `*` is every host, and `*.dev` is all below `dev` and not `dev` itself.
 */

/** 253 characters are the longest host there is. */
const longestPattern = 253;

/**
 * The canonical form of a pattern that a person typed, for hosts of `zone` (canonical). One that repeats the zone's name is refused rather
 * than understood: `*.example.com` would become every host of example.com.
 */
export function parseHostPattern(input: string, zone: string): Result<string> {
  if (input === "@") return ok("@");
  const labels: string[] = [];
  for (const text of input.replaceAll(/[\u3002\uff0e\uff61]/g, ".").split(".")) {
    const label = toALabel(text);
    if (label === null || !/^[a-z0-9_/*-]+$/.test(label)) return refuse(unusual(text));
    labels.push(label);
  }
  const pattern = labels.join(".").replaceAll(/\*+/g, "*");
  if (pattern.length > longestPattern) return refuse(`A pattern has at most ${longestPattern} characters.`);
  if (pattern === zone || pattern.endsWith(`.${zone}`))
    return refuse(
      `The pattern is for hosts within ${zone}: leave that name out, as in "*.dev", or "@" for ${zone} itself.`,
    );
  return ok(pattern);
}

function unusual(label: string): string {
  const example = 'The pattern must look like "*", "www", "*.dev", "app-*" or "@"';
  return label === ""
    ? `${example}, but it has an empty label (a dot too many).`
    : `${example}, but not ${shown(label)}.`;
}

/** Whether a host matches a pattern; both canonical. Each part is looked for once, behind the one before it: nothing is tried twice. */
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

/** The same pattern for SQL's `like`, with its usual escape. */
export function likePattern(pattern: string): string {
  return escapeLike(pattern).replaceAll("*", "%");
}
