// The creation time in a UUIDv7 (RFC 9562): its first 48 bits are milliseconds. Pure.

/** The creation time of the id. */
export function uuidTime(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** The lowest id that can have been created at that time. */
export function lowestUuidAt(instant: Date): string {
  const hex = Math.max(0, instant.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}

/** Bounds of the ids created from `from` until before `to` (ISO 8601): the lowest of them, and the lowest after them. Undefined: no bound. */
export function idRange({ from, to }: { from?: string | undefined; to?: string | undefined }): {
  fromId: string | undefined;
  toId: string | undefined;
} {
  const lowest = (at: string | undefined) => (at === undefined ? undefined : lowestUuidAt(new Date(at)));
  return { fromId: lowest(from), toId: lowest(to) };
}
