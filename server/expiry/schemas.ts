import { z } from "zod";
import { id, line, timestamp } from "../api/schemas.ts";

const error = z
  .string()
  .nullable()
  .meta({ description: "Why there is no date, in words for people; null where there is one.", example: null });
const source = z
  .enum(["rdap", "whois"])
  .nullable()
  .meta({ description: "What the registry answered over.", example: "rdap" });
const found = z.boolean().meta({ description: "Whether a date was found." });
const expiresAt = timestamp("When the registration ends; null where no date was found.").nullable();

export const checkExpiryInput = z.strictObject({ id: id("The domain's id.") });

export const checkExpiryResult = z.object({ success: found, expiresAt, source, error }).meta({
  id: "ExpiryCheck",
  description: "What a look-up found. Without a date the stored one stays.",
});

export const previewExpiryInput = z.strictObject({
  domain: line(1024, 1).meta({ description: "Domain name; Unicode becomes A-labels.", example: "example.com" }),
});

export const previewExpiryResult = z
  .object({
    success: found,
    domain: z.string().meta({ description: "The name as looked up, in A-labels.", example: "example.com" }),
    expiresAt,
    source,
    registrar: z.string().nullable().meta({ description: "Registrar; null where not told.", example: "Example Inc." }),
    statuses: z
      .array(z.string())
      .meta({ description: "States as the registry names them.", example: ["client transfer prohibited"] }),
    error,
  })
  .meta({ id: "ExpiryPreview", description: "What a look-up found, without storing it." });
