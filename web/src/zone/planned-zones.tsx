import type { RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { forPeople } from "../ui/for-people.ts";
import { Notice } from "../ui/notice.tsx";
import { Pager } from "../ui/pager.tsx";
import { zoneWords } from "../words/zone.ts";
import { ChangeCounts } from "./change-counts.tsx";
import { planLines } from "./patch.ts";
import { Patch } from "./patch-view.tsx";
import styles from "./planned.module.css";

const text = zoneWords.applying;

export type PlannedZone = RouterOutputs["replacements"]["plan"]["domains"][number];

/** Zones on a page. */
const shownZones = 100;
/** Zones whose changes are open at first. */
const opened = 3;

/** Zones that somebody must look at come first: refused ones, and those with warnings. */
const rank = ({ error, warnings }: PlannedZone) => (error === null ? (warnings.length > 0 ? 1 : 2) : 0);

/** What a plan does in each of many zones. */
export function PlannedZones({ zones }: { zones: readonly PlannedZone[] }) {
  const [page, setPage] = useState(1);
  const ranked = zones.toSorted((one, other) => rank(one) - rank(other));
  return (
    <>
      <ul className={styles["domains"]}>
        {ranked.slice((page - 1) * shownZones, page * shownZones).map((domain, index) => (
          <li key={domain.domainId}>
            <details open={index < opened || domain.warnings.length > 0}>
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
                  <Patch lines={planLines(domain)} place={domain} />
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
      </ul>
      <Pager page={page} pages={Math.ceil(zones.length / shownZones)} isKnown onPage={setPage} />
    </>
  );
}
