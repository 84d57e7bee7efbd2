import type { Notice } from "../../server/platform/events.ts";
import type { RestClient } from "../support/rest-client.ts";
import type { Zonewright } from "../support/zonewright.ts";

/** A notice to the given recipients. */
export function notice(to: Notice["to"], title = "A zone differs", metadata: Notice["metadata"] = {}): Notice {
  return { event: "zone.drift", title, content: "Look at it.", level: "warning", metadata, to };
}

/** Sends a notice, as a service does. */
export async function publish(zw: Zonewright, ...reported: Parameters<typeof notice>): Promise<void> {
  await zw.services.notifications.notify(zw.services.database.fork(), notice(...reported));
}

export async function idOf(client: RestClient): Promise<string> {
  return (await client.get("/api/auth/me")).body.id;
}

/** The titles of a user's notifications, newest first. */
export async function titlesOf(client: RestClient): Promise<string[]> {
  const { body } = await client.get("/api/notifications");
  return body.notifications.map(({ title }: { title: string }) => title);
}
