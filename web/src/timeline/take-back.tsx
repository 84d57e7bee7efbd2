import { client, queries } from "../api.ts";
import { formatNumber } from "../ui/format.ts";
import { timelineWords } from "../words/timeline.ts";
import { reviewedPlan } from "../zone/patch.ts";
import { ReviewedDialog } from "../zone/reviewed-dialog.tsx";
import { sayChanged } from "../zone/several-zones.ts";
import { refreshRecords, zoneName, type Zone } from "../zone/use-zone.ts";
import { useTitle } from "./entry.tsx";
import type { ChangeSet } from "./may-take-back.ts";

const text = timelineWords;

interface TakeBackProps {
  zone: Zone;
  entry: ChangeSet;
  onClose: () => void;
}

/** Shows what undoes a change, and does it. */
export function TakeBack({ zone, entry, onClose }: TakeBackProps) {
  const { id } = zone;
  const { id: changeSetId } = entry;
  return (
    <ReviewedDialog
      place={zone}
      title={text.takeBackTitle(useTitle(entry, zone))}
      description={text.takeBackHint}
      queryKey={["revert-plan", id, changeSetId, zone.revision]}
      plan={async (signal) => {
        const { plan, planHash } = await client.records.revert.mutate({ id, changeSetId, dryRun: true }, { signal });
        return reviewedPlan(plan, planHash);
      }}
      nothing={text.nothing}
      label={text.takeBackNow}
      anyway={text.takeBackAnyway}
      perform={async (confirmed) => {
        const made = await client.records.revert.mutate({ id, changeSetId, ...confirmed });
        onClose();
        sayChanged(
          { domainId: id, domainName: zoneName(zone), changeSetId: made.changeSetId },
          text.takenBack(formatNumber(made.revision)),
        );
        await refreshRecords(zone);
        await queries.invalidateQueries({ queryKey: ["history", id] });
      }}
      onClose={onClose}
    />
  );
}
