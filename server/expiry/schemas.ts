import { z } from "zod";
import { id, line, timestamp } from "../api/schemas.ts";

const error = z.string().nullable().meta({ description: "Why no date was found; null if one was.", example: null });
const source = z
  .enum(["rdap", "whois"])
  .nullable()
  .meta({ description: "Protocol the registry answered over; null if no date was found.", example: "rdap" });
const found = z.boolean().meta({ description: "Whether a date was found." });
const expiresAt = timestamp("When the registration expires; null if no date was found.").nullable();

export const checkExpiryInput = z.strictObject({ id: id("The domain's id.") });

export const checkExpiryResult = z.object({ success: found, expiresAt, source, error }).meta({
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
    error,
  })
  .meta({ id: "ExpiryPreview", description: "The result of a lookup that stores nothing." });
