import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { messageOf } from "../api.ts";
import { isOfAction } from "./use-action.ts";
import styles from "./notice.module.css";

const icons = { error: CircleAlert, warning: TriangleAlert, info: Info, success: CircleCheck };

interface NoticeProps {
  kind: keyof typeof icons;
  children: ReactNode;
  /** Buttons at its end. */
  action?: ReactNode;
  /** Takes the focus, and comes into view, whenever this changes and is not null. */
  focusFor?: unknown;
}

/** A sentence about the state of something, where it belongs. */
export function Notice({ kind, children, action, focusFor = null }: NoticeProps) {
  const Icon = icons[kind];
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focusFor !== null) box.current?.focus();
  }, [focusFor]);
  return (
    <div
      ref={box}
      tabIndex={focusFor === null ? undefined : -1}
      className={`${styles["notice"]} ${styles[kind] ?? ""}`}
      role={kind === "error" ? "alert" : "status"}
    >
      <Icon aria-hidden />
      <div>{children}</div>
      {action}
    </div>
  );
}

/** The sentence of a failure, or nothing. That of what a person started takes the focus. */
export function Failure({ error, action }: { error: unknown; action?: ReactNode }) {
  if (error === null || error === undefined) return null;
  return (
    <Notice kind="error" action={action} focusFor={isOfAction(error) ? error : null}>
      {messageOf(error)}
    </Notice>
  );
}
