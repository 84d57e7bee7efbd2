import type { RouterInputs } from "@zonewright/client";
import { useState } from "react";
import { client, queries } from "../api.ts";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { zoneWords } from "../words/zone.ts";
import { reviewedPlan } from "./patch.ts";
import { ReviewedDialog } from "./reviewed-dialog.tsx";
import { refreshRecords, type Zone } from "./use-zone.ts";
import styles from "./zone.module.css";

const text = zoneWords;

type RestoreOptions = Omit<RouterInputs["snapshots"]["restore"], "id" | "revision">;

interface Unrestored {
  recordType: string;
  name: string;
  value: string;
  error: string;
}

/** As many records that cannot be restored are named before the others are. */
const mostNamed = 20;

function unrestored({ recordType, name, value, error }: Unrestored): string {
  return text.notRestored(`${name} ${recordType} ${value}`, error);
}

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
  const [failed, setFailed] = useState<readonly Unrestored[]>([]);
  return (
    <ReviewedDialog
      title={text.restoreTitle(what)}
      description={text.restoreHint}
      queryKey={["restore-plan", id, to, zone.revision]}
      plan={async (signal) => {
        const result = await restore({ dryRun: true }, signal);
        const reviewed = reviewedPlan(result.plan, result.planHash);
        return { ...reviewed, warnings: [...reviewed.warnings, ...result.failed.slice(0, mostNamed).map(unrestored)] };
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
        toast({ title: text.restored(what) });
        await queries.invalidateQueries({ queryKey: ["history", id] });
        onClose();
      }}
      onClose={onClose}
    >
      {failed.length > 0 ? (
        <Notice kind="warning">
          {text.restoredPartly(failed.length)}
          <ul className={styles["steps"]}>
            {failed.slice(0, 50).map(({ recordType, name, value, error }) => (
              <li key={`${name} ${recordType} ${value}`}>
                <code>{`${name} ${recordType} ${value}`}</code> {error}
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
    </ReviewedDialog>
  );
}
