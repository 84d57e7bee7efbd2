import type { Client, Domain } from "@zonewright/client";
import { Failure } from "./failure.ts";

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

/** Returns a domain's name with its view, as commands take it. */
export function fullName({ name, view }: Pick<Domain, "name" | "view">): string {
  return view === "" ? name : `${name}!${view}`;
}
