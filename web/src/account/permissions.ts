import type { RouterInputs } from "@zonewright/client";

export type Permission = RouterInputs["tokens"]["create"]["permissions"][number];

const subjects = {
  domains: ["read", "write"],
  records: ["read", "write"],
  snapshots: ["read", "write"],
  requests: ["read", "write"],
  assignments: ["read", "write"],
  notifications: ["read", "write"],
  providers: ["read"],
  audit: ["read"],
} as const satisfies Record<string, readonly ("read" | "write")[]>;

/** The rows of the form, by subject. */
export const permissionRows = (
  Object.entries(subjects) as [keyof typeof subjects, readonly ("read" | "write")[]][]
).map(([subject, deeds]) => ({
  subject,
  deeds: deeds.map((deed) => ({ deed, permission: `${subject}:${deed}` as Permission })),
}));

/** Every permission, in the order of the form. */
export const allPermissions = permissionRows.flatMap(({ deeds }) => deeds.map(({ permission }) => permission));
