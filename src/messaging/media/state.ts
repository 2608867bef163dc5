// The states of an uploaded file. Pure.

export const mediaState = {
  /** Its bytes are arriving. */
  receiving: 'receiving',
  /** Its bytes are stored, and are being uploaded to the platform. */
  registering: 'registering',
  /** Callers see it and can use it. */
  ready: 'ready',
  /** Callers no longer see it; its objects are being removed. */
  removing: 'removing',
} as const;
