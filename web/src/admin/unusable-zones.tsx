import type { RouterOutputs } from "@zonewright/client";
import { TriangleAlert } from "lucide-react";
import { formatNumber } from "../ui/format.ts";
import { adminWords } from "../words/admin.ts";
import styles from "./unusable-zones.module.css";

const text = adminWords.zones;

/** More are listed only on demand. */
const few = 5;
const most = 200;

/** Zones at a provider that cannot be managed, each with the reason. */
export function UnusableZones({ zones }: { zones: RouterOutputs["providerConfigs"]["zones"]["unusable"] }) {
  if (zones.length === 0) return null;
  return (
    <details className={styles["unusable"]} open={zones.length <= few}>
      <summary>
        <TriangleAlert aria-hidden />
        {text.unusable(zones.length)}
      </summary>
      <ul>
        {zones.slice(0, most).map(({ name, reason }) => (
          <li key={name}>
            <code>{name}</code> {reason}
          </li>
        ))}
        {zones.length > most ? <li>{text.andMore(formatNumber(zones.length - most))}</li> : null}
      </ul>
    </details>
  );
}
