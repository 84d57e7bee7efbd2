import { useQuery } from "@tanstack/react-query";
import { useSettled } from "../ui/use-settled.ts";
import { zoneQuery, type FoundZone } from "../zone/use-zone.ts";

const typingPause = 250;

/** Why a name that is typed names no zone. */
export type ZoneFault = Exclude<FoundZone["kind"], "found">;

/** The zone of a filter, as it is typed: its id once a zone has this name. */
export function useTypedZone(zone: string | undefined) {
  const typed = zone?.trim() ?? "";
  const settled = useSettled(typed, typingPause);
  const { data, error } = useQuery({ ...zoneQuery(settled), enabled: settled !== "" });
  // What is known of the letters before is not of this name.
  const found = typed !== "" && typed === settled ? data : undefined;
  const fault: ZoneFault | null = found && found.kind !== "found" ? found.kind : null;
  const id = found?.kind === "found" ? found.zone.id : undefined;
  const failure = typed !== "" && typed === settled ? error : null;
  return {
    id,
    fault,
    error: failure,
    /** Whether nothing is typed, or it names a zone. */
    isReady: typed === "" || id !== undefined,
    /** Whether no rows are of this zone; while it is looked for, those before it stay. */
    isUnknown: fault !== null || failure !== null,
    /** Part of a query's key: without it, a zone that is looked for would have the rows of all zones. */
    key: id ?? typed,
  };
}
