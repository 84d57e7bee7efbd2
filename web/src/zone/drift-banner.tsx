import { lazy, Suspense, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { patiently } from "../ui/patiently.ts";
import { zoneWords } from "../words/zone.ts";
import { useManages } from "./rights.ts";
import type { Zone } from "./use-zone.ts";
import styles from "./zone.module.css";

const SyncDialog = lazy(patiently(async () => ({ default: (await import("./sync-dialog.tsx")).SyncDialog })));

const text = zoneWords;

/** What the provider has and the records here lack, with the way to take it over. */
export function DriftBanner({ zone }: { zone: Zone }) {
  const manages = useManages(zone);
  const [open, setOpen] = useState(false);
  const { drift, driftError } = zone;
  // An error may arrive while a person reads the difference: then the dialog stays.
  return (
    <>
      {driftError !== null ? (
        <div className={styles["banner"]}>
          <Notice kind="error">{text.driftError(driftError)}</Notice>
        </div>
      ) : drift ? (
        <div className={styles["banner"]}>
          <Notice
            kind="warning"
            action={manages ? <Button onClick={() => setOpen(true)}>{text.showDrift}</Button> : null}
          >
            {text.drift(drift.created, drift.updated, drift.deleted)}
          </Notice>
        </div>
      ) : null}
      <Suspense fallback={null}>{open ? <SyncDialog zone={zone} onClose={() => setOpen(false)} /> : null}</Suspense>
    </>
  );
}
