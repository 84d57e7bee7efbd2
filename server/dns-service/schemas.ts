import { z } from "zod";
import { id, optionalFlag, pageOf, paging, shownId, timestamp } from "../api/schemas.ts";

export const secondariesInput = z.strictObject({ id: id("The domain's id.") });

const serial = z.int().meta({ description: "SOA serial, 0 to 4294967295.", example: 1804000005 });

const place = {
  address: z.string().meta({ description: "Address, with its port if that is not 53.", example: "192.0.2.53" }),
  keyName: z.string().nullable().meta({ description: "TSIG key that it last used; null: none.", example: "xfr-ns1" }),
  notified: z.boolean().meta({ description: "Whether the configuration lists it in `notify`." }),
};

const theirSerial = serial.nullable().meta({
  description:
    "Serial that it serves, or of the zone that it last transferred if it signs; null: not known, or it answers that it does not serve the zone.",
  example: 1804000005,
});

const contacts = {
  lastNotifyAt: timestamp("When it last acknowledged a NOTIFY; null: never.").nullable(),
  lastQueryAt: timestamp("When it last asked for the SOA; null: never.").nullable(),
  lastTransferAt: timestamp("When it last transferred the zone; null: never.").nullable(),
};

const fault = z.string().nullable().meta({
  description: "Why it could not be notified or asked; null if nothing went wrong.",
  example: null,
});

const secondary = z
  .object({
    ...place,
    signs: z.boolean().meta({
      description:
        "Whether the configuration lists it in `signingSecondaries`. It then answers with serials of its own.",
      example: false,
    }),
    serial: theirSerial,
    inSync: z.boolean().meta({
      description: "Whether that is the zone's serial. False once it has not answered for ten minutes.",
    }),
    inSyncSince: timestamp("When that serial was first seen there; null if not in sync.").nullable(),
    ...contacts,
    lastTransferKind: z
      .enum(["axfr", "ixfr"])
      .nullable()
      .meta({ description: "`axfr`: the whole zone. `ixfr`: the difference. Null: neither yet.", example: "ixfr" }),
    lastTransferRecords: z
      .int()
      .nullable()
      .meta({ description: "Records in it, with all SOAs; null: none yet.", example: 5 }),
    lastTransferMilliseconds: z.int().nullable().meta({ description: "Its duration; null: none yet.", example: 4 }),
    error: fault,
  })
  .meta({ id: "Secondary", description: "A name server that transfers a zone." });

export const secondaries = z
  .object({
    serial: serial.nullable().meta({
      description: "The zone's serial; null if its provider is not of kind `primary`.",
      example: 1804000005,
    }),
    changedAt: timestamp("When the records last changed; null: never.").nullable(),
    secondaries: z
      .array(secondary)
      .meta({ description: "Those to notify, in the order of the configuration, then others that asked." }),
  })
  .meta({ id: "Secondaries", description: "How far a zone has reached its secondaries." });

export const listSecondariesInput = z
  .strictObject({
    ...paging(20, 100),
    behind: optionalFlag(
      "`true`: only secondaries that have not had the newest serial for a while, or that cannot be reached. `false`: only the others.",
    ),
  })
  .prefault({});

export const secondaryPage = z
  .object({
    secondaries: z
      .array(
        z
          .object({
            domainId: shownId("The domain whose zone it transfers."),
            domainName: z.string().meta({
              description: "That domain's name, with its view after `!` if it is not the default one.",
              example: "example.com",
            }),
            ...place,
            serial: theirSerial,
            zoneSerial: serial.nullable().meta({
              description: "The zone's serial; null if its provider is no longer of kind `primary`.",
              example: 1804000005,
            }),
            inSync: z.boolean().meta({
              description: "Whether both serials are the same. False once it has not answered for ten minutes.",
            }),
            behindSince: timestamp("Since when it has not answered with the newest serial; null if it has.").nullable(),
            ...contacts,
            error: fault,
          })
          .meta({ id: "DomainSecondary", description: "A name server that transfers a zone, with its domain." }),
      )
      .meta({ description: "Those that cannot be reached first, then those that are behind, longest first." }),
    ...pageOf,
  })
  .meta({ id: "SecondaryPage", description: "A page of secondaries." });
