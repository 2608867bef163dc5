// Where the page is, in the top bar: the page of the menu, and what is open in it. Also the title of the window.
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useShownCrumbs } from '../design/crumbs.ts';
import { useSession } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import type { NavItem } from './nav.ts';

export function Crumbs({ item }: { item: NavItem | undefined }) {
  const text = textsOf('shell');
  const { account } = useSession();
  const below = useShownCrumbs();
  const crumbs = item ? [{ name: text(item.key), to: item.to as string }, ...below] : below;
  const title = [...crumbs.map(({ name }) => name).reverse(), account.name].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
  if (crumbs.length < 2)
    return (
      <span className="crumbs here cut" dir="auto">
        {crumbs[0]?.name}
      </span>
    );
  return (
    <nav className="crumbs" aria-label={text('breadcrumb')}>
      <ol>
        {crumbs.map(({ name, to }, at) => (
          <li key={`${name} ${to}`}>
            {to !== undefined && at < crumbs.length - 1 ? (
              <Link to={to} className="cut" dir="auto">
                {name}
              </Link>
            ) : (
              <span aria-current="page" className="cut" dir="auto">
                {name}
              </span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
