// The statuses of a template: ours, and our additions to the platform's. Pure.

/** Whether a template can be sent. */
export const templateStatus = {
  /** Exists only here. */
  draft: 'draft',
  /** The platform has it, and it cannot be sent: under review, rejected, paused, or being deleted. */
  submitted: 'submitted',
  approved: 'approved',
} as const;

export type TemplateStatus = (typeof templateStatus)[keyof typeof templateStatus];

/** Values of `provider_status` that are not the platform's. */
export const ownProviderStatus = {
  /** A deletion is in progress: the template cannot be sent, and new sends of it are rejected. */
  pendingDeletion: 'PENDING_DELETION',
  /** The platform no longer has it; only events show this status. */
  deleted: 'DELETED',
} as const;

/** The platform's words for a template that cannot be sent until somebody acts; it is not under review. */
export const stoppedProviderStatus = {
  rejected: 'REJECTED',
  paused: 'PAUSED',
  disabled: 'DISABLED',
} as const;
