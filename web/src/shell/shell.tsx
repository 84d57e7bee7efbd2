import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { Bell, GitPullRequest, Globe, LayoutTemplate, Replace, Search, TextSearch } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, type ReactNode } from "react";
import { Mark } from "../ui/brand.tsx";
import { initialsOf } from "../ui/initials.ts";
import { OpenedLater } from "../ui/opened-later.tsx";
import { patiently } from "../ui/patiently.ts";
import { isMac } from "../ui/platform.ts";
import { words } from "../words/words.ts";
import { RailLink } from "./rail-link.tsx";
import styles from "./shell.module.css";

const text = words.shell;

const loadMenu = patiently(async () => ({ default: (await import("./account-menu.tsx")).AccountMenu }));
const RailEnd = lazy(patiently(async () => ({ default: (await import("./rail-end.tsx")).RailEnd })));
const prepareMenu = () => void loadMenu().catch(() => undefined);
const AccountMenu = lazy(loadMenu);

interface ShellProps {
  user: { username: string; displayName: string | null; role: "admin" | "auditor" | "member" };
  onSignOut: () => void;
  /** How many notifications are unread. */
  unread: number;
  /** How many change requests wait for the user's review. */
  toReview: number;
  /** What to say while the page is not live. */
  notLive: string | null;
  onJump: () => void;
  /** Dialogs that any page may open. */
  children?: ReactNode;
}

/** The frame of every page behind the sign-in: rail, work area, and the messages about the connection. */
export function Shell({ user, onSignOut, unread, toReview, notLive, onJump, children }: ShellProps) {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const shown = useRef(path);
  useEffect(() => {
    // After a change of page, the keyboard starts at the new content.
    if (shown.current === path) return;
    shown.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <div className={styles["app"]}>
      <a className={styles["skip"]} href="#content">
        {text.skip}
      </a>
      <nav className={styles["rail"]} aria-label={text.main}>
        <Link to="/" className={styles["brand"]}>
          <Mark />
          Zonewright
        </Link>
        <button type="button" className={styles["jump"]} onClick={onJump} aria-keyshortcuts="Meta+K Control+K">
          <Search aria-hidden />
          <span>{text.jump}</span>
          <kbd>{isMac ? "⌘K" : text.jumpKeys}</kbd>
        </button>
        <RailLink to="/search" icon={<TextSearch aria-hidden />} label={text.search} />
        <RailLink
          to="/"
          icon={<Globe aria-hidden />}
          label={text.domains}
          current={path === "/" || path.startsWith("/d/")}
        />
        <RailLink to="/requests" icon={<GitPullRequest aria-hidden />} label={text.requests} count={toReview} />
        <RailLink to="/notifications" icon={<Bell aria-hidden />} label={text.notifications} count={unread} />
        {user.role === "auditor" ? null : (
          <RailLink to="/replace" icon={<Replace aria-hidden />} label={text.replace} />
        )}
        <RailLink admin to="/templates" icon={<LayoutTemplate aria-hidden />} label={text.templates} />
        <Suspense fallback={null}>
          <RailEnd role={user.role} />
        </Suspense>
        <Who user={user} onSignOut={onSignOut} />
      </nav>
      <main className={styles["main"]} ref={main} id="content" tabIndex={-1} data-scroll>
        {notLive === null ? null : (
          <div className={styles["not-live"]} role="status">
            {notLive}
          </div>
        )}
        <Outlet />
      </main>
      {children}
    </div>
  );
}

function Who({ user, onSignOut }: Pick<ShellProps, "user" | "onSignOut">) {
  const shownName = user.displayName ?? user.username;
  const trigger = (
    <button type="button" className={`${styles["nav"]} ${styles["who"]}`}>
      <span className={styles["avatar"]} data-initials={initialsOf(shownName)} aria-hidden />
      <span className={styles["name"]}>{shownName}</span>
    </button>
  );
  return (
    <OpenedLater trigger={trigger} prepare={prepareMenu}>
      <AccountMenu trigger={trigger} role={user.role} onSignOut={onSignOut} />
    </OpenedLater>
  );
}
