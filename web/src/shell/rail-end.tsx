import { Link, useRouterState } from "@tanstack/react-router";
import { ArrowLeftRight, Bookmark, Copy, Pin, WalletCards } from "lucide-react";
import type { ReactNode } from "react";
import { toUnicodeName } from "../../../server/dns/names/names.ts";
import type { CurrentUser } from "../session/current-user.ts";
import { usePreferences } from "../session/preferences.ts";
import { pinsWords } from "../words/pins.ts";
import { portfolioWords } from "../words/portfolio.ts";
import { reverseWords } from "../words/reverse.ts";
import { secondariesWords } from "../words/secondaries.ts";
import { words } from "../words/words.ts";
import { adminPagesOf } from "./admin-pages.tsx";
import { RailLink } from "./rail-link.tsx";
import styles from "./shell.module.css";

const text = pinsWords;

const entry = (icon: ReactNode, label: string) => (
  <>
    {icon}
    <span className={styles["name"]}>{label}</span>
  </>
);

/** What stands below the pages that everybody has: it is not part of the first page's code. */
export function RailEnd({ role }: { role: CurrentUser["role"] }) {
  return (
    <>
      <RailLink admin to="/portfolio" icon={<WalletCards aria-hidden />} label={portfolioWords.title} />
      <RailLink admin to="/reverse" icon={<ArrowLeftRight aria-hidden />} label={reverseWords.title} />
      <RailLink admin to="/secondaries" icon={<Copy aria-hidden />} label={secondariesWords.title} />
      {role === "member" ? null : (
        <>
          <div className={styles["section"]}>{words.shell.administration}</div>
          {adminPagesOf(role).map((page) => (
            <RailLink admin key={page.to} {...page} />
          ))}
        </>
      )}
      <Pins />
    </>
  );
}

/** The pinned zones and searches. */
function Pins() {
  const chosen = usePreferences();
  const here = useRouterState({ select: (state) => state.location.pathname });
  const searches = (chosen?.savedSearches ?? []).filter(({ pinned }) => pinned);
  const zones = chosen?.pinnedZones ?? [];
  if (zones.length + searches.length === 0) return null;
  return (
    <div className={styles["pins"]} role="group" aria-label={text.title}>
      <div className={styles["section"]}>{text.title}</div>
      {zones.map((name) => {
        const to = `/d/${encodeURIComponent(name)}`;
        const [zone = "", view] = name.split("!");
        const label = [toUnicodeName(zone), view].filter(Boolean).join(" · ");
        return (
          <Link
            key={name}
            to="/d/$name/records"
            params={{ name }}
            className={styles["nav"]}
            title={label}
            activeProps={{}}
            aria-current={here.startsWith(`${to}/`) ? "true" : undefined}
          >
            {entry(<Pin aria-hidden />, label)}
          </Link>
        );
      })}
      {searches.map(({ name, page, filters }) => (
        <Link
          key={`${page} ${name}`}
          to={page === "search" ? "/search" : "/"}
          search={filters}
          className={styles["nav"]}
          title={name}
          activeProps={{}}
        >
          {entry(<Bookmark aria-hidden />, name)}
        </Link>
      ))}
    </div>
  );
}
