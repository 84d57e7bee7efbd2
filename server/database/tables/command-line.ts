import { defineEntity, p } from "@mikro-orm/core";

/** A sign-in of the command line that its user approved in a browser on the same computer. Deleted when exchanged for a token. */
export const CliCodeSchema = defineEntity({
  name: "CliCode",
  tableName: "cli_codes",
  properties: {
    codeHash: p.text().primary(),
    userId: p.uuid(),
    /** The session that approved it. The code ends with it. */
    sessionId: p.uuid(),
    permissions: p.array(),
    /** Of PKCE's method S256 (RFC 7636 §4.2). */
    codeChallenge: p.text(),
    expiresAt: p.datetime(),
  },
});

/** A sign-in of the command line on a device without a browser (RFC 8628). Deleted when exchanged for a token. */
export const DeviceSignInSchema = defineEntity({
  name: "DeviceSignIn",
  tableName: "device_sign_ins",
  properties: {
    deviceCodeHash: p.text().primary(),
    userCodeHash: p.text(),
    /** Requested at first; granted once it is approved. */
    permissions: p.array(),
    /** Address of the device. */
    ip: p.text().nullable(),
    intervalSeconds: p.integer(),
    /** When the device last asked. */
    polledAt: p.datetime().nullable(),
    refused: p.boolean(),
    /** Who approved it, and in which session; null until then. */
    userId: p.uuid().nullable(),
    sessionId: p.uuid().nullable(),
    expiresAt: p.datetime(),
  },
});
