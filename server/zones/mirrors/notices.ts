import { qualifiedName } from "../../dns/names/names.ts";
import type { TypedNotice } from "../../notifications/notify.ts";

/** A mirror whose state changed. */
export interface MirrorSubject {
  mirrorId: string;
  domain: { id: string; name: string; view: string; ownerId: string | null };
  /** The name of its provider configuration. */
  configName: string;
}

/** Returns the notice that a mirror fails, or that it follows its domain again. @param error why it fails; null: it recovered */
export function mirrorNotice(
  { mirrorId, domain, configName }: MirrorSubject,
  error: string | null,
): TypedNotice<"mirror.failing" | "mirror.recovered"> {
  const name = qualifiedName(domain);
  const failing = error !== null;
  return {
    event: failing ? "mirror.failing" : "mirror.recovered",
    title: failing ? `${configName} does not follow ${name}` : `${configName} follows ${name} again`,
    content: failing
      ? `Changes to ${name} are not reaching its mirror ${configName}: ${error} Zonewright keeps retrying.`
      : `The mirror ${configName} has the newest records of ${name}.`,
    level: failing ? "warning" : "success",
    metadata: { domainId: domain.id, domainName: name, mirrorId, configName, error },
    to: { userIds: domain.ownerId === null ? [] : [domain.ownerId], administrators: true },
  };
}
