import { Link, useRouterState } from "@tanstack/react-router";
import { ArrowLeftRight, Bookmark, Copy, Pin, PinOff, WalletCards } from "lucide-react";
import type { ReactNode } from "react";
import { toUnicodeName } from "../../../server/dns/names/names.ts";
import type { CurrentUser } from "../session/current-user.ts";
import { changePreferencesOrSay, togglePin, usePreferences, type SavedSearch } from "../session/preferences.ts";
import { toast } from "../ui/toast.tsx";
import { menuWords } from "../words/menu.ts";
import { pinsWords } from "../words/pins.ts";
import { portfolioWords } from "../words/portfolio.ts";
import { reverseWords } from "../words/reverse.ts";
import { secondariesWords } from "../words/secondaries.ts";
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

/** The pages that the rail lists after the first ones. */
export const laterPages = [
  { to: "/portfolio", icon: <WalletCards aria-hidden />, label: portfolioWords.title },
  { to: "/reverse", icon: <ArrowLeftRight aria-hidden />, label: reverseWords.title },
  { to: "/secondaries", icon: <Copy aria-hidden />, label: secondariesWords.inRail },
] as const;

/** What stands below the pages that everybody has: it is not part of the first page's code. */
export function RailEnd({ role }: { role: CurrentUser["role"] }) {
  return (
    <>
      {laterPages.map((page) => (
        <RailLink admin key={page.to} {...page} />
      ))}
      {role === "member" ? null : (
        <>
          <div className={styles["section"]}>{menuWords.administration}</div>
          {adminPagesOf(role).map((page) => (
            <RailLink admin key={page.to} {...page} />
          ))}
        </>
      )}
      <Pins />
    </>
  );
}

/** How a pinned zone is called. */
export function pinLabel(name: string): string {
  const [zone = "", view] = name.split("!");
  return [toUnicodeName(zone), view].filter(Boolean).join(" · ");
}

/** Returns what the user has pinned. */
export function usePinned() {
  const chosen = usePreferences();
  return {
    zones: chosen?.pinnedZones ?? [],
    searches: (chosen?.savedSearches ?? []).filter(({ pinned }) => pinned),
  };
}

/** The pinned zones and searches. */
function Pins() {
  const { zones, searches } = usePinned();
  const here = useRouterState({ select: (state) => state.location.pathname });
  if (zones.length + searches.length === 0) return null;
  return (
    <div className={styles["pins"]} role="group" aria-label={text.title}>
      <div className={styles["section"]}>{text.title}</div>
      {zones.map((name) => {
        const to = `/d/${encodeURIComponent(name)}`;
        const label = pinLabel(name);
        return (
          <Pinned key={name} label={label} onUnpin={() => togglePin(name)} onUndo={() => pinAgain(name, zones)}>
            <Link
              to="/d/$name/records"
              params={{ name }}
              className={styles["nav"]}
              title={label}
              activeProps={{}}
              aria-current={here.startsWith(`${to}/`) ? "true" : undefined}
            >
              {entry(<Pin aria-hidden />, label)}
            </Link>
          </Pinned>
        );
      })}
      {searches.map(({ name, page, filters }) => (
        <Pinned
          key={`${page} ${name}`}
          label={name}
          onUnpin={() => setPinned({ name, page }, false)}
          onUndo={() => setPinned({ name, page }, true)}
        >
          <Link
            to={page === "search" ? "/search" : "/"}
            search={filters}
            className={styles["nav"]}
            title={name}
            activeProps={{}}
          >
            {entry(<Bookmark aria-hidden />, name)}
          </Link>
        </Pinned>
      ))}
    </div>
  );
}

/** Pins a zone where it stood among others, unless it is pinned meanwhile. */
function pinAgain(name: string, before: readonly string[]): void {
  const earlier = new Set(before.slice(0, before.indexOf(name)));
  changePreferencesOrSay(({ pinnedZones }) => ({
    pinnedZones: pinnedZones.includes(name)
      ? pinnedZones
      : pinnedZones.toSpliced(pinnedZones.findLastIndex((each) => earlier.has(each)) + 1, 0, name),
  }));
}

function setPinned({ name, page }: Pick<SavedSearch, "name" | "page">, pinned: boolean): void {
  changePreferencesOrSay(({ savedSearches }) => ({
    savedSearches: savedSearches.map((each) => (each.name === name && each.page === page ? { ...each, pinned } : each)),
  }));
}

interface PinnedProps {
  label: string;
  onUnpin: () => void;
  onUndo: () => void;
  children: ReactNode;
}

/** A link with its unpin button: the page of a deleted zone has none. */
function Pinned({ label, onUnpin, onUndo, children }: PinnedProps) {
  return (
    <div className={styles["pinned"]}>
      {children}
      <button
        type="button"
        aria-label={text.unpinOf(label)}
        title={text.unpinOf(label)}
        onClick={({ currentTarget }) => {
          // The button goes. The next pin gets the focus.
          const pin = currentTarget.parentElement;
          const next = pin?.nextElementSibling ?? pin?.previousElementSibling;
          next?.querySelector<HTMLElement>("button")?.focus();
          onUnpin();
          toast({ title: text.unpinned(label), action: { label: text.undo, run: onUndo } });
        }}
      >
        <PinOff aria-hidden />
      </button>
    </div>
  );
}
