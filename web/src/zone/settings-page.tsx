import { useEffect, useRef, useState, type ReactNode } from "react";
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
import { useProviderConfigs } from "./use-provider-configs.ts";
import { useZone, zoneName, type Zone } from "./use-zone.ts";
import styles from "./zone.module.css";

const text = zoneWords;

/** A part of the settings: its name in the list beside them, which is also its fragment of the address. */
interface Part {
  id: string;
  label: string;
  card: ReactNode;
}

/** Everything about a domain but its records and who may change them. */
export function SettingsPage() {
  const zone = useZone();
  const manages = useManages(zone);
  useTitle(`${text.settingsTab} · ${zoneName({ ...zone, name: zone.nameUnicode })}`);
  if (!manages) {
    return (
      <div className={styles["page"]}>
        <Notice kind="info">{text.notYours}</Notice>
      </div>
    );
  }
  return <Parts key={zone.id} zone={zone} />;
}

const part = (id: string, label: string, card: ReactNode): Part => ({ id, label, card });

function Parts({ zone }: { zone: Zone }) {
  const { role } = useUser();
  const kind = useProviderConfigs().find(({ id }) => id === zone.providerConfigId)?.kind;
  const parts = [
    part("registration", text.registration, <Registration zone={zone} />),
    part("provider", text.provider, <Provider zone={zone} />),
    part("mirrors", text.mirrors.title, <Mirrors zone={zone} />),
    ...(kind === "primary" ? [part("secondaries", text.secondaries.title, <Secondaries zone={zone} />)] : []),
    part("delegation", text.delegation, <Delegation zone={zone} manages />),
    part("rules", text.rules, <Rules zone={zone} />),
    ...(role === "admin" ? [part("reviews", text.reviews, <Reviews zone={zone} />)] : []),
    part("organization", text.organization, <Organization zone={zone} />),
    part("removal", text.danger, <Removal zone={zone} />),
  ];
  const current = useCurrentPart(parts);
  const list = useRef<HTMLElement>(null);
  // On phones the list is a line that is wider than the window.
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>(`[href="#${current}"]`);
    if (link) list.current?.scrollTo({ left: link.offsetLeft - (innerWidth - link.offsetWidth) / 2 });
  }, [current]);
  return (
    <div className={styles["parts"]}>
      <nav ref={list} aria-label={text.settingsTab}>
        {parts.map(({ id, label }) => (
          <a key={id} href={`#${id}`} aria-current={id === current ? "location" : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <div className={styles["page"]}>
        {parts.map(({ id, card }) => (
          <div key={id} id={id} className={styles["part"]}>
            {card}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The part that is being read: the last one that begins in the upper third of the window, or the last of all at the end of the page. */
function useCurrentPart(parts: readonly Part[]): string | undefined {
  const ids = parts.map(({ id }) => id).join(" ");
  const [current, setCurrent] = useState(() => location.hash.slice(1) || parts[0]?.id);
  useEffect(() => {
    const known = ids.split(" ");
    const boxOf = (id = "") => document.getElementById(id)?.getBoundingClientRect();
    const follow = () => {
      const last = boxOf(known.at(-1));
      const isEnd = last !== undefined && last.bottom <= innerHeight;
      const begun = known.filter((id) => (boxOf(id)?.top ?? Infinity) < innerHeight / 3);
      setCurrent(isEnd ? known.at(-1) : (begun.at(-1) ?? known[0]));
    };
    // What scrolls is the main part of the page, on phones the page: scroll events do not rise, but are seen on their way down.
    const options = { passive: true, capture: true };
    document.addEventListener("scroll", follow, options);
    // The parts come after the page: the browser has not found the one that the address names.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
    // Parts grow when what they show arrives, and nothing scrolls.
    const sizes = new ResizeObserver(follow);
    for (const element of known.map((id) => document.getElementById(id))) if (element) sizes.observe(element);
    return () => {
      sizes.disconnect();
      document.removeEventListener("scroll", follow, options);
    };
  }, [ids]);
  return current;
}
