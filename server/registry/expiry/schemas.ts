import { z } from "zod";
import { id, line, timestamp } from "../../api/schemas.ts";

const error = z.string().nullable().meta({ description: "Why no date was found; null if one was.", example: null });
const source = z
  .enum(["rdap", "whois"])
  .nullable()
  .meta({ description: "Protocol the registry answered over; null if no date was found.", example: "rdap" });
const dateSource = z.enum(["rdap", "whois", "registrar"]).nullable().meta({
  description:
    "Where the date is from: the protocol the registry answered over, or the account at the registrar. Null if no date was found.",
  example: "rdap",
});
const found = z.boolean().meta({ description: "Whether a date was found." });
const expiresAt = timestamp("When the registration expires; null if no date was found.").nullable();

const registeredNameServers = z
  .array(z.string())
  .nullable()
  .meta({
    description: "Name servers in the registration, in lower-case A-labels; null if not reported.",
    example: ["ns1.dns.example"],
  });
const registeredDs = z.array(z.string()).nullable().meta({
  description:
    "DS records in the registration, in the form of zone files (RFC 4034 §5.3); empty if the name is not signed, null if not reported.",
  example: [],
});

/** The registration of a domain, as the last lookup found it. */
export const registration = z
  .object({
    source: z.enum(["rdap", "whois"]).meta({ description: "Protocol the registry answered over.", example: "rdap" }),
    registrar: z.string().nullable().meta({ description: "Registrar; null if not reported.", example: "Example Inc." }),
    statuses: z
      .array(z.string())
      .nullable()
      .meta({
        description: "Statuses, as the registry writes them (over RDAP as in RFC 8056); null if not reported.",
        example: ["client transfer prohibited"],
      }),
    nameServers: registeredNameServers,
    ds: registeredDs,
  })
  .meta({
    id: "Registration",
    description:
      "What the registry says about a domain, or about the registered name above it. A change raises `domain.registration_changed`.",
  });

export const checkExpiryInput = z.strictObject({ id: id("The domain's id.") });

export const checkExpiryResult = z.object({ success: found, expiresAt, source: dateSource, error }).meta({
  id: "ExpiryCheck",
  description: "The result of a lookup. If no date was found, the stored date is kept.",
});

export const previewExpiryInput = z.strictObject({
  domain: line(1024, 1).meta({ description: "Domain name, in Unicode or A-labels.", example: "example.com" }),
});

export const previewExpiryResult = z
  .object({
    success: found,
    domain: z.string().meta({ description: "The name that was looked up, in A-labels.", example: "example.com" }),
    expiresAt,
    source,
    registrar: z.string().nullable().meta({ description: "Registrar; null if not reported.", example: "Example Inc." }),
    statuses: z
      .array(z.string())
      .meta({ description: "Domain statuses, as the registry reports them.", example: ["client transfer prohibited"] }),
    nameServers: registeredNameServers,
    ds: registeredDs,
    error,
  })
  .meta({ id: "ExpiryPreview", description: "The result of a lookup that stores nothing." });
