import { TriangleAlert } from "lucide-react";
import { isZonewrightError } from "@zonewright/client";
import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatNumber } from "../../ui/format.ts";
import { TextField } from "../../ui/field.tsx";
import field from "../../ui/field.module.css";
import { Failure, Notice } from "../../ui/notice.tsx";
import { formatTtl } from "../../ui/ttl.ts";
import { recordsWords } from "../../words/records.ts";
import type { Clashes, ShownClash } from "./use-clashes.ts";
import { Patch } from "../../zone/patch-view.tsx";
import { planLines } from "../../zone/patch.ts";
import { useZone } from "../../zone/use-zone.ts";
import { longestOldTtl } from "./patch.ts";
import { noRequestText, RequestFields, type RequestText } from "../../zone/request-fields.tsx";
import { CheckText } from "./draft-bar.tsx";
import type { Check, Plan } from "./use-draft.ts";
import type { Standing } from "../use-review.ts";
import styles from "./draft.module.css";

const text = recordsWords;
/** More than anybody decides one by one; the rest follows once these are decided. */
const shownClashes = 50;
const shownProblems = 50;

interface ReviewProps {
  zone: string;
  provider: string;
  /** Null while the plan is made again. */
  plan: Plan | null;
  standing: Standing;
  /** The plan that was read before others changed the zone; null once there is a new one. */
  outdated: Plan | null;
  /** What the service says of the draft as it is now. */
  check: Check;
  /** Why the service refuses the draft as it is now, with the name and type of the record; null for reasons that belong to none. */
  problems: readonly { owner: string | null; message: string }[];
  count: number;
  error: unknown;
  pending: boolean;
  /** Whether the service wants the loss confirmed. */
  mustForce: boolean;
  /** Whether the service wants the change of locked records confirmed. */
  mustUnlock: boolean;
  /** What must be decided before anything is sent. */
  clashes: Clashes;
  /** The revision that somebody else made while this draft was open; null for none. */
  overtakenBy: number | null;
  /** The addresses whose offered PTR changes are ticked. */
  reverse: readonly string[];
  onReverse: (addresses: readonly string[]) => void;
  /** Whether the reader's changes need a review. */
  mustRequest: boolean;
  /** Whether the reader may apply them nevertheless, with a reason. */
  mayOverride: boolean;
  /** Whether the service wants the change of locked records confirmed before it takes the request. */
  requestAnyway: boolean;
  onRequest: (request: RequestText) => void;
  onApply: (options: { force: boolean; message: string; override: boolean }) => void;
  onClose: () => void;
  keys: string;
}

/** The plan like a patch, with everything to know before it is sent. */
export function Review(props: ReviewProps) {
  const { zone, provider, plan, outdated, count, error, pending, clashes, overtakenBy, onClose, keys } = props;
  const mustForce = props.mustForce || props.mustUnlock;
  const place = useZone();
  const isUndecided = clashes.all.length > 0;
  const lines = useMemo(() => (plan ? planLines(plan) : []), [plan]);
  /** Whether there is nothing to send: the zone has all of it, or its provider decides otherwise. */
  const isIdle = plan !== null && lines.length === 0;
  const oldTtl = plan && longestOldTtl(plan);
  const apply = useRef<HTMLButtonElement>(null);
  const [message, setMessage] = useState("");
  const [request, setRequest] = useState(noRequestText);
  const [chosen, setChosen] = useState<"request" | "override" | null>(null);
  /** How often it was to be sent without what must be said. */
  const [missed, setMissed] = useState(0);
  const isMissing = missed > 0;
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (missed > 0)
      fields.current?.closest("[role=dialog]")?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [missed]);
  // The rule may have changed since the page was loaded.
  const isRefused = isZonewrightError(error) && error.code === "REVIEW_REQUIRED";
  const way = chosen ?? (props.mustRequest || isRefused ? "request" : "apply");
  const send = () => {
    if (plan === null || pending || isUndecided || isIdle) return;
    const missing = (way === "request" && request.title.trim() === "") || (way === "override" && message.trim() === "");
    setMissed(missing ? missed + 1 : 0);
    if (missing) return;
    if (way === "request") props.onRequest(request);
    else props.onApply({ force: mustForce, message, override: way === "override" });
  };
  const choose = (next: "request" | "override") => {
    setMissed(0);
    setChosen(next);
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      initialFocus={apply}
      title={(way === "request" ? text.requestReviewTitle : text.reviewTitle)(formatNumber(count), zone)}
      description={
        props.standing === "unknown"
          ? text.sentBefore
          : way === "request"
            ? text.requestReviewHint
            : props.standing === "unsent"
              ? text.reviewHint(provider)
              : null
      }
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
        event.preventDefault();
        if (!mustForce || way === "request") send();
      }}
      alert={
        <>
          {overtakenBy === null ? null : (
            <Notice kind="warning" focusFor={overtakenBy}>
              {text.conflict(formatNumber(overtakenBy))}
            </Notice>
          )}
          {isRefused ? (
            <Notice kind="warning" focusFor={error}>
              {text.reviewNeeded}
            </Notice>
          ) : (
            <Failure error={error} />
          )}
          {props.mustForce && way !== "request" ? <Notice kind="warning">{text.forceHint}</Notice> : null}
        </>
      }
      pinned={
        way === "request" ? null : (
          <Reason
            isOverride={way === "override"}
            isMissing={isMissing && message.trim() === ""}
            value={message}
            onValue={setMessage}
          />
        )
      }
      footer={
        <>
          <span>{plan ? text.madeAgainst(formatNumber(plan.revision)) : <PlanState {...props} />}</span>
          <Button kind="quiet" onClick={onClose}>
            {text.back}
          </Button>
          {way === "apply" ? (
            <Button kind="quiet" onClick={() => choose("request")}>
              {text.requestInstead}
            </Button>
          ) : null}
          {way === "request" && props.mustRequest && props.mayOverride ? (
            <Button kind="quiet" onClick={() => choose("override")}>
              {text.override}
            </Button>
          ) : null}
          <Button
            ref={apply}
            kind={(way === "request" ? props.requestAnyway : mustForce || way === "override") ? "danger" : "primary"}
            disabled={plan === null || isUndecided || isIdle}
            pending={pending}
            onClick={send}
          >
            {way === "request"
              ? props.requestAnyway
                ? text.requestAnyway
                : text.requestReview
              : mustForce
                ? text.force
                : way === "override"
                  ? text.overrideNow
                  : text.apply}{" "}
            <kbd>{keys}</kbd>
          </Button>
        </>
      }
    >
      <div ref={fields} className={styles["stack"]} data-fits>
        {isUndecided ? <ClashList clashes={clashes} onDecided={() => apply.current?.focus()} /> : null}
        {plan === null ? <Problems problems={props.problems} /> : null}
        {outdated ? (
          <section className={styles["outdated"]} aria-label={text.outdatedPlan}>
            <p>{text.outdatedPlan}</p>
            <Patch lines={planLines(outdated)} place={place} />
          </section>
        ) : null}
        {isIdle ? <Notice kind="info">{text.idle}</Notice> : plan ? <Patch lines={lines} place={place} /> : null}
        <Warnings warnings={plan?.warnings ?? []} />
        <ReverseChanges changes={plan?.reverse ?? []} ticked={props.reverse} onTick={props.onReverse} />
        {oldTtl === null || oldTtl === 0 ? null : (
          <p className={styles["muted"]}>{text.resolvers(formatTtl(oldTtl))}</p>
        )}
        {way === "request" ? (
          <RequestFields
            value={request}
            onValue={setRequest}
            error={error}
            titleMissing={isMissing && request.title.trim() === ""}
          />
        ) : null}
      </div>
    </Dialog>
  );
}

/** As many warnings fit beside the changes. */
const fewWarnings = 4;

/** What the service has to say about a plan. Many warnings scroll by themselves. */
function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  const scrolls = warnings.length > fewWarnings;
  return (
    <div
      className={styles["warnings"]}
      {...(scrolls && { tabIndex: 0, role: "group", "aria-label": text.warnings(formatNumber(warnings.length)) })}
    >
      {warnings.map((warning) => (
        <p key={warning} className={styles["say"]}>
          <TriangleAlert aria-hidden />
          <span>{warning}</span>
        </p>
      ))}
    </div>
  );
}

/** Why there is no plan to apply. */
function PlanState({ check, problems }: Pick<ReviewProps, "check" | "problems">) {
  if (check.state === "planned") return text.checking;
  if (check.state !== "refused") return <CheckText check={check} />;
  return problems.length > 0 ? (
    <span className={styles["del"]}>{text.faults(formatNumber(problems.length))}</span>
  ) : null;
}

/** What keeps a draft from being applied. */
function Problems({ problems }: Pick<ReviewProps, "problems">) {
  if (problems.length === 0) return null;
  return (
    <Notice kind="error">
      <p>{text.refusedNow}</p>
      <ul>
        {problems.slice(0, shownProblems).map(({ owner, message }) => (
          <li key={`${owner} ${message}`}>
            {owner === null ? null : <b>{owner}</b>} {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

interface ClashListProps {
  clashes: Clashes;
  onDecided: () => void;
}

/** What others did to the draft's records, with the choice for each. */
function ClashList({ clashes: { all, keepMine, takeTheirs }, onDecided }: ClashListProps) {
  const decide = (how: typeof keepMine, chosen: readonly ShownClash[]) => {
    how(chosen);
    onDecided();
  };
  const section = useRef<HTMLElement>(null);
  // When the review opens, its button has the focus; what appears later takes it.
  useEffect(() => section.current?.focus(), []);
  return (
    <section
      ref={section}
      tabIndex={-1}
      className={styles["clashes"]}
      aria-label={text.clashes(formatNumber(all.length))}
    >
      <p>{text.clashesHint}</p>
      {all.length > 1 ? (
        <div className={styles["choices"]}>
          <Button onClick={() => decide(keepMine, all)}>{text.keepAllMine}</Button>
          <Button onClick={() => decide(takeTheirs, all)}>{text.takeAllTheirs}</Button>
        </div>
      ) : null}
      <ul>
        {all.slice(0, shownClashes).map((clash) => {
          const { name, recordType } = clash.edit.before;
          const owner = `${name} ${recordType}`;
          return (
            <li key={clash.key}>
              <span>
                <b>{owner}</b> {clash.message}
              </span>
              <span className={styles["choices"]}>
                <Button aria-label={`${clash.keepLabel}: ${owner}`} onClick={() => decide(keepMine, [clash])}>
                  {clash.keepLabel}
                </Button>
                <Button aria-label={`${clash.takeLabel}: ${owner}`} onClick={() => decide(takeTheirs, [clash])}>
                  {clash.takeLabel}
                </Button>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface ReasonProps {
  isOverride: boolean;
  isMissing: boolean;
  value: string;
  onValue: (value: string) => void;
}

/** Why the change is made. */
function Reason({ isOverride, isMissing, value, onValue }: ReasonProps) {
  if (isOverride) {
    const missing = isMissing ? text.overrideReasonMissing : null;
    return <TextField label={text.overrideReason} maxLength={500} value={value} onValue={onValue} error={missing} />;
  }
  return (
    <input
      className={field["input"]}
      aria-label={text.reason}
      placeholder={text.reason}
      maxLength={500}
      value={value}
      autoComplete="off"
      onChange={(event) => onValue(event.target.value)}
    />
  );
}

interface ReverseChangesProps {
  changes: Plan["reverse"];
  ticked: readonly string[];
  onTick: (addresses: readonly string[]) => void;
}

/** The PTR records that follow, or that are offered to follow. */
function ReverseChanges({ changes, ticked, onTick }: ReverseChangesProps) {
  if (changes.length === 0) return null;
  return (
    <section className={styles["patch"]}>
      <h3>{text.reverse}</h3>
      {changes.map(({ address, domainName, action, record, before, included, reason }) => {
        const chosen = ticked.includes(address);
        const fixed = reason !== null || (included && !chosen);
        const target = (action === "delete" ? before : record)?.value ?? "";
        return (
          <label key={`${address} ${action} ${target}`} className={styles["reverse"]}>
            <input
              type="checkbox"
              checked={included || chosen}
              disabled={fixed}
              onChange={() => onTick(chosen ? ticked.filter((each) => each !== address) : [...ticked, address])}
            />
            <span>
              {action === "delete" ? "−" : action === "create" ? "+" : "~"} {address} → {target}
              {domainName === null ? null : <em> {domainName}</em>}
              {reason === null ? null : <em> {reason}</em>}
            </span>
          </label>
        );
      })}
    </section>
  );
}
