// How `leased_by` of a message names the process that leased it. Pure.

/**
 * The `leased_by` of a message that this process stores as dispatching: the complement of its id, which no claim writes. It
 * distinguishes the dispatch that the insert began from every later one, even if the insert began none.
 */
export const begunByInsert = (processId: number): number => ~processId;

/** The process that `leased_by` names, whether it claimed the message or stored it as dispatching; null: none. */
export const processOf = (leasedBy: number | null): number | null =>
  leasedBy === null || leasedBy >= 0 ? leasedBy : ~leasedBy;
