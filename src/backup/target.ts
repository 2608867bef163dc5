// Where a backup is: a file, a directory or a bucket, as an operator writes it. Pure.

export interface BackupTarget {
  /** The directory, or the `s3://` address, without the file's name. */
  place: string;
  /** Null: the place itself. */
  name: string | null;
}

/**
 * Splits an address. `s3://bucket/prefix?…` names a file if its path ends in `.tar`; a path is one unless it ends in a
 * separator or `isDirectory` says otherwise.
 */
export function parseTarget(text: string, isDirectory: (path: string) => boolean): BackupTarget {
  if (text.startsWith('s3:')) {
    const [address = '', query] = text.split('?', 2);
    const at = address.lastIndexOf('/');
    const rest = query === undefined ? '' : `?${query}`;
    return address.endsWith('.tar')
      ? { place: `${address.slice(0, at)}${rest}`, name: address.slice(at + 1) }
      : { place: text, name: null };
  }
  const path = text.replace(/^file:(?:\/\/)?/, '');
  if (/[/\\]$/.test(path) || isDirectory(path)) return { place: path, name: null };
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return { place: at < 0 ? '.' : path.slice(0, Math.max(at, 1)), name: path.slice(at + 1) };
}
