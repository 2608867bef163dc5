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
  /** The platform no longer has it. Rows have this status only while messages wait for it; events always. */
  deleted: 'DELETED',
} as const;

/** The words for a template that cannot be sent until somebody acts; it is not under review. */
export const stoppedProviderStatus = {
  deleted: ownProviderStatus.deleted,
  rejected: 'REJECTED',
  paused: 'PAUSED',
  disabled: 'DISABLED',
} as const;
