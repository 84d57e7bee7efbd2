import { useUser } from "../session/current-user.ts";
import { useTitle } from "../ui/page.tsx";
import { Notice } from "../ui/notice.tsx";
import { zoneWords } from "../words/zone.ts";
import { useManages } from "./rights.ts";
import { Delegation } from "./settings/delegation.tsx";
import { Mirrors } from "./settings/mirrors.tsx";
import { Organization } from "./settings/organization.tsx";
import { Provider } from "./settings/provider.tsx";
import { Registration } from "./settings/registration.tsx";
import { Removal } from "./settings/removal.tsx";
import { Reviews } from "./settings/reviews.tsx";
import { Rules } from "./settings/rules.tsx";
import { Secondaries } from "./settings/secondaries.tsx";
import { Snapshots } from "./settings/snapshots.tsx";
import { useZone, zoneName } from "./use-zone.ts";
import styles from "./zone.module.css";

const text = zoneWords;

/** Everything about a domain but its records and who may change them. */
export function SettingsPage() {
  const zone = useZone();
  const user = useUser();
  const manages = useManages(zone);
  useTitle(`${text.settingsTab} · ${zoneName({ ...zone, name: zone.nameUnicode })}`);
  if (!manages) {
    return (
      <div className={styles["page"]}>
        <Notice kind="info">{text.notYours}</Notice>
      </div>
    );
  }
  return (
    <div className={styles["page"]}>
      <Registration zone={zone} />
      <Provider zone={zone} />
      <Mirrors zone={zone} />
      <Secondaries zone={zone} />
      <Delegation zone={zone} />
      <Snapshots zone={zone} />
      <Rules zone={zone} />
      {user.role === "admin" ? <Reviews zone={zone} /> : null}
      <Organization zone={zone} />
      <Removal zone={zone} />
    </div>
  );
}
