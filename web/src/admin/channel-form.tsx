import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import type { RouterInputs } from "@zonewright/client";
import { useDeferredValue, useState } from "react";
import { client, issueOf, messageOf } from "../api.ts";
import { useUserNames } from "../session/use-user-names.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, Form, SelectField, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { PicksField, type Pick } from "../ui/picks-field.tsx";
import { useAction } from "../ui/use-action.ts";
import { useEdits } from "../ui/use-edits.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import {
  channelConfig,
  channelKinds,
  groupedEvents,
  maskOf,
  randomSecret,
  settingsOf,
  type Channel,
  type ChannelEvent,
  type ChannelKind,
  type ChannelSettings,
} from "./channel-fields.ts";
import { channelsChanged } from "./channels-page.tsx";
import { configIssue } from "./provider-queries.ts";
import styles from "./admin.module.css";

const text = adminWords.channels;

type Digest = Channel["digest"];
type Filter = NonNullable<RouterInputs["channels"]["create"]["zoneFilter"]>;

/** What the form holds as one value each, so that what others change meanwhile stays. Lists are separated by commas. */
interface ChannelForm extends ChannelSettings {
  name: string;
  events: string;
  digest: Digest;
  domainIds: string;
  tags: string;
  groupNames: string;
  recordTypes: string;
}

const settingNames = ["url", "webhookUrl", "secret", "to", "userIds", "administrators"] as const;

const entriesOf = (list: string) =>
  list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

function formOf(channel: Channel | null): ChannelForm {
  const filter = channel?.zoneFilter ?? {};
  return {
    ...settingsOf(channel),
    name: channel?.name ?? "",
    events: (channel?.events ?? []).toSorted().join(","),
    digest: channel?.digest ?? "immediate",
    domainIds: (filter.domainIds ?? []).join(","),
    tags: (filter.tags ?? []).join(", "),
    groupNames: (filter.groupNames ?? []).join(", "),
    recordTypes: (filter.recordTypes ?? []).join(", "),
  };
}

/** The filter to send; null lets every change through. */
function filterOf({ domainIds, tags, groupNames, recordTypes }: ChannelForm): Filter | null {
  const lists = {
    domainIds: entriesOf(domainIds),
    tags: entriesOf(tags),
    groupNames: entriesOf(groupNames),
    recordTypes: entriesOf(recordTypes.toUpperCase()) as NonNullable<Filter["recordTypes"]>,
  };
  const given = Object.entries(lists).filter(([, entries]) => entries.length > 0);
  return given.length === 0 ? null : (Object.fromEntries(given) as Filter);
}

interface ChannelFormProps {
  /** The channel to edit; null for a new one. */
  channel: Channel | null;
  onDone: (channel: Channel) => void;
}

/** The settings of a channel, and what it delivers. */
export function ChannelForm({ channel, onDone }: ChannelFormProps) {
  const [kind, setKind] = useState<ChannelKind>(channel?.channel ?? "webhook");
  const { fields, changed, set, done } = useEdits(formOf(channel));
  const [tried, setTried] = useState(false);
  const events = new Set(entriesOf(fields.events) as ChannelEvent[]);
  const isChanged = Object.keys(changed).length > 0;
  const save = useAction(async () => {
    const isOf = (names: readonly (keyof ChannelForm)[]) => channel === null || names.some((name) => name in changed);
    const chosen = [...events].filter((event) => kind !== "web" || event !== "zone.changed");
    // Only what was touched: others may have changed the rest meanwhile.
    const form = {
      ...(isOf(["name"]) && { name: fields.name.trim() }),
      ...(isOf(["events"]) && { events: chosen }),
      ...(isOf(["domainIds", "tags", "groupNames", "recordTypes"]) && { zoneFilter: filterOf(fields) }),
      ...(isOf(["digest"]) && { digest: fields.digest }),
      ...(isOf(settingNames) && { config: channelConfig(kind, fields) }),
    };
    // The kind determines the settings, which the service checks.
    const saved = channel
      ? await client.channels.update.mutate({ id: channel.id, ...form })
      : await client.channels.create.mutate({ channel: kind, ...form } as RouterInputs["channels"]["create"]);
    await channelsChanged();
    done();
    onDone(saved);
  });
  const submit = () => {
    setTried(true);
    if (events.size > 0) void save.run();
  };
  const known = ["name", "events", "zoneFilter", "digest"].some((field) => issueOf(save.error, field) !== null);
  const inConfig = ["url", "webhookUrl", "secret", "to", "userIds"].some((field) => configIssue(save.error, field));
  const setting = { kind, channel, fields, set, error: save.error };
  return (
    <Form onSubmit={submit} className={styles["columns"] ?? ""}>
      <Card title={text.settings}>
        {save.error === null || known || inConfig ? null : <Notice kind="error">{messageOf(save.error)}</Notice>}
        {channel ? null : (
          <SelectField
            label={text.kind}
            hint={text.kindHints[kind]}
            value={kind}
            options={channelKinds.map((value) => ({ value, label: text.kinds[value] }))}
            onValue={setKind}
          />
        )}
        <TextField
          label={text.name}
          maxLength={100}
          value={fields.name}
          onValue={(name) => set({ name })}
          error={issueOf(save.error, "name")}
        />
        <Settings {...setting} />
      </Card>
      <Card title={text.events} hint={text.eventCount(events.size)}>
        {tried && events.size === 0 ? <Notice kind="error">{text.chooseEvents}</Notice> : null}
        <Events kind={kind} events={events} onEvents={(next) => set({ events: next.toSorted().join(",") })} />
      </Card>
      {events.has("zone.changed") && kind !== "web" ? <Changes {...setting} /> : null}
      {channel === null || isChanged ? (
        <div className={styles["save"]}>
          <Button type="submit" kind="primary" pending={save.pending}>
            {channel ? words.ui.save : text.add}
          </Button>
          {channel ? <Button onClick={done}>{words.ui.cancel}</Button> : null}
        </div>
      ) : null}
    </Form>
  );
}

interface SettingsProps {
  kind: ChannelKind;
  channel: Channel | null;
  fields: ChannelForm;
  set: (fields: Partial<ChannelForm>) => void;
  error: unknown;
}

/** The fields of a kind. */
function Settings({ kind, channel, fields, set, error }: SettingsProps) {
  const secretMask = maskOf(channel, "secret");
  const urlMask = maskOf(channel, "webhookUrl");
  if (kind === "web") return <Receivers fields={fields} set={set} error={error} />;
  if (kind === "email")
    return (
      <TextField
        label={text.to}
        hint={text.toHint}
        mono
        maxLength={6_000}
        value={fields.to}
        onValue={(to) => set({ to })}
        error={configIssue(error, "to")}
      />
    );
  return (
    <>
      {kind === "webhook" ? (
        <TextField
          label={text.url}
          hint={text.urlHint}
          mono
          type="url"
          maxLength={2_000}
          value={fields.url}
          onValue={(url) => set({ url })}
          error={configIssue(error, "url")}
        />
      ) : (
        <TextField
          label={text.webhookUrl}
          hint={urlMask === null ? text.webhookUrlHint : text.kept(urlMask)}
          mono
          type="url"
          maxLength={2_000}
          value={fields.webhookUrl}
          onValue={(webhookUrl) => set({ webhookUrl })}
          error={configIssue(error, "webhookUrl")}
        />
      )}
      {kind === "slack" ? null : (
        <>
          <TextField
            label={text.secret}
            hint={
              secretMask !== null ? text.kept(secretMask) : kind === "webhook" ? text.secretHint : text.robotSecretHint
            }
            mono
            autoComplete="off"
            maxLength={200}
            value={fields.secret}
            onValue={(secret) => set({ secret })}
            error={configIssue(error, "secret")}
          />
          {kind === "webhook" ? (
            <div>
              <Button onClick={() => set({ secret: randomSecret() })}>{text.generate}</Button>
            </div>
          ) : null}
        </>
      )}
    </>
  );
}

/** What matches a search; the matches of the search before stay until the new ones are there. */
function useFound(what: "users" | "domains", search: string): Pick[] {
  const wanted = useDeferredValue(search.trim());
  const { data = [] } = useQuery({
    queryKey: ["picks", what, wanted],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Pick[]> => {
      const input = { limit: 20, search: wanted || undefined };
      if (what === "users")
        return (await client.users.list.query(input, { signal })).users.map(({ id, username }) => ({
          id,
          label: username,
        }));
      return (await client.domains.list.query(input, { signal })).domains.map(({ id, name, view }) => ({
        id,
        label: view === "" ? name : `${name}!${view}`,
      }));
    },
  });
  return data;
}

function Receivers({ fields, set, error }: Omit<SettingsProps, "kind" | "channel">) {
  const [search, setSearch] = useState("");
  const found = useFound("users", search);
  const ids = entriesOf(fields.userIds);
  const names = useUserNames(ids);
  return (
    <>
      <PicksField
        label={text.people}
        hint={text.peopleHint}
        search={search}
        onSearch={setSearch}
        found={found}
        picked={ids.map((id) => ({ id, label: names.get(id) ?? "…" }))}
        onPicked={(picked) => set({ userIds: picked.map(({ id }) => id).join(",") })}
        placeholder={text.peopleSearch}
        none={text.nobody}
        removeLabel={text.remove}
        error={configIssue(error, "userIds")}
      />
      <CheckField
        label={text.administrators}
        checked={fields.administrators || ids.length === 0}
        onValue={(administrators) => set({ administrators })}
      />
    </>
  );
}

interface EventsProps {
  kind: ChannelKind;
  events: ReadonlySet<ChannelEvent>;
  onEvents: (events: ChannelEvent[]) => void;
}

/** The events by groups; the box of a group ticks all of it. */
function Events({ kind, events, onEvents }: EventsProps) {
  const isOffered = (event: ChannelEvent) => kind !== "web" || event !== "zone.changed";
  const turn = (some: readonly ChannelEvent[], on: boolean) => {
    const next = new Set(events);
    for (const event of some) {
      if (on) next.add(event);
      else next.delete(event);
    }
    onEvents([...next]);
  };
  return groupedEvents().map(({ group, events: all }) => {
    const offered = all.filter(isOffered);
    const chosen = offered.filter((event) => events.has(event)).length;
    return (
      <div key={group} className={styles["group"]}>
        <CheckField
          ref={(box) => {
            if (box) box.indeterminate = chosen > 0 && chosen < offered.length;
          }}
          label={text.eventGroups[group]}
          checked={chosen === offered.length}
          onValue={(on) => turn(offered, on)}
        />
        {all.map((event) => (
          <CheckField
            key={event}
            label={
              <>
                {text.eventNames[event]}
                <small className={styles["small"]}>{isOffered(event) ? <code>{event}</code> : text.notInApp}</small>
              </>
            }
            disabled={!isOffered(event)}
            checked={isOffered(event) && events.has(event)}
            onValue={(on) => turn([event], on)}
          />
        ))}
      </div>
    );
  });
}

/** Which changes of records to deliver, and when. */
function Changes({ fields, set, error }: SettingsProps) {
  const [search, setSearch] = useState("");
  const found = useFound("domains", search);
  const ids = entriesOf(fields.domainIds);
  const known = useQueries({
    queries: ids.map((id) => ({
      queryKey: ["picks", "domain", id],
      staleTime: Infinity,
      queryFn: async ({ signal }: { signal: AbortSignal }) => await client.domains.get.query({ id }, { signal }),
    })),
  });
  const labelOf = (index: number) => {
    const { data, isError } = known[index] ?? {};
    return data ? (data.view === "" ? data.name : `${data.name}!${data.view}`) : isError ? (ids[index] ?? "") : "…";
  };
  return (
    <Card title={text.filter} hint={text.filterHint}>
      {issueOf(error, "zoneFilter") === null ? null : <Notice kind="error">{issueOf(error, "zoneFilter")}</Notice>}
      <PicksField
        label={text.onlyDomains}
        search={search}
        onSearch={setSearch}
        found={found}
        picked={ids.map((id, index) => ({ id, label: labelOf(index) }))}
        onPicked={(picked) => set({ domainIds: picked.map(({ id }) => id).join(",") })}
        placeholder={text.domainSearch}
        none={text.noDomain}
        removeLabel={text.remove}
      />
      <TextField label={text.onlyTags} hint={text.commas} value={fields.tags} onValue={(tags) => set({ tags })} />
      <TextField
        label={text.onlyGroups}
        hint={text.commas}
        value={fields.groupNames}
        onValue={(groupNames) => set({ groupNames })}
      />
      <TextField
        label={text.onlyTypes}
        hint={text.commas}
        mono
        value={fields.recordTypes}
        onValue={(recordTypes) => set({ recordTypes })}
      />
      <SelectField
        label={text.digest}
        value={fields.digest}
        options={(Object.keys(text.digests) as Digest[]).map((value) => ({ value, label: text.digests[value] }))}
        onValue={(digest) => set({ digest })}
      />
    </Card>
  );
}
