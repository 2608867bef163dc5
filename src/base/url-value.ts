// Percent-encoding of a value that is put into an address. Pure.

/** A character that an address cannot contain, a `:`, a `|`, or a `%` that starts no encoding. */
const encoded = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=@/?#[\]%]/gu;

/**
 * The value with everything percent-encoded that must be. What is encoded already stays, so encoding twice changes nothing.
 */
export const percentEncoded = (value: string): string =>
  value.toWellFormed().replace(encoded, (character) => encodeURIComponent(character));
