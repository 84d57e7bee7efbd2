import type { TypedNotice } from "../../notifications/notify.ts";
import { absoluteName } from "../../dns/names/names.ts";
import { dsText } from "../../dns/dnssec/keys.ts";
import type { Report, ParentFacts, ParentSet } from "./store.ts";

interface Subject {
  id: string;
  /** In the default view, like all that are checked. */
  name: string;
  ownerId: string | null;
}

const setNames: Readonly<Record<ParentSet, string>> = { nameServers: "NS", ds: "DS", glue: "glue" };
const mostListed = 20;
const lastOfDay = " No more notifications of this kind come today; other domains may have such records, too.";

export function delegationChanged(
  { id, name, ownerId }: Subject,
  changed: readonly ParentSet[],
  parent: ParentFacts,
): TypedNotice<"domain.delegation_changed"> {
  const { nameServers } = parent;
  const ds = parent.ds?.map(dsText) ?? null;
  const present = nameServers.length === 0 ? "It is no longer delegated." : `It has ${nameServers.join(", ")} now.`;
  return {
    event: "domain.delegation_changed",
    title: `The delegation of ${name} changed`,
    content: `The ${changed.map((set) => setNames[set]).join(" and ")} records of ${name} in the parent zone changed. ${present} If no one here changed them, check the registrar's account.`,
    level: "warning",
    metadata: { domainId: id, domainName: name, changed, nameServers, ds },
    to: recipients(ownerId),
  };
}

export function danglingRecords(
  { id, name, ownerId }: Subject,
  { records, isLast }: Report,
): TypedNotice<"domain.dangling"> {
  const [first] = records;
  const total = records.length;
  const example = first ? `${first.recordType} of ${absoluteName(first.name, name)} points to ${first.target}.` : "";
  return {
    event: "domain.dangling",
    title:
      total === 1
        ? `A record of ${name} points to a name that does not resolve`
        : `${total} records of ${name} point to names that do not resolve`,
    content: `${example} Delete such records, or point them elsewhere.${isLast ? lastOfDay : ""}`,
    level: "warning",
    metadata: { domainId: id, domainName: name, total, records: records.slice(0, mostListed) },
    to: recipients(ownerId),
  };
}

function recipients(ownerId: string | null) {
  return { userIds: ownerId === null ? [] : [ownerId], administrators: true };
}
