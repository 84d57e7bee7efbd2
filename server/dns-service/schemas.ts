import { z } from "zod";
import { id, timestamp } from "../api/schemas.ts";

export const secondariesInput = z.strictObject({ id: id("The domain's id.") });

const serial = z.int().meta({ description: "SOA serial, 0 to 4294967295.", example: 1804000005 });

const secondary = z
  .object({
    address: z.string().meta({ description: "Address, with its port if that is not 53.", example: "192.0.2.53" }),
    keyName: z.string().nullable().meta({ description: "TSIG key that it last used; null: none.", example: "xfr-ns1" }),
    notified: z.boolean().meta({ description: "Whether the configuration lists it in `notify`." }),
    signs: z.boolean().meta({
      description:
        "Whether the configuration lists it in `signingSecondaries`. It then answers with serials of its own.",
      example: false,
    }),
    serial: serial.nullable().meta({
      description: "Serial that it serves, or of the zone that it last transferred if it signs; null: not known.",
      example: 1804000005,
    }),
    inSync: z.boolean().meta({ description: "Whether that is the zone's serial." }),
    inSyncSince: timestamp("When that serial was first seen there; null if not in sync.").nullable(),
    lastNotifyAt: timestamp("When it last acknowledged a NOTIFY; null: never.").nullable(),
    lastQueryAt: timestamp("When it last asked for the SOA; null: never.").nullable(),
    lastTransferAt: timestamp("When it last transferred the zone; null: never.").nullable(),
    lastTransferKind: z
      .enum(["axfr", "ixfr"])
      .nullable()
      .meta({ description: "`axfr`: the whole zone. `ixfr`: the difference. Null: neither yet.", example: "ixfr" }),
    lastTransferRecords: z
      .int()
      .nullable()
      .meta({ description: "Records in it, with all SOAs; null: none yet.", example: 5 }),
    lastTransferMilliseconds: z.int().nullable().meta({ description: "Its duration; null: none yet.", example: 4 }),
    error: z.string().nullable().meta({
      description: "Why it could not be notified or asked; null if nothing went wrong.",
      example: null,
    }),
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
