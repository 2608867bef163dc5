// The states of a webhook endpoint, and why one is disabled. Pure.

/** The column `endpoints.status`. */
export const endpointStatus = {
  active: 'active',
  paused: 'paused',
  disabled: 'disabled',
  deleted: 'deleted',
} as const;
export type EndpointStatus = (typeof endpointStatus)[keyof typeof endpointStatus];

/** The column `endpoints.disabled_reason`, shown to its owner. */
export const disabledReason = {
  deleted: 'deleted',
  gone: 'gone: the receiver answered 410',
  failing: 'failing: five days of nothing but failures',
} as const;
