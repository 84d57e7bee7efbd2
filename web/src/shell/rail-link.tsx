import { Link, useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import styles from "./shell.module.css";

interface RailLinkProps {
  to: string;
  icon: ReactNode;
  label: string;
  count?: number;
  current?: boolean;
  admin?: boolean;
}

/** A page in the rail. Those with `admin` are left out of the bar of a phone. */
export function RailLink({ to, icon, label, count = 0, current, admin }: RailLinkProps) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const active = current ?? path.startsWith(to);
  return (
    <Link
      to={to}
      className={`${styles["nav"]} ${admin ? styles["admin"] : ""}`}
      aria-current={active ? "page" : undefined}
      activeProps={{}}
    >
      {icon}
      <span className={styles["label"]}>{label}</span>
      {count > 0 ? (
        <span className={styles["count"]}>
          <span className="sr">, </span>
          {count}
        </span>
      ) : null}
    </Link>
  );
}
