import { z } from "zod";
import {
  id,
  line,
  pageOf,
  paging,
  shownId,
  timestamp,
  timestampInput,
  listedRecordType,
  recordTypeInput,
} from "../../../api/schemas.ts";
import { tsigKeyAccess } from "../../../database/tables/credentials.ts";
import { tsigAlgorithms } from "../../../dns/wire/tsig.ts";

const algorithm = z.enum(tsigAlgorithms, `This must be one of ${tsigAlgorithms.join(", ")}.`);
const access = z.enum(tsigKeyAccess, "This must be update, read or both.");

const shown = {
  id: shownId("The key's id."),
  name: z
    .string()
    .nullable()
    .meta({ description: "What the key is for; null if its owner did not say.", example: "certbot on web1" }),
  keyName: z
    .string()
    .meta({ description: "The key's name in DNS messages. Random and never used again.", example: "zw-q7m2xk4cha5de" }),
  algorithm: algorithm.meta({ description: "The HMAC that signs messages (RFC 8945).", example: "hmac-sha256" }),
  domainId: shownId("The domain whose records it covers."),
  domainName: z
    .string()
    .meta({ description: "The domain's name, with its view if it has one.", example: "example.com" }),
  hostPattern: z
    .string()
    .meta({ description: "The hosts that it covers, relative to the domain.", example: "_acme-challenge*" }),
  recordTypes: z
    .array(listedRecordType)
    .meta({ description: "The record types that it covers; empty: all.", example: ["TXT"] }),
  access: access.meta({
    description: "`update`: DNS clients may change records with it. `read`: they may read records. `both`: either.",
    example: "update",
  }),
  createdAt: timestamp("When it was created."),
  expiresAt: timestamp("When it expires; null for never.").nullable(),
  lastUsedAt: timestamp("When a message signed with it last came, accurate to a minute; null if never.").nullable(),
  lastUsedFrom: z
    .string()
    .nullable()
    .meta({ description: "The address that it came from; null if never used.", example: "203.0.113.7" }),
  lastError: z
    .string()
    .nullable()
    .meta({ description: "Why a message signed with it was last refused; null if none was.", example: null }),
  lastErrorAt: timestamp("When that was; null if none was refused.").nullable(),
};

export const tsigKey = z
  .object(shown)
  .meta({ id: "TsigKey", description: "A TSIG key with which DNS clients change or read records as its owner." });

export const tsigKeys = z
  .object({ keys: z.array(tsigKey).meta({ description: "Newest first." }) })
  .meta({ id: "TsigKeys", description: "The caller's TSIG keys." });

export const newTsigKey = z
  .object({
    secret: z.string().meta({
      description: "The secret in base64, as DNS clients take it. Shown only once.",
      example: "Zx3l0vVZ0m7Ck1Jp8c2q4mXyT6bWn9dRuEoHfGsKaLQ=",
    }),
    ...shown,
  })
  .meta({ id: "NewTsigKey", description: "A new TSIG key, with its secret." });

const ownedTsigKey = z
  .object({
    ...shown,
    userId: shownId("The key's owner."),
    username: z.string().meta({ description: "The owner's name.", example: "ada" }),
  })
  .meta({ id: "OwnedTsigKey", description: "A TSIG key, with its owner." });

export const tsigKeyPage = z
  .object({ keys: z.array(ownedTsigKey).meta({ description: "Newest first." }), ...pageOf })
  .meta({ id: "TsigKeyPage", description: "A page of all users' TSIG keys." });

export const createTsigKeyInput = z.strictObject({
  name: line(100, 1)
    .nullable()
    .default(null)
    .meta({ description: "What the key is for; null or absent: nothing.", example: "certbot on web1" }),
  algorithm: algorithm.default("hmac-sha256").meta({
    description: "The HMAC that signs messages. Take `hmac-sha1` only for clients without the others.",
    example: "hmac-sha256",
  }),
  domainId: id("A domain that you may access."),
  hostPattern: line(512, 1)
    .default("*")
    .meta({
      description:
        "The hosts that the key covers, relative to the domain: `*` matches any characters, including dots; `@` is the apex. `*` alone covers " +
        "every host that you may access; any other pattern must be one that you may access as a whole.",
      example: "_acme-challenge*",
    }),
  recordTypes: z
    .array(recordTypeInput, "This must be a list.")
    .max(100, "A key can name at most 100 record types.")
    .transform((types) => [...new Set(types)].toSorted())
    .default([])
    .meta({ description: "The record types that the key covers; empty or absent: all.", example: ["TXT"] }),
  access: access.default("update").meta({
    description: "What DNS clients may do with the key: change records (`update`), read them (`read`), or `both`.",
    example: "update",
  }),
  expiresAt: timestampInput("When it expires; null for never.").nullable().default(null),
});

export const tsigKeyIdInput = z.strictObject({ id: id("The key's id.") });

export const listTsigKeysInput = z.strictObject({
  ...paging(20, 100),
  userId: id("Only keys of this user.").optional(),
  domainId: id("Only keys for this domain.").optional(),
});
