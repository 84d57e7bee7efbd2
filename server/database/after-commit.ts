import type { EventSubscriber, TransactionEventArgs } from "@mikro-orm/core";
import type { SqlEntityManager as EntityManager } from "@mikro-orm/postgresql";

/** Work to run after a transaction commits. A failure is only logged, because the commit stands. */
export type Work = () => unknown;

type Report = (error: unknown) => void;

/** Keyed by the configuration object that all units of work of a database share. */
const reports = new WeakMap<object, Report>();

/** Sets the handler for failures of after-commit work. */
export function reportFailedWork(em: EntityManager, report: Report): void {
  reports.set(em.config, report);
}

const waiting = new WeakMap<object, Work[]>();
const parents = new WeakMap<object, object>();

/**
 * Runs `work` after the outermost transaction commits, immediately if no transaction is open, and never after a rollback. For irreversible
 * effects such as notifications.
 */
export function afterCommit(em: EntityManager, work: Work): void {
  const transaction = em.getTransactionContext<object>();
  if (transaction === undefined) run(em, work);
  else add(transaction, [work]);
}

function run(em: Pick<EntityManager, "config">, work: Work): void {
  const report =
    reports.get(em.config) ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error)));
  try {
    const begun = work();
    if (begun instanceof Promise) begun.catch(report);
  } catch (error) {
    report(error);
  }
}

function add(transaction: object, works: readonly Work[]): void {
  waiting.set(transaction, [...(waiting.get(transaction) ?? []), ...works]);
}

/** Tracks transactions and savepoints. Work registered in a savepoint waits for the enclosing transaction. */
export class AfterCommitSubscriber implements EventSubscriber {
  readonly #enclosing: WeakMap<object, object> = new WeakMap();

  beforeTransactionStart({ em, transaction }: TransactionEventArgs): void {
    if (transaction) this.#enclosing.set(em, transaction);
    else this.#enclosing.delete(em);
  }

  afterTransactionStart({ em, transaction }: TransactionEventArgs): void {
    const enclosing = this.#enclosing.get(em);
    if (transaction && enclosing) parents.set(transaction, enclosing);
  }

  afterTransactionCommit({ em, transaction }: TransactionEventArgs): void {
    if (!transaction) return;
    const works = waiting.get(transaction) ?? [];
    waiting.delete(transaction);
    const enclosing = parents.get(transaction);
    if (enclosing) add(enclosing, works);
    else for (const work of works) run(em, work);
  }

  afterTransactionRollback({ transaction }: TransactionEventArgs): void {
    if (transaction) waiting.delete(transaction);
  }
}
