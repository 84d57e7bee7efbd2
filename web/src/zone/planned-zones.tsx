import type { RouterOutputs } from "@zonewright/client";
import { forPeople } from "../ui/for-people.ts";
import { formatNumber } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { zoneWords } from "../words/zone.ts";
import { ChangeCounts } from "./change-counts.tsx";
import { planLines } from "./patch.ts";
import { Patch } from "./patch-view.tsx";
import styles from "./planned.module.css";

const text = zoneWords.applying;

export type PlannedZone = RouterOutputs["replacements"]["plan"]["domains"][number];

/** More zones than anybody reads; the counts say how many there are. */
const shownZones = 100;
/** Zones whose changes are open at first. */
const opened = 3;

/** What a plan does in each of many zones. */
export function PlannedZones({ zones }: { zones: readonly PlannedZone[] }) {
  return (
    <ul className={styles["domains"]}>
      {zones.slice(0, shownZones).map((domain, index) => (
        <li key={domain.domainId}>
          <details open={index < opened}>
            <summary>
              <span className={styles["domain"]}>{domain.domainName}</span>
              {domain.error === null ? (
                <ChangeCounts
                  creates={domain.creates.length}
                  updates={domain.updates.length}
                  deletes={domain.deletes.length}
                />
              ) : (
                <span className={styles["bad"]}>{text.cannot}</span>
              )}
            </summary>
            <div className={styles["changes"]}>
              {domain.error === null ? (
                <Patch lines={planLines(domain)} />
              ) : (
                <Notice kind="error">{forPeople(domain.error)}</Notice>
              )}
              {domain.warnings.map((warning) => (
                <Notice key={warning} kind="warning">
                  {forPeople(warning)}
                </Notice>
              ))}
            </div>
          </details>
        </li>
      ))}
      {zones.length > shownZones ? (
        <li className={styles["inset"]}>{text.moreDomains(formatNumber(zones.length - shownZones))}</li>
      ) : null}
    </ul>
  );
}
