import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { client } from "../api.ts";
import type { CurrentUser } from "../session/current-user.ts";
import { keepFocus } from "../ui/keep-focus.ts";
import { liveWords } from "../words/live.ts";
import { notificationsQuery } from "./notification-cache.ts";
import { useLive } from "./use-live.ts";

/** What the frame shows of the live connection. */
export interface LiveState {
  /** What to say while the page is not live; null while it is. */
  notLive: string | null;
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
  const connection = useLive(user);
  const notLive = connection === "open" ? null : liveWords[connection];
  // What another tab read or deleted while this one loaded was not heard.
  const { data } = useQuery({ ...notificationsQuery, refetchOnMount: "always" });
  const unread = data?.unreadCount ?? 0;
  const { data: requests } = useQuery({
    queryKey: ["requests", "counts"],
    queryFn: async ({ signal }) => (await client.changeRequests.list.query({ limit: 1 }, { signal })).counts,
  });
  const toReview = requests?.toReview ?? 0;
  useEffect(() => onState({ notLive, unread, toReview }), [notLive, unread, toReview, onState]);
  useEffect(keepFocus, []);
  return null;
}
