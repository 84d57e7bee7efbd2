import { useState } from "react";
import { client, queries } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { formatNumber } from "../ui/format.ts";
import { zoneWords } from "../words/zone.ts";
import { reviewedPlan } from "./patch.ts";
import { ReviewedDialog, UnmadeNotice, withUnmade, type Unmade } from "./reviewed-dialog.tsx";
import { changeSetOf, sayChanged } from "./several-zones.ts";
import { refreshRecords, zoneName, type Zone } from "./use-zone.ts";

const text = zoneWords;

interface SyncProps {
  zone: Zone;
  onClose: () => void;
}

/** Ends the differences between a zone and its provider: takes over the provider's records, or writes ours over them. */
export function SyncDialog(props: SyncProps) {
  const [pushes, setPushes] = useState(false);
  return pushes ? (
    <PushDialog {...props} onOther={() => setPushes(false)} />
  ) : (
    <AdoptDialog {...props} onOther={() => setPushes(true)} />
  );
}

interface OneWayProps extends SyncProps {
  /** Shows the other way. */
  onOther: () => void;
}

/** What a sync would take over from the provider, and the way to do it. */
function AdoptDialog({ zone, onClose, onOther }: OneWayProps) {
  const { id } = zone;
  return (
    <ReviewedDialog
      place={zone}
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
      other={<Button onClick={onOther}>{text.pushInstead}</Button>}
      perform={async ({ planHash, force, unlock, message }) => {
        const { created, updated, deleted, revision } = await client.domains.sync.mutate({
          id,
          planHash,
          force,
          unlock,
          message,
        });
        const changeSetId = await changeSetOf(id, revision);
        await refreshRecords(zone);
        await queries.invalidateQueries({ queryKey: ["history", id] });
        const counts = text.counts(formatNumber(created), formatNumber(updated), formatNumber(deleted));
        sayChanged({ domainId: id, domainName: zoneName(zone), changeSetId }, text.synced(counts));
        onClose();
      }}
      onClose={onClose}
    />
  );
}

/** What a push would change at the provider, and the way to do it. */
function PushDialog({ zone, onClose, onOther }: OneWayProps) {
  const { id } = zone;
  const [failed, setFailed] = useState<readonly Unmade[]>([]);
  return (
    <ReviewedDialog
      place={zone}
      title={text.pushTitle}
      description={text.pushHint}
      queryKey={["push-plan", id, zone.revision]}
      plan={async (signal) => {
        const result = await client.domains.push.mutate({ id, dryRun: true }, { signal });
        return withUnmade(reviewedPlan(result.plan, result.planHash), result.failed, text.notPushed);
      }}
      nothing={text.nothingToPush}
      label={text.push}
      anyway={text.pushAnyway}
      other={<Button onClick={onOther}>{text.syncInstead}</Button>}
      perform={async (confirmed) => {
        const { created, updated, deleted, changeSetId, ...result } = await client.domains.push.mutate({
          id,
          ...confirmed,
        });
        await refreshRecords(zone);
        await queries.invalidateQueries({ queryKey: ["history", id] });
        if (result.failed.length > 0) {
          setFailed(result.failed);
          return;
        }
        const counts = text.counts(formatNumber(created), formatNumber(updated), formatNumber(deleted));
        sayChanged({ domainId: id, domainName: zoneName(zone), changeSetId }, text.pushed(counts));
        onClose();
      }}
      onClose={onClose}
    >
      <UnmadeNotice failed={failed} say={text.pushedPartly} />
    </ReviewedDialog>
  );
}
