import { useEffect, type ReactNode } from "react";
import styles from "./page.module.css";

interface PageProps {
  title: string;
  /** Beside the title. */
  subtitle?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with its heading, which is also the title of the tab. */
export function Page({ children, ...head }: PageProps) {
  return (
    <>
      <PageHead {...head} />
      <div className={styles["body"]}>{children}</div>
    </>
  );
}

/** The heading of a page that arranges its content itself. */
export function PageHead({ title, subtitle, actions }: Omit<PageProps, "children">) {
  useTitle(title);
  return (
    <header className={styles["head"]}>
      <h1>
        {title} {subtitle ? <span className={styles["sub"]}>{subtitle}</span> : null}
      </h1>
      {actions ? <div className={styles["actions"]}>{actions}</div> : null}
    </header>
  );
}

/** Names the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Zonewright`;
  }, [title]);
}

interface EmptyProps {
  icon?: ReactNode;
  title: string;
  /** Whether nothing else is on the page, so that this is its heading. */
  whole?: boolean;
  children?: ReactNode;
  action?: ReactNode;
}

/** What to do first, where there is nothing yet. */
export function Empty({ icon, title, whole = false, children, action }: EmptyProps) {
  const Heading = whole ? "h1" : "h2";
  return (
    <div className={styles["empty"]}>
      {icon}
      <Heading>{title}</Heading>
      {children ? <p>{children}</p> : null}
      {action}
    </div>
  );
}

interface CardProps {
  title: string;
  hint?: ReactNode;
  action?: ReactNode;
  children?: ReactNode;
  /** Whether the content brings its own padding, like a table. */
  flush?: boolean;
}

/** A part of a page, with its own heading. */
export function Card({ title, hint, action, children, flush }: CardProps) {
  return (
    <section className={styles["card"]}>
      <header>
        <h2>{title}</h2>
        {action}
        {hint ? <p>{hint}</p> : null}
      </header>
      {children ? flush ? children : <div className={styles["inner"]}>{children}</div> : null}
    </section>
  );
}
