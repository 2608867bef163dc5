// The columns of an export of recipients, which an upload of recipients takes as it is. Pure.

/** In their order. */
export const exportedColumns = [
  'id',
  'phone',
  'name',
  'status',
  'messageId',
  'errorCode',
  'errorTitle',
  'priceCategory',
  'billable',
  'metadata',
] as const;

const ofRecipient = new Set<string>(['phone', 'name', 'metadata']);

/** Columns of an export that report what became of a recipient: an upload skips them. */
export const reportedColumns: ReadonlySet<string> = new Set(
  exportedColumns.filter((column) => !ofRecipient.has(column)),
);
