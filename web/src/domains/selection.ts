import type { Domain } from "@zonewright/client";

/** The selected domains, by id. */
export type Selection = ReadonlyMap<string, Pick<Domain, "id" | "name" | "view">>;

export const noSelection: Selection = new Map();

/** Whether the user may change a domain: its owner and administrators may. */
export function mayChange(domain: Pick<Domain, "ownerId">, user: { id: string; role: string }): boolean {
  return user.role === "admin" || (user.role === "member" && domain.ownerId === user.id);
}

/** The selection with these domains added or removed. */
export function withDomains(selection: Selection, domains: readonly Domain[], on: boolean): Selection {
  const next = new Map(selection);
  for (const domain of domains) {
    if (on) next.set(domain.id, domain);
    else next.delete(domain.id);
  }
  return next;
}

/** The row numbers between two rows, in order, both included. */
export function rowsBetween(anchor: number, row: number): number[] {
  const first = Math.min(anchor, row);
  return Array.from({ length: Math.abs(anchor - row) + 1 }, (_, offset) => first + offset);
}

/** The row that a key moves to, or null if the key does not move. */
export function movedTo(key: string, active: number, count: number, pageRows: number): number | null {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + pageRows,
    PageUp: active - pageRows,
    Home: 0,
    End: count - 1,
  };
  const wanted = moves[key];
  return wanted === undefined || count === 0 ? null : Math.min(count - 1, Math.max(0, wanted));
}

/** The tags of a domain after one is added or removed, in whatever case; null if nothing changes. */
export function changedTags(tags: readonly string[], tag: string, action: "add" | "remove"): string[] | null {
  const others = tags.filter((each) => each.toLowerCase() !== tag.toLowerCase());
  if (others.length < tags.length === (action === "add")) return null;
  return action === "add" ? [...tags, tag] : others;
}

/** What a person types for several tags: separated by commas, without empty and repeated ones. */
export function tagsOf(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
}

/** The domain as its pages' address and people write it. */
export function qualified({ name, view }: Pick<Domain, "name" | "view">): string {
  return view === "" ? name : `${name}!${view}`;
}
