import type { Caller } from "../../../access/caller.ts";
import { parseHostPattern } from "../../../access/host-pattern.ts";
import { narrowablePermissions } from "../../../access/narrowing.ts";
import type { Permission } from "../../../access/permissions.ts";
import { visibleDomains } from "../../../access/visible-domains.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { badField } from "../../../platform/errors.ts";

interface NarrowingWish {
  permissions: readonly Permission[];
  domainIds?: string[] | null | undefined;
  hostPattern?: string | null | undefined;
  recordTypes?: string[] | null | undefined;
}

/** Returns what a new token is narrowed to. @throws AppError BAD_REQUEST */
export async function narrowingFrom(em: EntityManager, caller: Caller, wish: NarrowingWish) {
  const { domainIds = null, hostPattern = null, recordTypes = null } = wish;
  if (domainIds === null && hostPattern === null && recordTypes === null)
    return { domainIds, hostPattern, recordTypes };
  refuseBroadPermissions(wish.permissions);
  const zones = domainIds === null ? [null] : await namesOf(em, caller, domainIds);
  return { domainIds, hostPattern: hostPattern === null ? null : patternFor(hostPattern, zones), recordTypes };
}

function refuseBroadPermissions(given: readonly Permission[]): void {
  const broad = given.filter((permission) => !narrowablePermissions.some((each) => each === permission));
  if (broad.length === 0) return;
  throw badField(
    ["permissions"],
    `A narrowed token cannot have ${broad.join(", ")}. Leave that out, or create a token that is not narrowed.`,
  );
}

/** Returns the names of domains in the order of their ids. @throws AppError BAD_REQUEST if the caller may not see one */
async function namesOf(em: EntityManager, caller: Caller, ids: readonly string[]): Promise<string[]> {
  const visible = await visibleDomains(em, caller);
  const rows = await queries(em)
    .selectFrom("domains")
    .select(["id", "name"])
    .where("id", "in", ids)
    .where((eb) => visible.condition(eb))
    .execute();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return ids.map((id, index) => {
    const name = names.get(id);
    if (name === undefined)
      throw badField(["domainIds", index], "No domain has this ID. Choose one that you may access.");
    return name;
  });
}

/** @throws AppError BAD_REQUEST unless the pattern is relative to each of the zones */
function patternFor(input: string, zones: readonly (string | null)[]): string {
  const [first = "*"] = zones.map((zone) => {
    const pattern = parseHostPattern(input, zone);
    if (!pattern.ok) throw badField(["hostPattern"], pattern.message);
    return pattern.value;
  });
  return first;
}
