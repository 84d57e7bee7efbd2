import { client } from "../api.ts";
import { formatNumber } from "../ui/format.ts";
import { toast } from "../ui/toast.tsx";
import { zoneWords } from "../words/zone.ts";
import { reviewedPlan } from "./patch.ts";
import { ReviewedDialog } from "./reviewed-dialog.tsx";
import { refreshRecords, type Zone } from "./use-zone.ts";

const text = zoneWords;

/** What a sync would take over from the provider, and the way to do it. */
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
