import { client, issueOf } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { useUserNames } from "../session/use-user-names.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/field.tsx";
import { Failure } from "../ui/notice.tsx";
import { Card, useTitle } from "../ui/page.tsx";
import { PersonField } from "../ui/person-field.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { words } from "../words/words.ts";
import { zoneWords } from "../words/zone.ts";
import { Assignments } from "./access/assignments.tsx";
import { OwnAccess } from "./access/own-access.tsx";
import { OpenRequests, OwnRequests } from "./access/requests.tsx";
import { useOwner } from "./use-owner.ts";
import { storeZone, useZone, useZoneName, zoneName, type Zone } from "./use-zone.ts";
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

function Owner({ zone }: { zone: Zone }) {
  const user = useUser();
  return (
    <Card title={text.owner}>{user.role === "admin" ? <OwnerForm zone={zone} /> : <OwnerName zone={zone} />}</Card>
  );
}

function OwnerName({ zone: { ownerId } }: { zone: Zone }) {
  const user = useUser();
  const names = useUserNames(ownerId === null ? [] : [ownerId]);
  const sentence =
    ownerId === null ? text.noOwner : ownerId === user.id ? text.ownerYou : text.ownerOther(names.get(ownerId) ?? "…");
  return <p>{sentence}</p>;
}

function OwnerForm({ zone }: { zone: Zone }) {
  const name = useZoneName();
  const owner = useOwner(zone);
  const save = useAction(async () => {
    if (owner.id === undefined) return;
    storeZone(name, await client.domains.update.mutate({ id: zone.id, ownerId: owner.id }));
    toast({ title: text.saved });
    owner.reset();
  });
  return (
    <Form
      onSubmit={() => {
        owner.check();
        void save.run();
      }}
    >
      <PersonField {...owner.field} error={owner.problem ?? issueOf(save.error, "ownerId")} />
      {issueOf(save.error, "ownerId") === null ? <Failure error={save.error} /> : null}
      <div className={styles["actions"]}>
        <Button type="submit" kind="primary" disabled={owner.id === zone.ownerId} pending={save.pending}>
          {words.ui.save}
        </Button>
      </div>
    </Form>
  );
}
