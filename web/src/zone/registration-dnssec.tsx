import { useQuery } from "@tanstack/react-query";
import { isZonewrightError, type RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { client, messageOf, queries } from "../api.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatAgo, formatDay, formatMoment } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { registrationWords } from "../words/registration.ts";
import { words } from "../words/words.ts";
import type { Wanted } from "./registration-change.tsx";
import facts from "./registration.module.css";
import styles from "./zone.module.css";

const text = registrationWords.dnssec;

type Dnssec = RouterOutputs["dnssec"]["get"];
type Plan = RouterOutputs["dnssec"]["publishDs"];

const stateDots = { unsigned: "unchecked", signed: "sync", pending: "drift", broken: "error" } as const;

export function useDnssec(id: string) {
  return useQuery({
    queryKey: ["dnssec", id],
    queryFn: async ({ signal }) => await client.dnssec.get.query({ id }, { signal }),
  });
}

/** Returns the key tag and the algorithm of a DS record. */
const keyOf = (ds: string) => ds.split(" ").slice(0, 2).join(" ");

/** Whether the parent zone has a DS record of each key that needs one, whatever its digest. */
function isPublished({ dsToPublish, parentDs }: Dnssec): boolean {
  return dsToPublish.every((ds) => parentDs?.some((one) => keyOf(one) === keyOf(ds)));
}

interface DnssecCardProps {
  id: string;
  manages: boolean;
  /** The DS records go to the registrar, whose plan is shown elsewhere. */
  onRegistrar: (wanted: Wanted) => void;
  onChanged: () => Promise<void>;
}

/** Whether resolvers accept the signatures of a zone, and what the registrar must publish. */
export function DnssecCard({ id, manages, onRegistrar, onChanged }: DnssecCardProps) {
  const { data, error } = useDnssec(id);
  const [asking, setAsking] = useState<{ force: boolean; text: string } | null>(null);
  const [plan, setPlan] = useState<Plan | null>(null);
  const set = useAction(async (input: { enabled: boolean; force?: boolean }) => {
    try {
      queries.setQueryData(["dnssec", id], await client.dnssec.set.mutate({ id, ...input }));
    } catch (failure) {
      if (!isZonewrightError(failure) || failure.code !== "CONFIRMATION_REQUIRED") throw failure;
      setAsking({ force: true, text: messageOf(failure) });
      return;
    }
    toast({ title: input.enabled ? text.turnedOn : text.turnedOff });
  });
  const show = useAction(async () => {
    const planned = await client.dnssec.publishDs.mutate({ id, dryRun: true });
    if (planned.through === "registrar") onRegistrar({ ds: planned.after });
    else setPlan(planned);
  });
  const isOn = data
    ? data.signedBy === "provider" || (data.keys ?? []).length > 0 || data.dsToPublish.length > 0
    : false;
  const actions =
    data && manages ? (
      <div className={styles["actions"]}>
        {data.dsToPublish.length > 0 && !isPublished(data) ? (
          <Button pending={show.pending} onClick={() => void show.run()}>
            {text.publishNow}
          </Button>
        ) : null}
        {data.canSet && !isOn ? (
          <Button pending={set.pending} onClick={() => void set.run({ enabled: true })}>
            {text.turnOn}
          </Button>
        ) : null}
        {data.canSet && isOn ? (
          <Button pending={set.pending} onClick={() => setAsking({ force: false, text: text.turnOffText })}>
            {text.turnOff}
          </Button>
        ) : null}
      </div>
    ) : null;
  return (
    <Card title={text.title} hint={text.hint} flush action={actions}>
      <Failure error={error ?? set.error ?? show.error} />
      {asking ? (
        <AskFirst
          title={text.turnOffTitle}
          action={text.turnOffNow}
          onConfirm={() => void set.run({ enabled: false, force: asking.force })}
          onClose={() => setAsking(null)}
        >
          <p>{forPeople(asking.text)}</p>
        </AskFirst>
      ) : null}
      {plan ? <PublishDs id={id} plan={plan} onDone={onChanged} onClose={() => setPlan(null)} /> : null}
      {data ? null : <p className={styles["inset"]}>{error ? null : words.ui.loading}</p>}
      {data && data.checkedAt === null ? (
        <p className={styles["inset"]}>{data.notCheckedBecause ?? registrationWords.nothing}</p>
      ) : null}
      {data && data.checkedAt !== null ? <Facts found={data} checkedAt={data.checkedAt} /> : null}
      {data && !isPublished(data) ? (
        <div className={styles["inset"]}>
          {data.dsToPublish.map((ds) => (
            <CopyField key={ds} label={text.publish} value={ds} copy={words.ui.copy} />
          ))}
        </div>
      ) : null}
    </Card>
  );
}

function Facts({ found, checkedAt }: { found: Dnssec; checkedAt: Date }) {
  const { state, chain, chainReason, keys, parentDs, signaturesExpireAt } = found;
  return (
    <>
      <table className={facts["facts"]} aria-label={text.title}>
        <tbody>
          <tr>
            <th scope="row">{text.state}</th>
            <td>
              <i className={styles["dot"]} data-state={state ? stateDots[state] : "unchecked"} aria-hidden />
              {state ? text.states[state] : text.unknown}
              <small>{registrationWords.asked(formatAgo(checkedAt))}</small>
            </td>
          </tr>
          <tr>
            <th scope="row">{text.chain}</th>
            <td>
              {text.chains[chain]}
              {chainReason === null ? null : <small>{forPeople(chainReason)}</small>}
            </td>
          </tr>
          <tr>
            <th scope="row">{text.keys}</th>
            <td>
              {keys === null ? text.unknown : null}
              {keys?.length === 0 ? registrationWords.none : null}
              {keys && keys.length > 0 ? (
                <ul>
                  {keys.map((key) => (
                    <li key={`${key.keyTag} ${key.algorithm} ${key.role}`}>
                      {text.key(key.keyTag, text.algorithms(key.algorithm), text.roles[key.role])}
                      {key.active ? null : <small>{text.inactive}</small>}
                    </li>
                  ))}
                </ul>
              ) : null}
              {signaturesExpireAt ? (
                <small>
                  <time dateTime={signaturesExpireAt.toISOString()} title={formatMoment(signaturesExpireAt)}>
                    {text.until(formatDay(signaturesExpireAt), formatAgo(signaturesExpireAt))}
                  </time>
                </small>
              ) : null}
            </td>
          </tr>
          <tr>
            <th scope="row">{text.parentDs}</th>
            <td>
              <DsList records={parentDs} />
            </td>
          </tr>
        </tbody>
      </table>
    </>
  );
}

function DsList({ records }: { records: string[] | null }) {
  if (records === null) return text.unknown;
  if (records.length === 0) return registrationWords.none;
  return (
    <ul>
      {records.map((ds) => (
        <li key={ds}>
          <code>{ds}</code>
        </li>
      ))}
    </ul>
  );
}

interface PublishDsProps {
  id: string;
  plan: Plan;
  onDone: () => Promise<void>;
  onClose: () => void;
}

/** Shows where DS records go, and publishes them in the parent zone; or says what to enter by hand. */
function PublishDs({ id, plan, onDone, onClose }: PublishDsProps) {
  const { through, parentZone, before, after, warnings, planHash, instructions } = plan;
  const publish = useAction(async (hash: string) => {
    // The warnings are those of this plan, which the user has read.
    const force = warnings.length > 0;
    await client.dnssec.publishDs.mutate({ id, planHash: hash, ...(force ? { force } : {}) });
    onClose();
    toast({ title: text.published });
    await onDone();
  });
  return (
    <Dialog
      open
      wide
      title={text.publishTitle}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          {planHash === null ? null : (
            <Button kind="primary" pending={publish.pending} onClick={() => void publish.run(planHash)}>
              {text.publishNow}
            </Button>
          )}
        </>
      }
    >
      <Failure error={publish.error} />
      {instructions === null ? null : <p>{forPeople(instructions)}</p>}
      {through === null ? null : (
        <>
          <p>
            {planHash === null ? text.publishNothing(parentZone?.name ?? "") : text.publishIn(parentZone?.name ?? "")}
          </p>
          <DsList records={after} />
          {before !== null && before.some((ds) => !after.includes(ds)) ? (
            <>
              <p>{text.publishRemoves}</p>
              <DsList records={before.filter((ds) => !after.includes(ds))} />
            </>
          ) : null}
        </>
      )}
      {warnings.map((warning) => (
        <Notice key={warning} kind="warning">
          {forPeople(warning)}
        </Notice>
      ))}
    </Dialog>
  );
}
