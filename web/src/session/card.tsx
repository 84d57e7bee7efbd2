import { useEffect, type ReactNode } from "react";
import { Mark } from "../ui/brand.tsx";
import styles from "./session.module.css";

interface CardProps {
  title: string;
  hint?: ReactNode;
  children: ReactNode;
  /** Links below the box. */
  links?: ReactNode;
}

/** The frame of the pages before sign-in. */
export function Card({ title, hint, children, links }: CardProps) {
  useEffect(() => {
    document.title = `${title} · Zonewright`;
  }, [title]);
  return (
    <main className={styles["page"]}>
      <div className={styles["card"]}>
        <div className={styles["brand"]}>
          <Mark />
          Zonewright
        </div>
        <div className={styles["box"]}>
          <div>
            <h1>{title}</h1>
            {hint ? <p>{hint}</p> : null}
          </div>
          {children}
        </div>
        {links ? <div className={styles["links"]}>{links}</div> : null}
      </div>
    </main>
  );
}
