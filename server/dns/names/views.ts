import { ok, refuse, type Result } from "../../platform/result.ts";
import { parseZoneName } from "./names.ts";

/*
 * Zones of one name that different clients see, such as an internal and a public one, are views of that name. A domain is identified by
 * its name and view, written `example.com!internal`. The default view is the empty text, and is written as the bare name. Where a bare name
 * could mean another view, `example.com!default` says it.
 */

const defaultView = "default";

/** Matches a view other than the default. */
const viewForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns `example.com!internal`, or `example.com` in the default view. */
export function qualifiedName({ name, view }: { name: string; view: string }): string {
  return view === "" ? name : `${name}!${view}`;
}

/** Splits a qualified name. The parts are not validated. */
export function splitQualified(qualified: string): { name: string; view: string | null } {
  const at = qualified.lastIndexOf("!");
  return at < 0 ? { name: qualified, view: null } : { name: qualified.slice(0, at), view: qualified.slice(at + 1) };
}

/** Returns the zone name of a qualified name: `example.com` for `example.com!internal`. */
export function zoneNameOf(qualified: string): string {
  return splitQualified(qualified).name;
}

/** Parses a user-supplied view; capitals become small. The empty text and `default` are the default view. */
export function parseView(input: string): Result<string> {
  const view = input.trim().toLowerCase();
  if (view === defaultView) return ok("");
  return view === "" || viewForm.test(view)
    ? ok(view)
    : refuse("A view must be 1 to 63 of a-z, 0-9 and -, and must not begin or end with -.");
}

/** Parses what follows the exclamation mark of a user-supplied name. */
export function parseNamedView(view: string): Result<string> {
  return view === ""
    ? refuse("Name the view after the exclamation mark, as in example.com!internal, or leave the mark out.")
    : parseView(view);
}

/** Parses a user-supplied name of a domain, with or without its view. `view` is null if the name has none. */
export function parseQualified(input: string): Result<{ name: string; view: string | null }> {
  const given = splitQualified(input);
  const name = parseZoneName(given.name);
  if (!name.ok) return name;
  if (given.view === null) return ok({ name: name.value, view: null });
  const view = parseNamedView(given.view);
  return view.ok ? ok({ name: name.value, view: view.value }) : view;
}
