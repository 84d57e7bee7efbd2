import { useQuery } from "@tanstack/react-query";
import type { RouterInputs, RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { client, issueOf, messageOf, queries } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form, SelectField, TextArea } from "../ui/field.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatAgo, formatDay, formatMoment } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { useAction } from "../ui/use-action.ts";
import { useEdits } from "../ui/use-edits.ts";
import { registrationWords } from "../words/registration.ts";
import { words } from "../words/words.ts";
import facts from "./registration.module.css";
import styles from "./zone.module.css";

const text = registrationWords.certificates;

type Watched = RouterOutputs["tlsHosts"]["get"];
type Host = Watched["hosts"][number];
type Mode = Watched["mode"];

const fewHosts = 20;
/** How long, and how often, a first check is waited for. */
const waits = { longest: 10 * 60_000, each: 4_000 };

/** Until when the certificates of a zone's hosts are valid, and which hosts are watched. */
export function Certificates({ id, zone, manages }: { id: string; zone: string; manages: boolean }) {
  const [savedAt, setSavedAt] = useState(0);
  const [isEdited, setIsEdited] = useState(false);
  const [isWhole, setIsWhole] = useState(false);
  const { data, error } = useQuery({
    queryKey: ["tls-hosts", id],
    queryFn: async ({ signal }) => await client.tlsHosts.get.query({ id }, { signal }),
    refetchInterval: ({ state }) =>
      Date.now() - savedAt < waits.longest && !isChecked(state.data, savedAt) ? waits.each : false,
  });
  const hosts = data?.hosts.toSorted((one, other) => urgency(one) - urgency(other)) ?? [];
  const shown = isWhole ? hosts : hosts.slice(0, fewHosts);
  return (
    <Card
      title={text.title}
      hint={data && data.mode !== "off" ? text.hints[data.mode] : text.hint}
      flush
      action={manages && data ? <Button onClick={() => setIsEdited(true)}>{text.edit}</Button> : null}
    >
      <Failure error={error} />
      {data ? null : <p className={styles["inset"]}>{error ? null : words.ui.loading}</p>}
      {data?.mode === "off" ? <p className={styles["inset"]}>{text.off}</p> : null}
      {data && data.mode !== "off" && hosts.length === 0 ? (
        <p className={styles["inset"]}>{data.mode === "all" ? text.noneFound : text.noneListed}</p>
      ) : null}
      {data && data.mode !== "off" && hosts.length > 0 ? (
        <table className={facts["facts"]} aria-label={text.title}>
          <thead>
            <tr>
              <th scope="col">{text.host}</th>
              <th scope="col">{text.validUntil}</th>
              <th scope="col">{text.issuer}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((host) => (
              <HostRow key={placeOf(host)} host={host} />
            ))}
          </tbody>
        </table>
      ) : null}
      {shown.length < hosts.length ? (
        <p className={styles["older"]}>
          <Button onClick={() => setIsWhole(true)}>{text.showAll(hosts.length)}</Button>
        </p>
      ) : null}
      {data && data.leftOut > 0 ? <p className={styles["inset"]}>{text.leftOut(data.leftOut)}</p> : null}
      {isEdited && data ? (
        <EditHosts
          watched={data}
          zone={zone}
          onClose={() => setIsEdited(false)}
          onSaved={(saved) => {
            queries.setQueryData(["tls-hosts", id], saved);
            void queries.invalidateQueries({ queryKey: ["registration", id] });
            setIsEdited(false);
            setSavedAt(saved.mode === "off" ? 0 : Date.now());
          }}
        />
      ) : null}
    </Card>
  );
}

/** Returns whether all hosts have been checked since a time. */
function isChecked(watched: Watched | undefined, since: number): boolean {
  const hosts = watched?.hosts ?? [];
  return hosts.length > 0 && hosts.every(({ checkedAt }) => checkedAt !== null && checkedAt.getTime() > since);
}

function HostRow({ host }: { host: Host }) {
  const { notAfter, issuer, error, checkedAt } = host;
  const state = stateOf(host);
  return (
    <tr>
      <th scope="row">
        <code>{placeOf(host)}</code>
      </th>
      <td data-label={text.validUntil}>
        <i className={styles["dot"]} data-state={state} aria-hidden />
        {notAfter ? (
          <time dateTime={notAfter.toISOString()} title={formatMoment(notAfter)}>
            {text.until(formatDay(notAfter), formatAgo(notAfter))}
          </time>
        ) : checkedAt ? (
          text.states[host.problem === "no_tls" || host.problem === "unreachable" ? host.problem : "unreadable"]
        ) : (
          text.states.unchecked
        )}
        {error === null ? null : <small>{forPeople(error)}</small>}
        {checkedAt ? <small>{text.checked(formatAgo(checkedAt))}</small> : null}
      </td>
      <td data-label={text.issuer} data-unknown={issuer === null || undefined}>
        {issuer ?? registrationWords.unknown}
      </td>
    </tr>
  );
}

/** Returns how a host is marked: broken, to be looked after, not known, or fine. */
function stateOf({ problem, endsSoon, checkedAt }: Host) {
  if (problem === "unreachable" || problem === "no_tls") return "drift";
  if (problem !== null) return "error";
  if (checkedAt === null) return "none";
  return endsSoon ? "drift" : "ok";
}

/** Returns a number that is lower the sooner a host needs somebody. */
function urgency(host: Host): number {
  const rank = ["error", "drift", "none", "ok"].indexOf(stateOf(host));
  return rank * 1e15 + (host.notAfter?.getTime() ?? 0);
}

const mailPorts = new Set([25, 587]);

/** Returns a host as it is edited: `www`, `mail:25`, `relay:2525 smtp`. */
function placeOf({ host, port, starttls }: Pick<Host, "host" | "port" | "starttls">): string {
  const isSaid = (starttls === "smtp") !== mailPorts.has(port);
  return `${host}${port === 443 ? "" : `:${port}`}${isSaid ? ` ${starttls ?? "tls"}` : ""}`;
}

/** Returns the hosts in what was typed, or the line that is none. */
function readHosts(typed: string): NonNullable<RouterInputs["tlsHosts"]["set"]["hosts"]> | string {
  const hosts = [];
  for (const line of typed.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    const {
      host,
      port = "443",
      starttls,
    } = /^(?<host>[^\s:]+)(?::(?<port>\d{1,5}))?(?:\s+(?<starttls>smtp|tls))?$/i.exec(line)?.groups ?? {};
    if (host === undefined) return line;
    const isMail = starttls === undefined ? mailPorts.has(Number(port)) : starttls.toLowerCase() === "smtp";
    hosts.push({ host, port: Number(port), starttls: isMail ? ("smtp" as const) : null });
  }
  return hosts;
}

interface EditHostsProps {
  watched: Watched;
  zone: string;
  onSaved: (saved: Watched) => void;
  onClose: () => void;
}

function EditHosts({ watched, zone, onSaved, onClose }: EditHostsProps) {
  const { fields, changed, set } = useEdits<{ mode: Mode; typed: string }>({
    mode: watched.mode === "off" ? "listed" : watched.mode,
    typed: watched.hosts
      .filter(({ listed }) => listed)
      .map(placeOf)
      .join("\n"),
  });
  const [wrong, setWrong] = useState<string | null>(null);
  const save = useAction(async () => {
    // What was not touched stays as others may have set it meanwhile.
    const hosts = changed.typed === undefined ? undefined : readHosts(changed.typed);
    setWrong(typeof hosts === "string" ? text.wrongLine(hosts) : null);
    if (typeof hosts === "string") return;
    onSaved(await client.tlsHosts.set.mutate({ id: watched.domainId, mode: fields.mode, hosts }));
  });
  const issue = issueOf(save.error, "hosts");
  return (
    <Dialog
      open
      title={text.editTitle(zone)}
      description={text.editHint}
      onClose={onClose}
      alert={
        save.error === null || issue !== null ? null : (
          <Notice kind="error" focusFor={save.error}>
            {messageOf(save.error)}
          </Notice>
        )
      }
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button kind="primary" pending={save.pending} onClick={() => void save.run()}>
            {words.ui.save}
          </Button>
        </>
      }
    >
      <Form onSubmit={() => void save.run()}>
        <SelectField
          label={text.mode}
          value={fields.mode}
          onValue={(mode) => set({ mode })}
          options={(["listed", "all", "off"] as const).map((value) => ({ value, label: text.modes[value] }))}
        />
        <TextArea
          mono
          rows={6}
          label={text.hosts}
          hint={text.hostsHint}
          value={fields.typed}
          onValue={(typed) => set({ typed })}
          error={wrong ?? issue}
        />
      </Form>
    </Dialog>
  );
}
