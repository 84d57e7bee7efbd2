import { useQuery } from "@tanstack/react-query";
import { Eye, Pencil } from "lucide-react";
import { useUser } from "../../session/current-user.ts";
import { formatDay } from "../../ui/format.ts";
import { Failure } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { zoneWords } from "../../words/zone.ts";
import { assignmentsOf, recordsText } from "../own-rights.ts";
import type { Zone } from "../use-zone.ts";
import styles from "../zone.module.css";
import own from "./access.module.css";

const text = zoneWords;

const deeds = { read: text.mayRead, propose: text.mayPropose, write: text.mayWrite } as const;

/** What a member may do in a domain. */
export function OwnAccess({ zone }: { zone: Zone }) {
  const user = useUser();
  const owns = zone.ownerId === user.id;
  const { data, error } = useQuery({
    queryKey: ["assignments", zone.id, "own"],
    queryFn: async ({ signal }) => await assignmentsOf(zone, user, signal),
    enabled: !owns,
  });
  return (
    <Card title={text.yourAccess}>
      {owns ? <p>{text.ownerYou}</p> : null}
      <Failure error={error} />
      {data?.length === 0 ? <p>{text.yourAccessNone}</p> : null}
      {data && data.length > 0 ? (
        <ul className={`${styles["list"]} ${own["grants"]}`}>
          {data.map(({ id, access, subdomainPattern, recordTypes, expiresAt }) => (
            <li key={id}>
              {access !== "read" ? <Pencil aria-hidden /> : <Eye aria-hidden />}
              {deeds[access](recordsText({ subdomainPattern, recordTypes }))}
              {expiresAt === null ? null : ` (${text.until(formatDay(expiresAt))})`}
            </li>
          ))}
        </ul>
      ) : null}
    </Card>
  );
}
