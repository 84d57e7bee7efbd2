import { afterCommit } from "../../database/after-commit.ts";
import type { EntityManager } from "../../database/database.ts";

/** A zone that has another revision, or that is gone. */
export interface ZoneChange {
  domainId: string;
  /** The revision reached; null: the domain was deleted. */
  revision: number | null;
  /** The change set that made the revision; null if no change set did. */
  changeSetId: string | null;
  /** Whether the domain has mirrors; left out: it may have. */
  mirrored?: boolean;
  /** Whether channels hear of the change; left out: they may. */
  reported?: boolean;
}

type Announce = (change: ZoneChange) => void;

/** Keyed by the configuration object that all units of work of a database share. */
const listeners = new WeakMap<object, Set<Announce>>();

/** Adds what hears of the changes committed to a database by this process. It must not throw. */
export function hearZoneChanges(em: EntityManager, announce: Announce): void {
  listeners.set(em.config, (listeners.get(em.config) ?? new Set()).add(announce));
}

/** Announces a change once the transaction has committed, and never after a rollback. */
export function announceZoneChange(tx: EntityManager, change: ZoneChange): void {
  afterCommit(tx, () => {
    for (const announce of listeners.get(tx.config) ?? []) announce(change);
  });
}
