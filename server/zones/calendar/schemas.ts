import { z } from "zod";
import { id, line, shownId, timestamp } from "../../api/schemas.ts";

const shown = {
  id: shownId("The feed's id."),
  name: z.string().meta({ description: "The calendar's name.", example: "Renewals" }),
  domainIds: z
    .array(z.string())
    .nullable()
    .meta({ description: "The domains it is narrowed to; null: every domain that you may access.", example: null }),
  createdAt: timestamp("When it was created."),
  lastUsedAt: timestamp("When it was last fetched, accurate to a few minutes; null if never.").nullable(),
};

const calendarFeed = z.object(shown).meta({ id: "CalendarFeed", description: "A calendar feed." });

export const calendarFeeds = z
  .object({ feeds: z.array(calendarFeed).meta({ description: "Newest first." }) })
  .meta({ id: "CalendarFeeds", description: "The caller's calendar feeds." });

export const newCalendarFeed = z
  .object({
    token: z.string().meta({
      description: "The secret part of the address. Shown only once.",
      example: "9n3VY0lUq2rS7mXwEoB5tKcJdZpHf6gAiLuQxT1yR4M",
    }),
    url: z.string().meta({
      description: "The address to subscribe to. Shown only once.",
      example: "https://dns.example.com/api/calendar/9n3VY0lUq2rS7mXwEoB5tKcJdZpHf6gAiLuQxT1yR4M.ics",
    }),
    ...shown,
  })
  .meta({ id: "NewCalendarFeed", description: "A new calendar feed, with its secret address." });

export const createFeedInput = z.strictObject({
  name: line(100, 1).meta({ description: "The calendar's name, which calendar programs show.", example: "Renewals" }),
  domainIds: z
    .array(id("A domain that you may access."))
    .min(1, "Name at least one domain, or send null for every domain.")
    .max(100, "A feed can name at most 100 domains.")
    .transform((ids) => [...new Set(ids)])
    .nullable()
    .optional()
    .meta({
      description: "Narrows the feed to these domains; null or absent: every domain that you may access.",
      example: null,
    }),
});

export const feedIdInput = z.strictObject({ id: id("The feed's id.") });
