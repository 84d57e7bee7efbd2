import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useUser } from "../session/current-user.ts";
import { useTitle } from "../ui/page.tsx";
import { accountWords } from "../words/account.ts";
import styles from "./account.module.css";

const text = accountWords;

const pages = [
  { to: "/account/profile", label: text.profile },
  { to: "/account/security", label: text.security },
  { to: "/account/tokens", label: text.tokens },
  { to: "/account/keys", label: text.keys },
  { to: "/account/sessions", label: text.sessions },
] as const;

interface AccountPageProps {
  /** The name of the page among the tabs. */
  title: string;
  children: ReactNode;
}

/** A page about the user's own account, below the tabs that lead to the others. */
export function AccountPage({ title, children }: AccountPageProps) {
  useTitle(title);
  const { username } = useUser();
  return (
    <>
      <header className={styles["head"]}>
        <h1>
          {text.title} <span className={styles["sub"]}>{username}</span>
        </h1>
        <nav className={styles["tabs"]} aria-label={text.pages}>
          {pages.map(({ to, label }) => (
            <Link key={to} to={to} activeProps={{ "aria-current": "page" }}>
              {label}
            </Link>
          ))}
        </nav>
      </header>
      <div className={styles["body"]}>{children}</div>
    </>
  );
}
