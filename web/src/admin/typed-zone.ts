import { useQuery } from "@tanstack/react-query";
import { useSettled } from "../ui/use-settled.ts";
import { zoneQuery } from "../zone/use-zone.ts";

const typingPause = 250;

/** The zone of a filter, as it is typed: its id once a zone has this name. */
export function useTypedZone(zone: string | undefined) {
  const typed = useSettled(zone?.trim() ?? "", typingPause);
  const { data, error } = useQuery({ ...zoneQuery(typed), enabled: typed !== "" });
  const id = typed !== "" && data?.kind === "found" ? data.zone.id : undefined;
  return {
    id,
    error,
    isUnknown: typed !== "" && typed === zone?.trim() && data !== undefined && id === undefined,
    /** Whether nothing is typed, or it names a zone. */
    isReady: zone === undefined || id !== undefined,
  };
}
