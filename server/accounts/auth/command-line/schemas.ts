import { z } from "zod";
import { permissions } from "../../../access/permissions.ts";
import { line, timestamp } from "../../../api/schemas.ts";

const permission = z.enum(permissions, `This must be one of ${permissions.join(", ")}.`);

const someOfThem = z
  .array(permission, "This must be a list of permissions.")
  .min(1, "Name at least one permission.")
  .max(permissions.length, `There are only ${permissions.length} permissions.`)
  .transform((given) => [...new Set(given)]);

const requested = someOfThem.meta({
  description: "Permissions that the token should have. They never allow more than its user may do.",
  example: ["domains:read", "records:read"],
});

const granted = (of: string) =>
  someOfThem.meta({ description: `Permissions that the token gets${of}.`, example: ["domains:read", "records:read"] });

export const authorizeCliInput = z.strictObject({
  permissions: granted(""),
  codeChallenge: line(43, 43)
    .regex(/^[\w-]+$/, "This must be a SHA-256 hash in base64url.")
    .meta({
      description:
        "The program's code challenge for PKCE's method S256: the SHA-256 hash of its `codeVerifier`, in base64url.",
      example: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    }),
});

export const cliCode = z
  .object({
    code: z.string().meta({ description: "For the program, once and within a minute.", example: "pX3v…" }),
    expiresAt: timestamp("When it expires."),
  })
  .meta({ id: "CliCode", description: "A code that a program exchanges for a personal token." });

export const cliTokenInput = z.strictObject({
  code: line(100, 1).meta({ description: "Code that the console returned.", example: "pX3v…" }),
  codeVerifier: line(128, 43)
    .regex(/^[\w.~-]+$/, "This must consist of letters, digits, hyphens, dots, underscores and tildes.")
    .meta({
      description: "The program's code verifier, whose hash is the code challenge.",
      example: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    }),
});

export const cliToken = z
  .object({
    token: z.string().meta({
      description: "The personal token, for `Authorization: Bearer`. Shown only once.",
      example: "zw_pt_3kTMd8JfXqLzVb1n0pWc9sRyGa7hEu0GvK2x",
    }),
    expiresAt: timestamp("When it expires: in 90 days."),
  })
  .meta({ id: "CliToken", description: "A personal token for the command line." });

export const startDeviceInput = z.strictObject({ permissions: requested });

export const deviceStart = z
  .object({
    deviceCode: z.string().meta({ description: "Secret with which the device asks for its token.", example: "b3Bh…" }),
    userCode: z.string().meta({ description: "Code for the user to type at `verificationUrl`.", example: "7ZK4-M9T2" }),
    verificationUrl: z.string().meta({
      description: "The page where the user types the code.",
      example: "https://dns.example.com/device",
    }),
    expiresIn: z.int().meta({ description: "Lifetime of both codes, in seconds.", example: 600 }),
    interval: z.int().meta({ description: "Seconds to wait between two calls for the token.", example: 5 }),
  })
  .meta({ id: "DeviceStart", description: "A sign-in of a device that waits for its user." });

export const deviceTokenInput = z.strictObject({
  deviceCode: line(100, 1).meta({ description: "The device's code.", example: "b3Bh…" }),
});

const userCode = line(32, 1).meta({
  description: "The code that the device shows. Case, hyphens and spaces do not matter.",
  example: "7ZK4-M9T2",
});

export const findDeviceInput = z.strictObject({ userCode });

export const approveDeviceInput = z.strictObject({
  userCode,
  permissions: granted(", some or all of those that the device asks for"),
});

export const waitingDevice = z
  .object({
    permissions: z.array(permission).meta({ description: "Permissions that it asks for.", example: ["records:read"] }),
    ip: z.string().nullable().meta({ description: "Its address; null if unknown.", example: "192.0.2.7" }),
    expiresAt: timestamp("When its code expires."),
  })
  .meta({ id: "WaitingDevice", description: "A device that waits for its user's approval." });
