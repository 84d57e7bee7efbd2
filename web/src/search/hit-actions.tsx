import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { isZonewrightError } from "@zonewright/client";
import { Fragment, useEffect, useRef, useState } from "react";
import { client, messageOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { formatNumber } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { searchWords } from "../words/search.ts";
import { words } from "../words/words.ts";
import { zoneWords } from "../words/zone.ts";
import { providerKinds } from "../zone/automatic-ttl.tsx";
import { emptyDraft } from "../zone/draft/draft.ts";
import { draftKey, readDraft, writeDraft } from "../zone/draft/store.ts";
import { PlannedZones } from "../zone/planned-zones.tsx";
import {
  fewAtATime,
  isEmptyPlan,
  planOf,
  refreshZones,
  reverseFailures,
  refusedPlan,
  reverseWarnings,
  sayApplied,
  type ZonePlan,
} from "../zone/several-zones.ts";
import { readTtl, type ProviderKind } from "../zone/ttl.ts";
import { byZone, withAction, type Hit, type HitAction, type ZoneHits } from "./hit-changes.ts";
import styles from "./search.module.css";

const text = searchWords;
const longestTtl = 2_147_483_647;

/** In the order of the bar. */
const kinds = ["enable", "disable", "ttl", "value", "delete"] as const;

interface HitBarProps {
  hits: readonly Hit[];
  onAct: (kind: HitAction["kind"]) => void;
  onClear: () => void;
}

/** What can be done with the selected records. */
export function HitBar({ hits, onAct, onClear }: HitBarProps) {
  const isMixed = new Set(hits.map(({ recordType }) => recordType)).size > 1;
  const offered = kinds.filter((kind) => {
    if (kind === "enable") return hits.some(({ status }) => status === "disabled");
    return kind !== "disable" || hits.some(({ status }) => status !== "disabled");
  });
  return (
    <section className={styles["selected"]} aria-label={text.selection}>
      <strong role="status">{text.selected(hits.length, formatNumber(hits.length))}</strong>
      <Button kind="quiet" onClick={onClear}>
        {text.clearSelection}
      </Button>
      {offered.map((kind) => {
        const isOff = kind === "value" && isMixed;
        return (
          <Button
            key={kind}
            kind={kind === "delete" ? "danger" : "plain"}
            disabled={isOff}
            title={isOff ? text.mixed : undefined}
            onClick={() => onAct(kind)}
          >
            {text.act[kind]}
          </Button>
        );
      })}
    </section>
  );
}

interface Planned {
  /** The text of the field that it was made for. */
  typed: string;
  zones: readonly ZoneHits[];
  plans: readonly ZonePlan[];
}

/** What became of a zone. */
type Outcome = { domainId: string; domainName: string } & ({ changeSetId: string | null } | { error: string });

interface HitDialogProps {
  kind: HitAction["kind"];
  hits: readonly Hit[];
  /** @param isDone whether the records are no longer as they were selected */
  onClose: (isDone: boolean) => void;
}

/** Shows what an action does in each zone, then applies exactly that zone by zone until stopped, or puts it into the zones' drafts. */
export function HitDialog({ kind, hits, onClose }: HitDialogProps) {
  const user = useUser();
  const [typed, setTyped] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const [message, setMessage] = useState("");
  const [made, setMade] = useState<Planned | null>(null);
  // What was planned is not what stands in the field once that is changed, also while the plan is being made.
  const planned = made?.typed === typed ? made : null;
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [drafted, setDrafted] = useState<readonly ZoneHits[]>([]);
  const stop = useRef(false);
  const [stopping, setStopping] = useState(false);
  const stopNow = () => {
    stop.current = true;
    setStopping(true);
  };
  // Nobody sees what is changed once the page was left.
  useEffect(
    () => () => {
      stop.current = true;
    },
    [],
  );
  const input = useRef<HTMLInputElement>(null);
  const needsText = kind === "ttl" || kind === "value";
  const count = formatNumber(hits.length);
  const { data: kinds = [] } = useQuery({ ...providerKinds, enabled: kind === "ttl" });
  const used = new Set(hits.map(({ providerId }) => providerId));
  const ttlHint = kinds.some(({ id, automaticTtl }) => automaticTtl !== null && used.has(id))
    ? text.ttlOrAutomatic
    : text.ttlHint;

  const plan = useAction(async () => {
    const kinds = kind === "ttl" ? await queries.fetchQuery(providerKinds) : [];
    const actionAt = (providerId: string) =>
      actionOf(
        kind,
        typed,
        kinds.find(({ id }) => id === providerId),
      );
    const isRead = hits.some(({ providerId }) => actionAt(providerId) !== null);
    setFault(isRead ? null : kind === "ttl" && typed.trim() !== "" ? ttlHint : text.missing);
    if (!isRead) return;
    const zones = byZone(hits, actionAt);
    const plans = await fewAtATime(zones, async (zone): Promise<ZonePlan> => {
      if (zone.action === null) return refusedPlan(zone, text.noAutomaticTtl);
      return await planOf(zone, async () => {
        const plan = await client.records.plan.mutate({ id: zone.domainId, changes: zone.changes });
        return { ...plan, warnings: [...plan.warnings, ...reverseWarnings(plan)] };
      });
    });
    setMade({ typed, zones, plans });
  });
  const { run: runPlan } = plan;
  useEffect(() => {
    if (!needsText) void runPlan();
  }, [needsText, runPlan]);

  const able = planned?.plans.filter((each) => each.error === null && !isEmptyPlan(each)) ?? [];
  const skipped = planned?.plans.filter(({ error }) => error !== null) ?? [];
  const failed = outcomes.flatMap((each) => ("error" in each ? [each] : []));
  const draftOf = async (zones: readonly ZoneHits[]) => {
    for (const { domainId, records, action } of zones) {
      if (action === null) continue;
      const key = draftKey(user.id, domainId);
      const before = (await readDraft(key)) ?? emptyDraft;
      await writeDraft(key, before, withAction(before, records, action));
    }
  };
  const apply = useAction(async () => {
    if (!planned) return;
    stop.current = false;
    const done: Outcome[] = [];
    const notFollowed: string[] = [];
    for (const { domainId, domainName, planHash } of able) {
      const zone = planned.zones.find((each) => each.domainId === domainId);
      if (!zone || planHash === null) continue;
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- set by the button meanwhile.
      if (stop.current) break;
      const named = { domainId, domainName };
      try {
        const said = message.trim() === "" ? {} : { message: message.trim() };
        const input = { id: domainId, changes: zone.changes, planHash, ...said };
        const answer = await client.records.applyPlan.mutate(input);
        done.push({ ...named, changeSetId: answer.changeSetId });
        notFollowed.push(...reverseFailures(answer));
      } catch (error) {
        const isOvertaken = isZonewrightError(error) && error.code === "CONFLICT";
        done.push({ ...named, error: isOvertaken ? text.overtaken : messageOf(error) });
      }
      setOutcomes([...done]);
    }
    const refused = new Set(done.flatMap((each) => ("error" in each ? [each.domainId] : [])));
    await draftOf(planned.zones.filter(({ domainId }) => refused.has(domainId)));
    const changed = done.flatMap((each) =>
      "changeSetId" in each && each.changeSetId !== null ? [{ ...each, changeSetId: each.changeSetId }] : [],
    );
    if (changed.length > 0) sayApplied(changed, undefined, notFollowed);
    await refreshZones();
    if (refused.size === 0 && skipped.length === 0 && done.length === able.length) onClose(true);
  });
  const draft = useAction(async () => {
    if (!planned) return;
    const ids = new Set(able.map(({ domainId }) => domainId));
    const zones = planned.zones.filter(({ domainId }) => ids.has(domainId));
    await draftOf(zones);
    toast({ title: text.drafted(zones.length, formatNumber(zones.length)) });
    setDrafted(zones);
  });
  // What was left out is said before the dialog closes, also if all else was made.
  const isOver = drafted.length > 0 || (outcomes.length > 0 && !apply.pending);
  const left = [
    ...failed.map(({ domainId, domainName, error }) => ({ domainId, domainName, why: error })),
    ...drafted.map(({ domainId, domainName }) => ({ domainId, domainName, why: null })),
  ];
  const untouched =
    isOver && outcomes.length > 0
      ? able.filter(({ domainId }) => !outcomes.some((outcome) => outcome.domainId === domainId))
      : [];
  const unchanged = [
    { title: text.unchanged, zones: untouched },
    { title: text.leftOutTitle, zones: skipped },
  ];
  const warnings = [
    untouched.length > 0 && text.stopped(formatNumber(outcomes.length - failed.length), formatNumber(able.length)),
    failed.length > 0 && text.unfinished(failed.length, formatNumber(failed.length)),
    failed.length === 0 && skipped.length > 0 && text.leftOut(skipped.length, formatNumber(skipped.length)),
  ].filter((warning) => warning !== false);
  const isEmpty = planned !== null && able.length + skipped.length === 0;
  return (
    <Dialog
      open
      wide={planned !== null}
      onClose={() => (apply.pending ? stopNow() : onClose(isOver))}
      initialFocus={needsText ? input : undefined}
      title={text.actTitle[kind](hits.length, count)}
      alert={
        (plan.error ?? apply.error ?? draft.error) ? (
          <Notice kind="error">{messageOf(plan.error ?? apply.error ?? draft.error)}</Notice>
        ) : isOver && warnings.length > 0 ? (
          <Notice kind="warning" focusFor={outcomes.length > 0 ? outcomes : drafted}>
            {warnings.join(" ")}
          </Notice>
        ) : apply.pending ? (
          <p role="status">{text.applying(formatNumber(outcomes.length), formatNumber(able.length))}</p>
        ) : null
      }
      footer={
        isOver ? (
          <Button kind="primary" onClick={() => onClose(true)}>
            {text.done}
          </Button>
        ) : (
          <>
            {apply.pending ? (
              <Button pending={stopping} onClick={stopNow}>
                {text.stop}
              </Button>
            ) : (
              <Button kind="quiet" onClick={() => onClose(false)}>
                {words.ui.cancel}
              </Button>
            )}
            {planned === null || isEmpty ? (
              <Button kind="primary" type="submit" form="hits" disabled={isEmpty || !needsText} pending={plan.pending}>
                {plan.pending ? text.planning : text.showPlan}
              </Button>
            ) : (
              <>
                <Button
                  disabled={able.length === 0 || apply.pending}
                  pending={draft.pending}
                  onClick={() => void draft.run()}
                >
                  {text.toDrafts}
                </Button>
                <Button
                  kind={kind === "delete" ? "danger" : "primary"}
                  type="submit"
                  form="hits"
                  disabled={able.length === 0 || draft.pending}
                  pending={apply.pending}
                >
                  {text.apply(able.length, formatNumber(able.length))}
                </Button>
              </>
            )}
          </>
        )
      }
    >
      {isOver ? (
        <>
          {left.length > 0 ? (
            <ul className={styles["drafts"]} aria-label={text.drafts}>
              {left.map(({ domainId, domainName, why }) => (
                <li key={domainId}>
                  <span>
                    <b>{domainName}</b>
                    {why === null ? null : <small>{why}</small>}
                  </span>
                  <Link to="/d/$name/records" params={{ name: domainName }} preload={false}>
                    {text.openDraft}
                  </Link>
                </li>
              ))}
            </ul>
          ) : null}
          {unchanged.map(({ title, zones }) =>
            zones.length > 0 ? (
              <Fragment key={title}>
                <h3 className={styles["part"]}>{title}</h3>
                <ul className={styles["drafts"]} aria-label={title}>
                  {zones.map(({ domainId, domainName, error }) => (
                    <li key={domainId}>
                      <span>
                        <b>{domainName}</b>
                        {error === null ? null : <small>{error}</small>}
                      </span>
                      <Link to="/d/$name/records" params={{ name: domainName }} preload={false}>
                        {text.openZone}
                      </Link>
                    </li>
                  ))}
                </ul>
              </Fragment>
            ) : null,
          )}
        </>
      ) : (
        <Form
          id="hits"
          onSubmit={() => {
            if (!draft.pending) void (planned === null || isEmpty ? plan : apply).run();
          }}
        >
          {needsText ? (
            <TextField
              ref={input}
              mono={kind === "value"}
              label={kind === "ttl" ? text.newTtl : text.newValue(hits[0]?.recordType ?? "")}
              hint={kind === "ttl" ? ttlHint : null}
              error={fault}
              maxLength={10_000}
              autoCapitalize="none"
              readOnly={apply.pending}
              value={typed}
              onValue={(value) => {
                setTyped(value);
                setFault(null);
              }}
            />
          ) : null}
          {planned === null && !needsText && plan.pending ? <p role="status">{text.planning}</p> : null}
          {isEmpty ? <Notice kind="info">{text.nothing}</Notice> : null}
          {planned && !isEmpty ? (
            <>
              {skipped.length > 0 ? <Notice kind="warning">{text.planFailed}</Notice> : null}
              <div className={styles["planned"]}>
                <PlannedZones zones={planned.plans} />
              </div>
              <TextField
                label={zoneWords.applying.reason}
                hint={zoneWords.applying.reasonHint}
                maxLength={500}
                readOnly={apply.pending}
                value={message}
                onValue={setMessage}
              />
              <p className={styles["say"]}>{text.toDraftsHint}</p>
            </>
          ) : null}
        </Form>
      )}
    </Dialog>
  );
}

/** Null if what was typed is not a TTL at the kind of provider, or not a value. */
function actionOf(kind: HitAction["kind"], typed: string, at: ProviderKind | undefined): HitAction | null {
  if (kind === "ttl") {
    const ttl = readTtl(typed, at);
    return ttl === null || ttl > longestTtl ? null : { kind, ttl };
  }
  if (kind === "value") return typed.trim() === "" ? null : { kind, value: typed.trim() };
  return { kind };
}
