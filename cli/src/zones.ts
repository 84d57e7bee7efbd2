import type { Client, DnsRecord, Domain } from "@zonewright/client";
import { Failure } from "./failure.ts";
import type { Column } from "./terminal.ts";

/** Returns the domain of a name, to which a view may be added: `example.com!internal`. @throws Failure if there is none */
export async function domainNamed(client: Client, name: string): Promise<Domain> {
  const domain = await client.domainNamed(name);
  if (domain === null) {
    throw new Failure(
      `There is no domain ${name}, or you may not see it. \`zonewright domains list\` shows those that you may.`,
    );
  }
  return domain;
}

/** Returns a provider configuration by its name or id. @throws Failure unless there is exactly one */
export async function configNamed(client: Client, given: string): Promise<{ id: string; name: string }> {
  const { configs } = await client.providerConfigs.list.query();
  const found = configs.filter(({ id, name }) => id === given || name.toLowerCase() === given.toLowerCase());
  const [only, second] = found;
  if (only && !second) return only;
  const names = configs.map(({ name }) => name).join(", ");
  throw new Failure(
    only
      ? `Several provider configurations are called ${given}. Name one by its id: ${found.map(({ id }) => id).join(", ")}.`
      : `There is no provider configuration ${given}. There are: ${names}.`,
  );
}

/** Returns a domain's name with its view, as commands take it. */
export function fullName({ name, view }: Pick<Domain, "name" | "view">): string {
  return view === "" ? name : `${name}!${view}`;
}

/** The columns of a record, for every list of records. */
export const recordColumns: readonly Column<DnsRecord>[] = [
  { title: "name", cell: ({ name }) => name },
  { title: "ttl", cell: ({ ttl }) => String(ttl), alignRight: true },
  { title: "type", cell: ({ recordType }) => recordType },
  { title: "value", cell: ({ value, strings }) => (strings ? strings.map((part) => `"${part}"`).join(" ") : value) },
  { title: "notes", cell: notesOf },
];

/** Returns what a record has besides its data: flags and its comment. */
export function notesOf({ status, proxied, locked, serverManaged, comment }: DnsRecord): string {
  const flags = { disabled: status === "disabled", proxied, locked, "by the server": serverManaged };
  const set = Object.entries(flags).flatMap(([flag, holds]) => (holds ? [flag] : []));
  return [...set, ...(comment ? [comment] : [])].join(", ");
}

/** Collects a list of any length. */
export async function every<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Returns a time as lists show it, in UTC to the minute. */
export function instant(date: Date): string {
  return date.toISOString().slice(0, 16).replace("T", " ");
}
