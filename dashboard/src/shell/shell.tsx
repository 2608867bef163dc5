// The frame of every page: menu, top bar, and whether the page is live.

import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import IconLock from '@tabler/icons-react/dist/esm/icons/IconLock.mjs';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { KeyHelp } from '../design/key-help.tsx';
import { EmptyState } from '../design/messages.tsx';
import { useSession } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { Crumbs } from './crumbs.tsx';
import { FindButton } from './find-button.tsx';
import { LiveNote } from './live-note.tsx';
import { LostNote } from './lost-note.tsx';
import { Mark } from './mark.tsx';
import { mayOpen, type NavItem, navGroups, navItems } from './nav.ts';
import { NavCount } from './nav-count.tsx';
import { SchemeButton } from './scheme-button.tsx';
import { SlowNote } from './slow-note.tsx';
import './shell.css';

const narrowItemsMax = 5;

/** True if the path is in the item's room. */
const isIn = (path: string, { to }: NavItem): boolean =>
  to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);

/** The page's item and the first scope that the session lacks to open it. */
function missingScope(
  { path, route }: { path: string; route: string },
  scopes: readonly string[],
): { item: NavItem; scope: string } | undefined {
  const item = navItems.find((one) => isIn(path, one));
  const scope = (item?.pages?.[route] ?? item?.scopes)?.find((one) => !scopes.includes(one));
  return item && scope !== undefined ? { item, scope } : undefined;
}

export function Shell() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const route = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath ?? '' });
  const { scopes, account } = useSession();
  const text = textsOf('shell');
  const groups = navGroups
    .map((group) => ({ ...group, items: group.items.filter((item) => mayOpen(scopes, item.scopes)) }))
    .filter(({ items }) => items.length > 0);
  const items = groups.flatMap((group) => group.items);
  const current = items.find((item) => isIn(path, item));
  const missing = missingScope({ path, route }, scopes);

  const linkOf = (item: NavItem, iconSize: number, className: string) => (
    <Link
      key={item.to}
      to={item.to}
      className={className}
      {...(item === current ? { 'aria-current': 'page' as const } : {})}
    >
      <item.icon size={iconSize} stroke={1.7} aria-hidden />
      {text(item.key)}
      {className === 'nav-link' && <NavCount item={item} />}
    </Link>
  );

  return (
    <div className="shell">
      <a href="#main" className="skip">
        {text('skip')}
      </a>
      <nav className="side" aria-label={text('menu')}>
        <div className="brand">
          <Mark />
          <div className="grow">
            <div className="cut strong" dir="auto">
              {account.name}
            </div>
            <div className="small note cut" dir="ltr">
              {location.host}
            </div>
          </div>
        </div>
        {groups.map((group) => (
          <div key={group.key ?? 'top'}>
            {group.key && <div className="nav-group">{text(group.key)}</div>}
            {group.items.map((item) => linkOf(item, 16, 'nav-link'))}
          </div>
        ))}
        <div className="side-foot">
          <LiveNote />
          <SessionNote />
        </div>
      </nav>
      <div className="main">
        <header className="bar">
          <Crumbs item={current} />
          <FindButton />
          <KeyHelp />
        </header>
        <LostNote />
        <SlowNote />
        <main ref={useFocusOfNewPages()} id="main" tabIndex={-1}>
          {missing ? <MissingScope {...missing} /> : <Outlet />}
        </main>
      </div>
      <nav className="bottom" aria-label={text('shortMenu')}>
        {items
          .slice(0, items.length > narrowItemsMax ? narrowItemsMax - 1 : narrowItemsMax)
          .map((item) => linkOf(item, 20, ''))}
        {items.length > narrowItemsMax && (
          <details key={path} className="more">
            <summary>
              <IconDots size={20} stroke={1.7} aria-hidden />
              {text('more')}
            </summary>
            <div>{items.slice(narrowItemsMax - 1).map((item) => linkOf(item, 20, ''))}</div>
          </details>
        )}
      </nav>
    </div>
  );
}

/** Where the link that was followed is gone with its page, the keyboard goes on in the new one, not before the menu. */
function useFocusOfNewPages() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const last = useRef(path);
  useEffect(() => {
    if (last.current !== undefined && last.current !== path && document.activeElement === document.body)
      main.current?.focus({ preventScroll: true });
    last.current = path;
  }, [path]);
  return main;
}

/** In place of a page that the session may not open. */
function MissingScope({ item, scope }: { item: NavItem; scope: string }) {
  const text = textsOf('shell');
  return (
    <EmptyState
      isPage
      icon={<IconLock size={20} aria-hidden />}
      title={text('noScope', { page: text(item.key) })}
      text={text('noScopeText', { scope })}
    />
  );
}

/** Who is signed in, in a line. */
function SessionNote() {
  const { session, key, scopes } = useSession();
  const name = session?.name ?? key?.name ?? '';
  return (
    <div className="row">
      <div className="grow">
        <div className="cut strong" dir="auto">
          {name}
        </div>
        <div className="small note cut" dir="ltr">
          {scopes.join(', ')}
        </div>
      </div>
      <SchemeButton />
    </div>
  );
}
