import type { RouterInputs } from "@zonewright/client";
import { useState } from "react";
import { client, queries } from "../api.ts";
import { zoneWords } from "../words/zone.ts";
import { reviewedPlan } from "./patch.ts";
import { ReviewedDialog, UnmadeNotice, withUnmade, type Unmade } from "./reviewed-dialog.tsx";
import { changeSetOf, sayChanged } from "./several-zones.ts";
import { refreshRecords, zoneName, type Zone } from "./use-zone.ts";

const text = zoneWords;

type RestoreOptions = Omit<RouterInputs["snapshots"]["restore"], "id" | "revision">;

interface RestoreProps {
  zone: Zone;
  to: { snapshotId: string } | { revision: number };
  /** How the page calls it, such as “Snapshot 3”. */
  what: string;
  onClose: () => void;
}

/** Shows what brings a zone back to a snapshot or a revision, and does it. */
export function RestoreDialog({ zone, to, what, onClose }: RestoreProps) {
  const { id } = zone;
  const restore = async (options: RestoreOptions, signal?: AbortSignal) =>
    "revision" in to
      ? await client.snapshots.restore.mutate({ id, ...to, ...options }, { signal })
      : await client.snapshots.rollback.mutate({ id, ...to, ...options }, { signal });
  const [failed, setFailed] = useState<readonly Unmade[]>([]);
  return (
    <ReviewedDialog
      place={zone}
      title={text.restoreTitle(what)}
      description={text.restoreHint}
      queryKey={["restore-plan", id, to, zone.revision]}
      plan={async (signal) => {
        const result = await restore({ dryRun: true }, signal);
        return withUnmade(reviewedPlan(result.plan, result.planHash), result.failed, text.notRestored);
      }}
      nothing={text.same}
      label={text.restoreNow}
      anyway={text.restoreAnyway}
      perform={async (confirmed) => {
        const result = await restore(confirmed);
        await refreshRecords(zone);
        if (result.failed.length > 0) {
          setFailed(result.failed);
          return;
        }
        const changeSetId = await changeSetOf(id, result.revision);
        sayChanged({ domainId: id, domainName: zoneName(zone), changeSetId }, text.restored(what));
        await queries.invalidateQueries({ queryKey: ["history", id] });
        onClose();
      }}
      onClose={onClose}
    >
      <UnmadeNotice failed={failed} say={text.restoredPartly} />
    </ReviewedDialog>
  );
}
