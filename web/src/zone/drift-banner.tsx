import { useState } from "react";
import { client } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { formatNumber } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { zoneWords } from "../words/zone.ts";
import { ReviewedDialog } from "./reviewed-dialog.tsx";
import { reviewedPlan } from "./patch.ts";
import { useManages } from "./rights.ts";
import { refreshRecords, type Zone } from "./use-zone.ts";
import styles from "./zone.module.css";

const text = zoneWords;

/** What the provider has and the records here lack, with the way to take it over. */
export function DriftBanner({ zone }: { zone: Zone }) {
  const manages = useManages(zone);
  const [open, setOpen] = useState(false);
  const { drift, driftError } = zone;
  if (driftError !== null) {
    return (
      <div className={styles["banner"]}>
        <Notice kind="error">{text.driftError(driftError)}</Notice>
      </div>
    );
  }
  return (
    <>
      {drift ? (
        <div className={styles["banner"]}>
          <Notice
            kind="warning"
            action={manages ? <Button onClick={() => setOpen(true)}>{text.showDrift}</Button> : null}
          >
            {text.drift(drift.created, drift.updated, drift.deleted)}
          </Notice>
        </div>
      ) : null}
      {open ? <SyncDialog zone={zone} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

/** What a sync would take over from the provider, and the sync. */
export function SyncDialog({ zone, onClose }: { zone: Zone; onClose: () => void }) {
  const { id } = zone;
  return (
    <ReviewedDialog
      title={text.syncTitle}
      description={text.syncHint}
      queryKey={["sync-plan", id, zone.revision]}
      plan={async (signal) => {
        const { plan, planHash } = await client.domains.sync.mutate({ id, dryRun: true }, { signal });
        return reviewedPlan(plan, planHash);
      }}
      nothing={text.inSyncNow}
      label={text.sync}
      anyway={text.syncAnyway}
      perform={async ({ planHash, force, unlock }) => {
        const { created, updated, deleted } = await client.domains.sync.mutate({ id, planHash, force, unlock });
        await refreshRecords(zone);
        toast({ title: text.synced(text.counts(formatNumber(created), formatNumber(updated), formatNumber(deleted))) });
        onClose();
      }}
      onClose={onClose}
    />
  );
}
