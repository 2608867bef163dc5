// The form of media ids. Pure.

/** True if `text` can be a media id. Any other text is unknown (404) without a query. */
export function isMediaId(text: string): boolean {
  return /^[A-Za-z0-9._:-]{1,128}$/.test(text);
}
