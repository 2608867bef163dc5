// What can be a media id on the wire. Pure.

/** True if `text` can be a media id; any other is answered like an unknown one (404), never asked of the database. */
export function isMediaId(text: string): boolean {
  return /^[A-Za-z0-9._:-]{1,128}$/.test(text);
}
