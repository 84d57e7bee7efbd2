import { isZonewrightError, type Client, type RouterInputs } from "@zonewright/client";

/** Permissions of personal tokens. */
export type Permission = RouterInputs["auth"]["startDevice"]["permissions"][number];

/** No object has this id. */
const id = "00000000-0000-0000-0000-000000000000";

/** For each permission a call that is open to everybody's token with it, and that is refused for its input once access has been checked. */
const probes: Record<Permission, (client: Client) => Promise<unknown>> = {
  "domains:read": (client) => client.domains.list.query({ limit: 0 }),
  "domains:write": (client) => client.domains.update.mutate({ id }),
  "records:read": (client) => client.records.search.query({ limit: 0 }),
  "records:write": (client) => client.records.plan.mutate({ id, changes: [] }),
  "snapshots:read": (client) => client.snapshots.list.query({ id, limit: 0 }),
  "snapshots:write": (client) => client.snapshots.create.mutate({ id }),
  "requests:read": (client) => client.changeRequests.list.query({ limit: 0 }),
  "requests:write": (client) => client.changeRequests.create.mutate({ id, title: "", changes: [] }),
  "assignments:read": (client) => client.assignments.list.query({ limit: 0 }),
  "assignments:write": (client) => client.assignments.request.mutate({ domainName: "" }),
  "notifications:read": (client) => client.notifications.list.query({ limit: 0 }),
  "notifications:write": (client) => client.notifications.read.mutate({ id }),
  "providers:read": (client) => client.providers.list.query(),
  "registrations:read": (client) => client.registrations.get.query({ id }),
  "registrations:write": (client) => client.registrations.update.mutate({ id }),
  "audit:read": (client) => client.audit.list.query({ limit: 0 }),
};

/** All permissions, in the order of the console. */
export const everyPermission = Object.keys(probes) as readonly Permission[];

/** Returns those permissions that the client's token has and its owner's role can use, also on servers that tell no token what it may do. */
export async function heldPermissions<Wanted extends Permission>(
  client: Client,
  wanted: readonly Wanted[],
): Promise<Wanted[]> {
  const held = await Promise.all(
    wanted.map(async (permission) => {
      try {
        await probes[permission](client);
      } catch (error) {
        if (!isZonewrightError(error) || !["FORBIDDEN", "BAD_REQUEST", "NOT_FOUND"].includes(error.code)) throw error;
        // An older server lacks the call.
        return error.code === "FORBIDDEN" || error.message.startsWith("No procedure found") ? [] : [permission];
      }
      return [permission];
    }),
  );
  return held.flat();
}
