import { z } from "zod";
import { accessKinds, ownAccessKinds } from "./kinds.ts";

const ownKind = z.enum(ownAccessKinds, `This must be one of ${ownAccessKinds.join(", ")}.`);
export const accessKind = z.enum(accessKinds, `This must be one of ${accessKinds.join(", ")}.`);

/** What to end together with a change of the own password. */
export const revokeField = z
  .array(ownKind, "This must be a list.")
  .max(ownAccessKinds.length, `There are only ${ownAccessKinds.length} kinds.`)
  .default(["sessions"])
  .meta({
    description:
      "What ends together with the old password: `sessions` (all but this one), `tokens` (personal tokens), `passkeys`, `identities`, `keys` (TSIG keys).",
    example: ["sessions", "tokens"],
  });

/** What to take away together with a password that an administrator sets. */
export const rescueField = z
  .array(accessKind, "This must be a list.")
  .max(accessKinds.length, `There are only ${accessKinds.length} kinds.`)
  .optional()
  .meta({
    description:
      "Which other ways in a new `password` takes away; sessions always end. Left out: all of them, and an address that the user verified has to be verified again.",
    example: ["tokens", "passkeys"],
  });
