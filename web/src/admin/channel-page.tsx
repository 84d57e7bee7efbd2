import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { client, healing } from "../api.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { formatAgo, formatMoment } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card, Empty, Page } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import { AdminOnly } from "./admin-only.tsx";
import type { Channel } from "./channel-fields.ts";
import { ChannelForm } from "./channel-form.tsx";
import { channelList, ChannelState, useChannelTest, useTurn } from "./channels-page.tsx";
import styles from "./admin.module.css";

const text = adminWords.channels;

const back = (
  <Link to="/admin/channels" className={buttonClass()}>
    {text.back}
  </Link>
);

/** Adds a channel. */
export function NewChannelPage() {
  const navigate = useNavigate();
  return (
    <AdminOnly>
      <Page title={text.newTitle} actions={back}>
        <ChannelForm
          channel={null}
          onDone={({ id, name }) => {
            toast({ title: text.created(name) });
            void navigate({ to: "/admin/channels/$id", params: { id } });
          }}
        />
      </Page>
    </AdminOnly>
  );
}

/** A channel: its settings and its deliveries. */
export function ChannelPage() {
  return (
    <AdminOnly>
      <OneChannel />
    </AdminOnly>
  );
}

function OneChannel() {
  const { id } = useParams({ from: "/inside/admin/channels/$id" });
  const { data: channels, error } = useQuery(channelList);
  const channel = channels?.find((each) => each.id === id);
  if (channel) return <Shown key={id} channel={channel} />;
  return (
    <Page title={text.title} actions={back}>
      <Failure error={error} />
      {channels ? <Empty title={text.missing} /> : null}
    </Page>
  );
}

function Shown({ channel }: { channel: Channel }) {
  const test = useChannelTest(channel.id);
  const turn = useTurn();
  const { name, enabled, disabledReason } = channel;
  return (
    <Page
      title={name}
      subtitle={
        <>
          {text.kinds[channel.channel]} · <ChannelState channel={channel} />
        </>
      }
      actions={
        <>
          {back}
          <Button pending={turn.pending} onClick={() => void turn.run(channel, !enabled)}>
            {enabled ? text.turnOff : text.turnOn}
          </Button>
          <Button pending={test.pending} onClick={() => void test.run()}>
            {test.pending ? text.testing : text.test}
          </Button>
        </>
      }
    >
      <Failure error={test.error ?? turn.error} />
      {test.isDone ? <Notice kind="success">{text.tested}</Notice> : null}
      {disabledReason === null ? null : <Notice kind="error">{disabledReason}</Notice>}
      <ChannelForm channel={channel} onDone={() => toast({ title: words.ui.saved })} />
      {channel.channel === "web" ? null : <Deliveries id={channel.id} />}
    </Page>
  );
}

/** How often pending deliveries are read again. */
const pollMilliseconds = 5_000;

const deliveryStates = ["pending", "delivered", "failed"] as const;

function Deliveries({ id }: { id: string }) {
  const [state, setState] = useState<"" | (typeof deliveryStates)[number]>("");
  const { data, error } = useQuery({
    queryKey: ["channels", id, "deliveries", state],
    queryFn: async ({ signal }) =>
      (await client.channels.deliveries.query({ id, ...(state && { state }) }, { signal })).deliveries,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      healing(state.error) ||
      (state.data?.some(({ state: outcome }) => outcome === "pending") ? pollMilliseconds : false),
  });
  return (
    <Card title={text.deliveries} hint={text.deliveriesHint} flush>
      <Failure error={error} />
      <div className={styles["inset"]}>
        <SelectField
          label={text.state}
          value={state}
          options={[
            { value: "", label: text.anyState },
            ...deliveryStates.map((value) => ({ value, label: text.deliveryStates[value] })),
          ]}
          onValue={setState}
        />
      </div>
      {data?.length === 0 ? (
        <p className={styles["inset"]}>{state === "" ? text.noDeliveries : text.noneInState}</p>
      ) : null}
      {data && data.length > 0 ? (
        <table className={styles["table"]}>
          <thead>
            <tr>
              {[text.event, text.state, text.when].map((label) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.map((delivery) => (
              <tr key={delivery.id}>
                <td className={styles["main"]}>
                  {delivery.title}
                  <small>{text.eventNames[delivery.event]}</small>
                </td>
                <td>
                  <i
                    className={styles["dot"]}
                    data-state={{ delivered: "good", failed: "bad", pending: undefined }[delivery.state]}
                    aria-hidden
                  />
                  {[
                    text.deliveryStates[delivery.state],
                    ...(delivery.attempts > 1 ? [text.attempts(delivery.attempts)] : []),
                    ...(delivery.nextAttemptAt ? [text.nextAttempt(formatAgo(delivery.nextAttemptAt))] : []),
                  ].join(" · ")}
                  {delivery.lastError === null ? null : <small className={styles["small"]}>{delivery.lastError}</small>}
                </td>
                <td className={styles["nowrap"]}>
                  <time dateTime={delivery.createdAt.toISOString()}>{formatMoment(delivery.createdAt)}</time>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </Card>
  );
}
