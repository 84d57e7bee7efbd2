import { z } from "zod";
import { id, shownId, timestamp } from "../../../api/schemas.ts";

export const session = z
  .object({
    id: shownId("The session's id."),
    current: z.boolean().meta({ description: "Whether it is the one that asks." }),
    userAgent: z.string().nullable().meta({ description: "The program that signed in.", example: "Mozilla/5.0 …" }),
    ip: z.string().nullable().meta({ description: "Where it signed in from.", example: "192.0.2.44" }),
    createdAt: timestamp("The sign-in."),
    lastUsedAt: timestamp("When its tokens were last renewed."),
  })
  .meta({ id: "Session", description: "A browser or program that is signed in." });

export const sessionList = z
  .object({
    sessions: z.array(session).meta({ description: "The current one first, then by last use; at most 200." }),
  })
  .meta({ id: "Sessions", description: "Where the caller is signed in." });

export const sessionIdInput = z.strictObject({ id: id("The session's id.") });
