import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { client } from "../api.ts";
import type { CurrentUser } from "../session/current-user.ts";
import { keepFocus } from "../ui/keep-focus.ts";
import { notificationsQuery } from "./notification-cache.ts";
import { useLive } from "./use-live.ts";

/** What the frame shows of the live connection. */
export interface LiveState {
  /** Whether the connection is lost. */
  offline: boolean;
  /** Unread notifications. */
  unread: number;
  /** Change requests that wait for the user's review. */
  toReview: number;
}

interface LiveConnectionProps {
  user: CurrentUser;
  onState: (state: LiveState) => void;
}

/** Keeps the live connection of a signed-in user, and the focus on the page, in a chunk of its own: the first page need not wait for it. */
export function LiveConnection({ user, onState }: LiveConnectionProps) {
  const { offline } = useLive(user);
  // What another tab read or deleted while this one loaded was not heard.
  const { data } = useQuery({ ...notificationsQuery, refetchOnMount: "always" });
  const unread = data?.unreadCount ?? 0;
  const { data: requests } = useQuery({
    queryKey: ["requests", "counts"],
    queryFn: async ({ signal }) => (await client.changeRequests.list.query({ limit: 1 }, { signal })).counts,
  });
  const toReview = requests?.toReview ?? 0;
  useEffect(() => onState({ offline, unread, toReview }), [offline, unread, toReview, onState]);
  useEffect(keepFocus, []);
  return null;
}
