import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { InAppNotification } from "@zonewright/client";
import { Bell, CircleAlert, CircleCheck, Info, TriangleAlert, X } from "lucide-react";
import { useState } from "react";
import { client } from "../api.ts";
import { notificationsQuery } from "../live/notification-cache.ts";
import { refreshNotifications } from "../live/use-live.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatAgo, formatMoment, formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { useQueue } from "../ui/use-queue.ts";
import { notificationsWords } from "../words/notifications.ts";
import { words } from "../words/words.ts";
import { requestOf, zoneOf } from "./zone-of.ts";
import styles from "./notifications.module.css";

const text = notificationsWords;
const icons = { info: Info, success: CircleCheck, warning: TriangleAlert, error: CircleAlert };

/** What is done to one notification, or to all. */
type Change = { one: "read" | "delete"; id: string } | { all: "readAll" | "deleteAll" };

const onOne = {
  read: async (id: string) => await client.notifications.read.mutate({ id }),
  delete: async (id: string) => await client.notifications.delete.mutate({ id }),
};
const onAll = {
  readAll: async () => await client.notifications.readAll.mutate(),
  deleteAll: async () => await client.notifications.deleteAll.mutate(),
};

/** What concerns the user, newest first. */
export function NotificationsPage() {
  const { data, error } = useQuery(notificationsQuery);
  const [onlyUnread, setOnlyUnread] = useState(false);
  const [deleting, setDeleting] = useState<"asked" | "running" | null>(null);
  const act = useQueue(async (change: Change) => {
    if ("all" in change) await onAll[change.all]();
    else await onOne[change.one](change.id);
    await refreshNotifications();
  });
  const deleteAll = async () => {
    setDeleting("running");
    const done = await act.run({ all: "deleteAll" });
    setDeleting((now) => (now === null || done ? null : "asked"));
  };
  const notifications = data?.notifications ?? [];
  const shown = onlyUnread ? notifications.filter(({ read }) => !read) : notifications;
  const unread = data?.unreadCount ?? 0;
  return (
    <Page
      title={text.title}
      subtitle={unread > 0 ? text.unread(formatNumber(unread)) : null}
      actions={
        notifications.length === 0 ? null : (
          <>
            <div className={styles["filter"]} role="group" aria-label={text.filter}>
              <Button kind="quiet" aria-pressed={!onlyUnread} onClick={() => setOnlyUnread(false)}>
                {text.all}
              </Button>
              <Button kind="quiet" aria-pressed={onlyUnread} onClick={() => setOnlyUnread(true)}>
                {text.onlyUnread}
              </Button>
            </div>
            <Button disabled={unread === 0} onClick={() => void act.run({ all: "readAll" })}>
              {text.readAll}
            </Button>
            <Button onClick={() => setDeleting("asked")}>{text.deleteAll}</Button>
          </>
        )
      }
    >
      <Failure error={error ?? act.error} />
      {data && shown.length === 0 ? (
        <Empty icon={<Bell aria-hidden />} title={text.emptyTitle}>
          {notifications.length === 0 ? text.empty : text.emptyUnread}
        </Empty>
      ) : null}
      {shown.length === 0 ? null : (
        <ul className={styles["list"]} aria-label={text.list}>
          {shown.map((notification) => (
            <Item
              key={notification.id}
              notification={notification}
              onRead={() => void act.run({ one: "read", id: notification.id })}
              onDelete={() => void act.run({ one: "delete", id: notification.id })}
            />
          ))}
        </ul>
      )}
      {deleting ? (
        <Dialog
          open
          onClose={() => setDeleting(null)}
          title={text.deleteAllTitle}
          description={text.deleteAllHint}
          footer={
            <>
              <Button onClick={() => setDeleting(null)}>{words.ui.cancel}</Button>
              <Button kind="danger" pending={deleting === "running"} onClick={() => void deleteAll()}>
                {text.deleteAll}
              </Button>
            </>
          }
        />
      ) : null}
    </Page>
  );
}

interface ItemProps {
  notification: InAppNotification;
  onRead: () => void;
  onDelete: () => void;
}

function Item({ notification, onRead, onDelete }: ItemProps) {
  const { title, content, level, read, createdAt } = notification;
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const zone = zoneOf(notification);
  const request = requestOf(notification);
  const link = request
    ? ({ to: "/requests/$id", params: { id: request.id } } as const)
    : zone === null
      ? null
      : ({ to: "/d/$name/records", params: { name: zone } } as const);
  const Icon = icons[level];
  return (
    <li className={styles["item"]} data-unread={!read || undefined}>
      <span className={styles["icon"]} data-level={level}>
        <Icon aria-hidden />
      </span>
      <button
        type="button"
        className={styles["open"]}
        aria-expanded={open}
        onClick={() => {
          setOpen(!open);
          if (!read) onRead();
        }}
      >
        <strong>
          {read ? null : <span className="sr">{text.isUnread}: </span>}
          {title}
        </strong>
        <span className={styles["content"]} data-open={open || undefined}>
          {content}
        </span>
      </button>
      <time dateTime={createdAt.toISOString()} title={formatMoment(createdAt)}>
        {formatAgo(createdAt)}
      </time>
      {link === null ? null : (
        <Link
          {...link}
          className={styles["zone"]}
          onClick={(event) => {
            if (!read) onRead();
            if (event.metaKey || event.ctrlKey) return;
            event.preventDefault();
            void navigate(link);
          }}
        >
          {request ? text.openRequest(request.number) : text.open(zone ?? "")}
        </Link>
      )}
      <Button kind="quiet" icon className={styles["delete"]} aria-label={text.delete(title)} onClick={onDelete}>
        <X aria-hidden />
      </Button>
    </li>
  );
}
