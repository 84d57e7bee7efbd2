import { useQuery, queryOptions } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Megaphone, Plus } from "lucide-react";
import { useState } from "react";
import { client, messageOf, queries } from "../api.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { formatAgo } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { useQueue } from "../ui/use-queue.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import { AdminOnly } from "./admin-only.tsx";
import { destinationOf, type Channel } from "./channel-fields.ts";
import { FaultRow, RowMenu, Table } from "./table.tsx";
import styles from "./admin.module.css";

const text = adminWords.channels;

/** The channels, by name. */
export const channelList = queryOptions({
  queryKey: ["channels"],
  queryFn: async ({ signal }) => (await client.channels.list.query({}, { signal })).configs,
});

/** Reads the channels and their deliveries again. */
export async function channelsChanged(): Promise<void> {
  await queries.invalidateQueries({ queryKey: channelList.queryKey });
}

/** Sends a test message. A refusal of the receiver is an error as well. */
export function useChannelTest(id: string) {
  const [isDone, setIsDone] = useState(false);
  const test = useAction(async () => {
    setIsDone(false);
    const { error } = await client.channels.test.mutate({ id });
    await channelsChanged();
    if (error !== null) throw new Error(`${text.testFailed} ${error}`);
    setIsDone(true);
  });
  return { ...test, isDone };
}

/** Turns a channel on or off. */
export function useTurn() {
  return useQueue(async ({ id, name }: Channel, enabled: boolean) => {
    await client.channels.update.mutate({ id, enabled });
    await channelsChanged();
    toast({ title: enabled ? text.turnedOn(name) : text.turnedOff(name) });
  });
}

/** Where events are sent to. */
export function ChannelsPage() {
  return (
    <AdminOnly>
      <Channels />
    </AdminOnly>
  );
}

function Channels() {
  const { data: channels, error } = useQuery(channelList);
  const [leaving, setLeaving] = useState<Channel | null>(null);
  const turn = useTurn();
  const remove = useQueue(async ({ id, name }: Channel) => {
    await client.channels.delete.mutate({ id });
    await channelsChanged();
    toast({ title: text.deleted(name) });
  });
  return (
    <Page
      title={text.title}
      actions={
        <Link to="/admin/channels/new" className={buttonClass("primary")}>
          <Plus aria-hidden /> {text.add}
        </Link>
      }
    >
      <p className={styles["lead"]}>{text.hint}</p>
      <Failure error={error ?? turn.error ?? remove.error} />
      {channels?.length === 0 ? (
        <Empty icon={<Megaphone aria-hidden />} title={text.emptyTitle}>
          {text.empty}
        </Empty>
      ) : null}
      {channels && channels.length > 0 ? (
        <Table columns={[text.name, text.delivers, text.state, text.last]} hasActions>
          {channels.map((channel) => (
            <Row
              key={channel.id}
              channel={channel}
              onTurn={(enabled) => void turn.run(channel, enabled)}
              onDelete={() => setLeaving(channel)}
            />
          ))}
        </Table>
      ) : null}
      {leaving ? (
        <AskFirst
          title={text.deleteTitle(leaving.name)}
          action={words.ui.delete}
          onConfirm={() => void remove.run(leaving)}
          onClose={() => setLeaving(null)}
        >
          {text.deleteHint}
        </AskFirst>
      ) : null}
    </Page>
  );
}

/** What a channel delivers, in a few words. */
function deliversText({ events, zoneFilter, digest }: Channel): string {
  const all = events.length === Object.keys(text.eventNames).length;
  const [first] = events;
  const what = all
    ? text.everyEvent
    : events.length === 1 && first !== undefined
      ? text.eventNames[first]
      : text.eventCount(events.length);
  const about = events.includes("zone.changed") ? [text.digestShort[digest], zoneFilter ? text.filtered : ""] : [];
  return [what, ...about].filter((part) => part !== "").join(" · ");
}

/** How a channel is: on, off, or disabled by the service. */
export function ChannelState({ channel: { enabled, disabledReason } }: { channel: Channel }) {
  const state = enabled ? text.on : disabledReason === null ? text.off : text.stopped;
  return (
    <>
      <i
        className={styles["dot"]}
        data-state={enabled ? "good" : disabledReason === null ? undefined : "bad"}
        aria-hidden
      />
      {state}
    </>
  );
}

interface RowProps {
  channel: Channel;
  onTurn: (enabled: boolean) => void;
  onDelete: () => void;
}

function Row({ channel, onTurn, onDelete }: RowProps) {
  const { id, name, enabled, disabledReason, lastSuccessAt } = channel;
  const test = useChannelTest(id);
  const fault = test.error === null ? disabledReason : messageOf(test.error);
  const about = [text.kinds[channel.channel], destinationOf(channel)].filter((part) => part !== "").join(" · ");
  return (
    <>
      <tr>
        <td className={styles["main"]}>
          <Link to="/admin/channels/$id" params={{ id }} className={styles["link"]}>
            {name}
          </Link>
          <small>{about}</small>
        </td>
        <td>{deliversText(channel)}</td>
        <td className={styles["nowrap"]}>
          <ChannelState channel={channel} />
        </td>
        <td className={styles["nowrap"]} data-label={text.last}>
          <span role="status">
            {test.isDone ? text.tested : lastSuccessAt === null ? words.ui.never : formatAgo(lastSuccessAt)}
          </span>
        </td>
        <td className={styles["actions"]}>
          <div>
            <Button aria-label={text.testOf(name)} pending={test.pending} onClick={() => void test.run()}>
              {test.pending ? text.testing : text.test}
            </Button>
            <RowMenu
              label={text.more(name)}
              groups={[
                [{ id: "turn", label: enabled ? text.turnOff : text.turnOn, run: () => onTurn(!enabled) }],
                [{ id: "delete", label: words.ui.delete, run: onDelete, danger: true }],
              ]}
            />
          </div>
        </td>
      </tr>
      {fault === null ? null : <FaultRow columns={5}>{fault}</FaultRow>}
    </>
  );
}
