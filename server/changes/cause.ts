/** What a change set is made for, besides its changes. */
export interface Cause {
  /** The change set that it reverts. */
  revertsId?: string;
  /** The change set of another zone that it follows. */
  causedBy?: string;
  /** The item of a batch that it carries out. The database refuses a second change set for one item. */
  batchItemId?: string;
  /** The change request that it carries out. The database refuses a second change set for one request. */
  changeRequestId?: string;
}

/** Returns the columns of a change set that store its cause. */
export function causeColumns({
  revertsId = null,
  causedBy = null,
  batchItemId = null,
  changeRequestId = null,
}: Nullable<Cause> = {}) {
  return {
    reverts_id: revertsId,
    caused_by: causedBy,
    batch_item_id: batchItemId,
    change_request_id: changeRequestId,
  };
}

type Nullable<T> = { [K in keyof T]: T[K] | null };
