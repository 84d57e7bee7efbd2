import { Link } from "@tanstack/react-router";
import { isZonewrightError, type RouterInputs } from "@zonewright/client";
import { useState } from "react";
import { client, messageOf, queries } from "../api.ts";
import { forPeople } from "../ui/for-people.ts";
import { formatNumber } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { templatesWords } from "../words/templates.ts";
import { ApplyForm } from "../zone/apply-form.tsx";
import { PlannedZones } from "../zone/planned-zones.tsx";
import {
  isEmptyPlan,
  planOf,
  refreshZones,
  reverseFailures,
  reverseWarnings,
  sayApplied,
  type ChangedZone,
  type ZonePlan,
} from "../zone/several-zones.ts";
import styles from "./templates.module.css";

const text = templatesWords;

/** What is planned in every zone: the request without the zone. */
export type ZonesRequest = Omit<RouterInputs["templates"]["plan"], "id">;

/** What a template does in one of several zones. */
export interface TemplatePlan extends ZonePlan {
  /** Whether the zone is linked to the template. */
  linked: boolean;
}

/** Plans a template in a zone. A zone whose plan is refused says why. */
export async function planTemplate(
  zone: Pick<TemplatePlan, "domainId" | "domainName" | "providerId">,
  request: ZonesRequest,
): Promise<TemplatePlan> {
  let linked = false;
  const planned = await planOf(zone, async () => {
    const plan = await client.templates.plan.mutate({ ...request, id: zone.domainId });
    ({ linked } = plan);
    const { creates, updates, deletes, planHash, conflicts } = plan;
    const lost = conflicts.length === 0 ? [] : [text.conflicts(conflicts.length, formatNumber(conflicts.length))];
    return { creates, updates, deletes, planHash, warnings: [...lost, ...plan.warnings, ...reverseWarnings(plan)] };
  });
  return { ...planned, linked };
}

/** What became of a zone. */
type Outcome =
  | { kind: "applied"; revision: number; reverse: readonly string[] }
  | { kind: "linked" }
  | { kind: "refused"; reason: string }
  | { kind: "unknown"; reason: string };

interface ZonesPlanProps {
  request: ZonesRequest;
  plans: readonly TemplatePlan[];
  linked: boolean;
  /** Keeps the plan on the page while it is applied. */
  whileApplying: (work: () => Promise<void>) => Promise<void>;
}

/** Shows what a template changes in several zones, and applies it to one after another. A zone that is refused stops no other one. */
export function ZonesPlan({ request, plans: first, linked, whileApplying }: ZonesPlanProps) {
  const [plans, setPlans] = useState(first);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const isDone = ({ domainId }: ZonePlan) => ["applied", "linked"].includes(outcomes.get(domainId)?.kind ?? "");
  const able = plans.filter((plan) => plan.error === null && (linked || !isEmptyPlan(plan)));
  const open = able.filter((plan) => !isDone(plan));
  const unchanged = plans.filter((plan) => plan.error === null && isEmptyPlan(plan)).length;
  const refused = plans.filter(({ error }) => error !== null).length;
  const shown = plans.filter((plan) => !isDone(plan) && (plan.error !== null || !isEmptyPlan(plan)));
  const ended = plans.flatMap(({ domainId, domainName }) => {
    const outcome = outcomes.get(domainId);
    return outcome ? [{ domainId, domainName, outcome }] : [];
  });

  const apply = async (said: Parameters<Parameters<typeof ApplyForm>[0]["onApply"]>[0]) => {
    const done = new Map(outcomes);
    const changed: ChangedZone[] = [];
    const left = { refused: 0, unknown: 0 };
    let asks: unknown = null;
    for (const plan of open) {
      const { domainId, domainName, planHash } = plan;
      if (planHash === null) continue;
      try {
        const input = { ...request, ...said, id: domainId, linked, planHash };
        const before = await appliedIn(domainId);
        const answer = await client.templates.applyPlan.mutate(input);
        const { revision, changeSetId, applied } = answer;
        // Without changes, the revision is that of an earlier change.
        if (changeSetId === null) done.set(domainId, { kind: "linked" });
        else {
          done.set(domainId, { kind: "applied", revision, reverse: reverseFailures(answer) });
          const alsoUndo = applied ? () => forget(domainId, applied.id, before) : undefined;
          changed.push({ domainId, domainName, changeSetId, alsoUndo });
        }
      } catch (error) {
        const outcome = failed(error);
        done.set(domainId, outcome);
        left[outcome.kind] += 1;
        if (isZonewrightError(error) && error.code === "CONFIRMATION_REQUIRED") asks ??= error;
        if (isOutdated(error) || outcome.kind === "unknown") {
          // Without a new plan the present one stays. Its hash keeps it from being applied twice.
          const again = await planTemplate(plan, request).catch(() => plan);
          const anew = outcome.kind === "unknown" && again.error !== null ? plan : again;
          setPlans((before) => before.map((each) => (each.domainId === domainId ? anew : each)));
        }
      }
      setOutcomes(new Map(done));
    }
    if (changed.length > 0) sayApplied(changed, summary(changed.length, left));
    await refreshZones();
    // The form then wants a confirmation, for the zones that are left.
    if (asks !== null) throw asks;
  };

  return (
    <Card title={text.planZonesTitle(plans.length, formatNumber(plans.length))} flush>
      <div className={styles["plan"]}>
        {unchanged > 0 ? <Notice kind="info">{text.unchanged(unchanged, formatNumber(unchanged))}</Notice> : null}
        {refused > 0 ? (
          <Notice kind="warning">
            {text.refused(refused, formatNumber(refused))}
            {open.length > 0 ? ` ${text.othersOpen}` : ""}
          </Notice>
        ) : null}
        {ended.length > 0 ? (
          <ul className={styles["outcomes"]} aria-label={text.outcomes}>
            {ended.map(({ domainId, domainName, outcome }) => (
              <li key={domainId}>
                <Link to="/d/$name/records" params={{ name: domainName }} preload={false}>
                  {domainName}
                </Link>{" "}
                <span className={"reason" in outcome ? styles["bad"] : undefined}>{sentence(outcome)}</span>
              </li>
            ))}
          </ul>
        ) : null}
      </div>
      {shown.length > 0 ? <PlannedZones zones={linked ? shown : shown.map(withEndOfLink)} /> : null}
      {open.length > 0 ? (
        <ApplyForm
          planHash={able.map(({ planHash }) => planHash).join(" ")}
          label={text.applyZones(open.length, formatNumber(open.length))}
          onApply={(said) => whileApplying(() => apply(said))}
          onOutdated={async () => undefined}
        />
      ) : null}
    </Card>
  );
}

/** Returns what a zone remembers of templates, by id; null if that cannot be read as a whole. */
export async function appliedIn(domainId: string): Promise<ReadonlySet<string> | null> {
  const asked = client.templates.listApplied.query({ id: domainId, limit: 100 });
  const { templates, total } = await asked.catch(() => ({ templates: [], total: Infinity }));
  return templates.length < total ? null : new Set(templates.map(({ id }) => id));
}

/** Forgets a template that the zone did not have before. What a zone remembered of an earlier time is overwritten. @returns whether it could */
export async function forget(
  domainId: string,
  appliedId: string,
  before: ReadonlySet<string> | null,
): Promise<boolean> {
  if (before === null || before.has(appliedId)) return false;
  await client.templates.unlink.mutate({ id: domainId, appliedId });
  await queries.invalidateQueries({ queryKey: ["templates", "applied", domainId] });
  return true;
}

function failed(error: unknown): Extract<Outcome, { reason: string }> {
  if (isOutdated(error)) return { kind: "refused", reason: text.overtaken };
  // The service refuses with an answer. What a proxy answers says nothing about the service.
  const isAnswered = isZonewrightError(error) && error.status !== null && error.code !== "UNEXPECTED_ANSWER";
  return { kind: isAnswered ? "refused" : "unknown", reason: messageOf(error) };
}

function sentence(outcome: Outcome): string {
  switch (outcome.kind) {
    case "applied":
      return [text.appliedRevision(formatNumber(outcome.revision)), ...outcome.reverse].join(". ");
    case "linked":
      return text.linkedOnly;
    case "refused":
      return text.notApplied(forPeople(outcome.reason));
    default:
      return text.notKnown(forPeople(outcome.reason));
  }
}

/** Returns how many zones were changed and how many were not. */
function summary(changed: number, { refused, unknown }: { refused: number; unknown: number }): string {
  return [
    text.changedZones(changed, formatNumber(changed)),
    ...(refused > 0 ? [text.refusedZones(formatNumber(refused))] : []),
    ...(unknown > 0 ? [text.unknownZones(formatNumber(unknown))] : []),
  ].join(", ");
}

/** Adds a warning to the plan of a zone that loses its link. */
function withEndOfLink(plan: TemplatePlan): TemplatePlan {
  return plan.linked ? { ...plan, warnings: [text.endsLink, ...plan.warnings] } : plan;
}

function isOutdated(error: unknown): boolean {
  return isZonewrightError(error) && error.code === "CONFLICT";
}
