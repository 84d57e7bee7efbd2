import { z } from "zod";
import { id, shownId, timestamp } from "../../../api/schemas.ts";

export const session = z
  .object({
    id: shownId("The session's id."),
    current: z.boolean().meta({ description: "Whether this is the caller's session." }),
    userAgent: z
      .string()
      .nullable()
      .meta({ description: "User agent of the browser or program that signed in.", example: "Mozilla/5.0 …" }),
    ip: z.string().nullable().meta({ description: "IP address at sign-in.", example: "192.0.2.44" }),
    createdAt: timestamp("When the user signed in."),
    lastUsedAt: timestamp("When its tokens were last refreshed."),
  })
  .meta({ id: "Session", description: "A browser or program that is signed in." });

export const sessionList = z
  .object({
    sessions: z.array(session).meta({ description: "The current session first, then by last use; at most 200." }),
  })
  .meta({ id: "Sessions", description: "The caller's sessions." });

export const sessionIdInput = z.strictObject({ id: id("The session's id.") });
