import { Link } from "@tanstack/react-router";
import { isZonewrightError, type RouterInputs } from "@zonewright/client";
import { useState } from "react";
import { client, messageOf } from "../api.ts";
import { forPeople } from "../ui/for-people.ts";
import { formatNumber } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { templatesWords } from "../words/templates.ts";
import { ApplyForm } from "../zone/apply-form.tsx";
import { PlannedZones, type PlannedZone } from "../zone/planned-zones.tsx";
import { refreshZones, sayApplied, type ChangedZone } from "../zone/say-applied.ts";
import styles from "./templates.module.css";

const text = templatesWords;
/** Zones that are planned at a time: a browser has six connections. */
const atOnce = 4;

/** What is planned in every zone: the request without the zone. */
export type ZonesRequest = Omit<RouterInputs["templates"]["plan"], "id">;

/** The plan of a template in one of several zones. */
export interface ZonePlan extends PlannedZone {
  planHash: string | null;
}

/** Plans a template in several zones. A zone whose plan is refused says why. */
export async function planZones(
  zones: readonly { id: string; name: string }[],
  request: ZonesRequest,
): Promise<ZonePlan[]> {
  const plans = new Map<string, ZonePlan>();
  const left = zones.values();
  const work = async () => {
    for (const { id, name } of left) plans.set(id, await planZone({ domainId: id, domainName: name }, request));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return zones.flatMap(({ id }) => plans.get(id) ?? []);
}

async function planZone(named: { domainId: string; domainName: string }, request: ZonesRequest): Promise<ZonePlan> {
  try {
    const plan = await client.templates.plan.mutate({ ...request, id: named.domainId });
    const { creates, updates, deletes, planHash, conflicts } = plan;
    const lost = conflicts.length === 0 ? [] : [text.conflicts(conflicts.length, formatNumber(conflicts.length))];
    return { ...named, creates, updates, deletes, planHash, warnings: [...lost, ...plan.warnings], error: null };
  } catch (error) {
    // Only the service refuses; without an answer there is no plan.
    if (!isZonewrightError(error) || error.status === null) throw error;
    const none = { creates: [], updates: [], deletes: [], warnings: [], planHash: null };
    return { ...named, ...none, error: error.issues?.[0]?.message ?? error.message };
  }
}

const isEmpty = ({ creates, updates, deletes }: ZonePlan) => creates.length + updates.length + deletes.length === 0;

/** What became of a zone. */
type Outcome = { revision: number } | { error: string };

interface ZonesPlanProps {
  request: ZonesRequest;
  plans: readonly ZonePlan[];
  linked: boolean;
}

/** Shows what a template changes in several zones, and applies it to one after another. A zone that is refused stops no other one. */
export function ZonesPlan({ request, plans: first, linked }: ZonesPlanProps) {
  const [plans, setPlans] = useState(first);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const isDone = ({ domainId }: ZonePlan) => "revision" in (outcomes.get(domainId) ?? {});
  const able = plans.filter((plan) => plan.error === null && (linked || !isEmpty(plan)));
  const open = able.filter((plan) => !isDone(plan));
  const unchanged = plans.filter((plan) => plan.error === null && isEmpty(plan)).length;
  const refused = plans.filter(({ error }) => error !== null).length;
  const shown = plans.filter((plan) => !isDone(plan) && (plan.error !== null || !isEmpty(plan)));
  const ended = plans.flatMap(({ domainId, domainName }) => {
    const outcome = outcomes.get(domainId);
    return outcome ? [{ domainId, domainName, outcome }] : [];
  });

  const apply = async (said: Parameters<Parameters<typeof ApplyForm>[0]["onApply"]>[0]) => {
    const done = new Map(outcomes);
    const changed: ChangedZone[] = [];
    let asks: unknown = null;
    for (const { domainId, domainName, planHash } of open) {
      if (planHash === null) continue;
      try {
        const input = { ...request, ...said, id: domainId, linked, planHash };
        const { revision } = await client.templates.applyPlan.mutate(input);
        done.set(domainId, { revision });
        changed.push({ domainId, domainName, revision });
      } catch (error) {
        done.set(domainId, { error: isOutdated(error) ? text.overtaken : messageOf(error) });
        if (isZonewrightError(error) && error.code === "CONFIRMATION_REQUIRED") asks ??= error;
        if (isOutdated(error)) {
          const anew = await planZone({ domainId, domainName }, request);
          setPlans((before) => before.map((plan) => (plan.domainId === domainId ? anew : plan)));
        }
      }
      setOutcomes(new Map(done));
    }
    if (changed.length > 0) sayApplied(changed);
    await refreshZones();
    // The form then wants a confirmation, for the zones that are left.
    if (asks !== null) throw asks;
  };

  return (
    <Card title={text.planZonesTitle(plans.length, formatNumber(plans.length))} flush>
      <div className={styles["plan"]}>
        {unchanged > 0 ? <Notice kind="info">{text.unchanged(unchanged, formatNumber(unchanged))}</Notice> : null}
        {refused > 0 ? <Notice kind="warning">{text.refused(refused, formatNumber(refused))}</Notice> : null}
        {ended.length > 0 ? (
          <ul className={styles["outcomes"]} aria-label={text.outcomes}>
            {ended.map(({ domainId, domainName, outcome }) => (
              <li key={domainId}>
                <Link to="/d/$name/records" params={{ name: domainName }} preload={false}>
                  {domainName}
                </Link>{" "}
                {"error" in outcome ? (
                  <span className={styles["bad"]}>{text.notApplied(forPeople(outcome.error))}</span>
                ) : (
                  text.appliedRevision(formatNumber(outcome.revision))
                )}
              </li>
            ))}
          </ul>
        ) : null}
      </div>
      {shown.length > 0 ? <PlannedZones zones={shown} /> : null}
      {open.length > 0 ? (
        <ApplyForm
          planHash={able.map(({ planHash }) => planHash).join(" ")}
          label={text.applyZones(open.length, formatNumber(open.length))}
          onApply={apply}
          onOutdated={async () => undefined}
        />
      ) : null}
    </Card>
  );
}

function isOutdated(error: unknown): boolean {
  return isZonewrightError(error) && error.code === "CONFLICT";
}
