import { useQuery } from "@tanstack/react-query";
import { isZonewrightError } from "@zonewright/client";
import { useCallback, useEffect, useState } from "react";
import { client, isTemporary } from "../api.ts";
import { isMadeBy, type Sent } from "../zone/draft/sent.ts";
import { draftKey, readSent, writeSent } from "../zone/draft/store.ts";
import type { Zone } from "../zone/use-zone.ts";

/** The change that a draft became. */
export interface Made {
  revision: number;
  changeSetId: string;
}

export interface SentDraft {
  /** The draft whose answer is not there; null if there is none. */
  sent: Sent | null;
  put: (sent: Sent | null) => void;
  /** Whether the zone has changed since, and it is not known yet whether by this draft. */
  isUnknown: boolean;
  /** What became of it: null if the zone was changed otherwise, undefined if that is not known. */
  made: Made | null | undefined;
}

interface SentOptions {
  userId: string;
  zone: Zone;
  isSending: boolean;
}

/** Remembers a draft that was sent until its answer is there, also if the page goes. If the answer is lost, the history says what became of it. */
export function useSent({ userId, zone, isSending }: SentOptions): SentDraft {
  const key = draftKey(userId, zone.id);
  const [sent, setSent] = useState<Sent | null>(null);
  useEffect(() => {
    let isGone = false;
    const read = async () => {
      const stored = await readSent(key);
      if (!isGone) setSent((before) => before ?? stored);
    };
    void read();
    return () => {
      isGone = true;
    };
  }, [key]);
  const isUnknown = sent !== null && !isSending && zone.revision > sent.plan.revision;
  const { data, error } = useQuery({
    queryKey: ["sent", zone.id, userId, sent?.plan.revision],
    enabled: isUnknown,
    staleTime: Infinity,
    queryFn: async ({ signal }) => sent && (await whatBecameOf(sent, { domainId: zone.id, userId }, signal)),
  });
  return {
    sent,
    put: useCallback(
      (next) => {
        setSent(next);
        void writeSent(key, next);
      },
      [key],
    ),
    isUnknown,
    made: !isUnknown ? undefined : error !== null && !isWaiting(error) ? null : data,
  };
}

/** Whether the history can still tell. After a sign-in, what the end of a session interrupted is read again. */
function isWaiting(error: unknown): boolean {
  return isTemporary(error) || (isZonewrightError(error) && error.code === "UNAUTHORIZED");
}

/** Looks a sent draft up in the history; null if it was not applied. */
export async function whatBecameOf(
  sent: Sent,
  { domainId, userId }: { domainId: string; userId: string },
  signal?: AbortSignal,
): Promise<Made | null> {
  const revision = sent.plan.revision + 1;
  const { entries } = await client.records.history.query({ id: domainId, revision, limit: 1 }, { signal });
  const [entry] = entries;
  return entry && isMadeBy(sent, entry, userId) ? { revision, changeSetId: entry.id } : null;
}
