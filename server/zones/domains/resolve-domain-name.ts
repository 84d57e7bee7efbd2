import type { VisibleDomains } from "../../access/visible-domains.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { parseQualified, parseView, qualifiedName } from "../../dns/names/names.ts";
import { AppError, badField } from "../../platform/errors.ts";

/* What a name of a domain, as a user writes it, stands for. */

/**
 * Returns the domain that a name stands for: a bare name means the default view, or the only one.
 * @throws AppError BAD_REQUEST for an invalid name, CONFLICT if several views have it and none is the default
 */
export async function namedDomain(
  em: EntityManager,
  visible: VisibleDomains,
  given: string,
  filteredView: string | undefined,
): Promise<{ name: string; view?: string }> {
  const parsed = parseQualified(given);
  if (!parsed.ok) throw badField(["name"], parsed.message);
  const { name, view } = parsed.value;
  if (view !== null && filteredView !== undefined && view !== filteredView) throw badField(["view"], differing(view));
  if (view !== null) return { name, view };
  if (filteredView !== undefined) return { name };
  const rows = await queries(em)
    .selectFrom("domains")
    .select("view")
    .where("name", "=", name)
    .where((eb) => visible.condition(eb))
    .orderBy("view")
    .execute();
  return {
    name,
    view: theView(
      name,
      rows.map((row) => row.view),
    ),
  };
}

/** @throws AppError BAD_REQUEST */
export function givenView(view: string): string {
  const parsed = parseView(view);
  if (!parsed.ok) throw badField(["view"], parsed.message);
  return parsed.value;
}

/** Returns the view that a bare name stands for. @throws AppError CONFLICT */
export function theView(name: string, views: readonly string[]): string {
  const [first = "", ...others] = views;
  if (first === "" || others.length === 0) return first;
  const names = views.map((view) => qualifiedName({ name, view }));
  throw new AppError("CONFLICT", `${name} has several views here. Choose one: ${names.slice(0, 10).join(", ")}.`);
}

/** Returns the name and view of a new domain. @throws AppError BAD_REQUEST */
export function newName({ name, view }: { name: string; view?: string | undefined }): { name: string; view: string } {
  const parsed = parseQualified(name);
  if (!parsed.ok) throw badField(["name"], parsed.message);
  const named = parsed.value.view;
  if (view === undefined) return { name: parsed.value.name, view: named ?? "" };
  const given = givenView(view);
  if (named !== null && given !== named) throw badField(["view"], differing(named));
  return { name: parsed.value.name, view: given };
}

function differing(view: string): string {
  return `The name contains the view ${view || "default"}, but \`view\` says otherwise. Send only one.`;
}
