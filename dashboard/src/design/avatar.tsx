// The first letters of a name, in a circle. Only to be seen: the name stands beside it.
import './avatar.css';

/** The first letters of up to two words. */
const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('');

export const Avatar = ({ name }: { name: string }) => (
  <span className="avatar" aria-hidden="true">
    {initialsOf(name)}
  </span>
);
