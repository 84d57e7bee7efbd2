import { sql, type RawBuilder } from "kysely";
import { escapeLike } from "../database/query-helpers.ts";
import { shown, toALabel, withAsciiDots } from "../dns/names/names.ts";
import { ok, refuse, type Result } from "../platform/result.ts";

/*
 * A glob pattern for hosts of a zone in the form of record owners: relative, lower-case, `@` for the apex. `*` matches any run of
 * characters, including none and dots; every other character matches itself. So `*` matches every host, and `*.dev` matches everything
 * below `dev` but not `dev` itself.
 */

/** The maximum length of a host name. */
const longestPattern = 253;

/**
 * Parses a user-supplied pattern for hosts of `zone` (canonical) into canonical form. Refuses a pattern that ends in the zone's name
 * instead of stripping it, because `*.example.com` would become every host of example.com.
 * @param zone null: zones of several names
 */
export function parseHostPattern(input: string, zone: string | null): Result<string> {
  if (input === "@") return ok("@");
  const labels: string[] = [];
  for (const text of withAsciiDots(input).split(".")) {
    const label = toALabel(text);
    if (label === null || !/^[a-z0-9_/*-]+$/.test(label)) return refuse(unusual(text));
    labels.push(label);
  }
  const pattern = labels.join(".").replaceAll(/\*+/g, "*");
  if (pattern.length > longestPattern) return refuse(`The pattern must have at most ${longestPattern} characters.`);
  if (zone !== null && (pattern === zone || pattern.endsWith(`.${zone}`)))
    return refuse(
      `The pattern must be relative to ${zone}. Leave out that name, as in "*.dev", or use "@" for ${zone} itself.`,
    );
  return ok(pattern);
}

function unusual(label: string): string {
  const example = 'The pattern must look like "*", "www", "*.dev", "app-*" or "@"';
  return label === ""
    ? `${example}, but it has an empty label (an extra dot).`
    : `${example}, but not ${shown(label)}.`;
}

/** Converts a pattern for SQL `like`, with the default escape character. */
export function likePattern(pattern: string): string {
  return escapeLike(pattern).replaceAll("*", "%");
}

/** {@link likePattern} of a pattern in a column. */
export function storedLikePattern(column: string): RawBuilder<string> {
  const special = ["\\", "%", "_"];
  const escaped = special.reduce(
    (text, character) => sql<string>`replace(${text}, ${sql.lit(character)}, ${sql.lit(`\\${character}`)})`,
    sql<string>`${sql.ref(column)}`,
  );
  return sql<string>`replace(${escaped}, '*', '%')`;
}
