// Where a backup is: a file, a directory or a bucket, as an operator writes it. Pure.

export interface BackupTarget {
  /** The directory, or the `s3://` address, without the file's name. */
  place: string;
  /** Null: the place itself. */
  name: string | null;
}

/**
 * Splits an address. It names a file if it ends in `.tar`, or if `kindOf` says that there is a file of that name; and a directory if it
 * ends in a separator, or if there is one.
 */
export function parseTarget(
  text: string,
  kindOf: (path: string) => 'file' | 'directory' | undefined,
): BackupTarget {
  if (text.startsWith('s3:')) {
    const [address = '', query] = text.split('?', 2);
    const at = address.lastIndexOf('/');
    const rest = query === undefined ? '' : `?${query}`;
    return address.endsWith('.tar')
      ? { place: `${address.slice(0, at)}${rest}`, name: address.slice(at + 1) }
      : { place: text, name: null };
  }
  const path = text.replace(/^file:(?:\/\/)?/, '');
  const kind = /[/\\]$/.test(path)
    ? 'directory'
    : (kindOf(path) ?? (path.endsWith('.tar') ? 'file' : 'directory'));
  if (kind === 'directory') return { place: path, name: null };
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return { place: at < 0 ? '.' : path.slice(0, Math.max(at, 1)), name: path.slice(at + 1) };
}
