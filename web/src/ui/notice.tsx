import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { messageOf } from "../api.ts";
import styles from "./notice.module.css";

const icons = { error: CircleAlert, warning: TriangleAlert, info: Info, success: CircleCheck };

interface NoticeProps {
  kind: keyof typeof icons;
  children: ReactNode;
  /** Buttons at its end. */
  action?: ReactNode;
}

/** A sentence about the state of something, where it belongs. */
export function Notice({ kind, children, action }: NoticeProps) {
  const Icon = icons[kind];
  return (
    <div className={`${styles["notice"]} ${styles[kind] ?? ""}`} role={kind === "error" ? "alert" : "status"}>
      <Icon aria-hidden />
      <div>{children}</div>
      {action}
    </div>
  );
}

/** The sentence of a failure, or nothing. */
export function Failure({ error, action }: { error: unknown; action?: ReactNode }) {
  if (error === null || error === undefined) return null;
  return (
    <Notice kind="error" action={action}>
      {messageOf(error)}
    </Notice>
  );
}
