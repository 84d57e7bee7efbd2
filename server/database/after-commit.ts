import type { EventSubscriber, TransactionEventArgs } from "@mikro-orm/core";
import type { SqlEntityManager as EntityManager } from "@mikro-orm/postgresql";

/** What is to happen once a transaction is committed. A failure is logged: the caller has been promised the commit. */
export type Work = () => unknown;

type Report = (error: unknown) => void;

/** By the configuration that all units of work of a database share. */
const reports = new WeakMap<object, Report>();

/** Says where failures of work after commits go. */
export function reportFailedWork(em: EntityManager, report: Report): void {
  reports.set(em.config, report);
}

const waiting = new WeakMap<object, Work[]>();
const parents = new WeakMap<object, object>();

/**
 * Runs `work` once what the unit of work has done is committed, outermost transaction included; at once when no
 * transaction is open; never when it is rolled back. For what cannot be taken back, such as telling somebody.
 */
export function afterCommit(em: EntityManager, work: Work): void {
  const transaction = em.getTransactionContext<object>();
  if (transaction === undefined) carryOut(em, work);
  else add(transaction, [work]);
}

function carryOut(em: Pick<EntityManager, "config">, work: Work): void {
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

/** Follows transactions and savepoints. A savepoint's work waits for the transaction around it. */
export class AfterCommitSubscriber implements EventSubscriber {
  readonly #around: WeakMap<object, object> = new WeakMap();

  beforeTransactionStart({ em, transaction }: TransactionEventArgs): void {
    if (transaction) this.#around.set(em, transaction);
    else this.#around.delete(em);
  }

  afterTransactionStart({ em, transaction }: TransactionEventArgs): void {
    const around = this.#around.get(em);
    if (transaction && around) parents.set(transaction, around);
  }

  afterTransactionCommit({ em, transaction }: TransactionEventArgs): void {
    if (!transaction) return;
    const works = waiting.get(transaction) ?? [];
    waiting.delete(transaction);
    const around = parents.get(transaction);
    if (around) add(around, works);
    else for (const work of works) carryOut(em, work);
  }

  afterTransactionRollback({ transaction }: TransactionEventArgs): void {
    if (transaction) waiting.delete(transaction);
  }
}
