import { Card, useTitle } from "../ui/page.tsx";
import { useUser } from "../session/current-user.ts";
import { useUserNames } from "../session/use-user-names.ts";
import { zoneWords } from "../words/zone.ts";
import { Assignments } from "./access/assignments.tsx";
import { OwnAccess } from "./access/own-access.tsx";
import { OpenRequests, OwnRequests } from "./access/requests.tsx";
import { useZone, zoneName, type Zone } from "./use-zone.ts";
import styles from "./zone.module.css";

const text = zoneWords;

/** Who may see and change what in a domain. */
export function AccessPage() {
  const zone = useZone();
  const user = useUser();
  useTitle(`${text.accessTab} · ${zoneName({ ...zone, name: zone.nameUnicode })}`);
  if (user.role !== "member") {
    return (
      <div className={styles["page"]}>
        {user.role === "admin" ? <OpenRequests zone={zone} /> : null}
        <Assignments zone={zone} />
        <Owner zone={zone} />
      </div>
    );
  }
  return (
    <div className={styles["page"]}>
      <OwnAccess zone={zone} />
      <OwnRequests zone={zone} />
    </div>
  );
}

function Owner({ zone: { ownerId } }: { zone: Zone }) {
  const user = useUser();
  const names = useUserNames(ownerId === null ? [] : [ownerId]);
  const sentence =
    ownerId === null ? text.noOwner : ownerId === user.id ? text.ownerYou : text.ownerOther(names.get(ownerId) ?? "…");
  return (
    <Card title={text.owner}>
      <p>{sentence}</p>
    </Card>
  );
}
