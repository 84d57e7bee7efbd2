import type { TypedNotice } from "../../notifications/notify.ts";
import type { NotificationEvent, NotificationLevel } from "../../platform/events.ts";
import type { StoredRequest } from "./request.ts";

type RequestEvent = Extract<NotificationEvent, `change.${string}`>;

const levels: Record<RequestEvent, NotificationLevel> = {
  "change.requested": "info",
  "change.approved": "success",
  "change.rejected": "warning",
  "change.applied": "success",
  "change.failed": "error",
};

type Announced = Pick<
  StoredRequest,
  "id" | "number" | "title" | "domainId" | "domainName" | "author" | "authorName" | "applyAt"
> &
  Partial<Pick<StoredRequest, "creates" | "updates" | "deletes">>;

interface Happened {
  /** Who did it; null: the service. */
  by: { id: string | null; name: string } | null;
  note: string | null;
  to: readonly (string | null)[];
  /** Whether it was approved, and that approval no longer counts. */
  again?: boolean;
}

/** Returns the notice of what happened to a request. */
export function requestNotice(event: RequestEvent, request: Announced, happened: Happened): TypedNotice<RequestEvent> {
  const { number, title, domainName, domainId, applyAt } = request;
  const named = `change request ${number} for ${domainName}`;
  const by = happened.by?.name ?? "Zonewright";
  const when = applyAt === null ? "" : ` To be applied at ${applyAt.toISOString()}.`;
  const texts: Record<RequestEvent, { title: string; content: string }> = {
    "change.requested": {
      title: `Review ${happened.again ? "again: " : ""}${named}`,
      content: happened.again
        ? `“${title}” of ${by} was approved, but the approval no longer counts. ${happened.note ?? ""}${when}`
        : `${by} requests “${title}”.${when}${said(happened.note)}`,
    },
    "change.approved": {
      title: `Approved: ${named}`,
      content: `${by} approved “${title}”.${when}${said(happened.note)}`,
    },
    "change.rejected": { title: `Rejected: ${named}`, content: `${by} rejected “${title}”.${said(happened.note)}` },
    "change.applied": { title: `Applied: ${named}`, content: `“${title}” was applied by ${by}.` },
    "change.failed": {
      title: `Failed: ${named}`,
      content: `“${title}” was not, or not completely, applied. ${happened.note ?? ""}`.trim(),
    },
  };
  return {
    event,
    ...texts[event],
    level: levels[event],
    metadata: {
      domainId,
      domainName,
      changeRequestId: request.id,
      number,
      requestTitle: title,
      authorId: request.author.userId,
      author: request.authorName,
      byUserId: happened.by?.id ?? null,
      by: happened.by?.name ?? null,
      note: happened.note,
      applyAt: applyAt?.toISOString() ?? null,
    },
    to: { userIds: [...new Set(happened.to.filter((id) => id !== null))] },
  };
}

function said(note: string | null): string {
  return note === null ? "" : ` “${note}”`;
}
