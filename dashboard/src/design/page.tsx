// The frame of a page: its heading, what it says in a line, and what can be done.
import type { ReactNode } from 'react';
import { type Crumb, useCrumbs } from './crumbs.ts';
import './page.css';

interface Props {
  title: ReactNode;
  /** Where it is below the page of the menu, for the top bar. */
  crumbs?: readonly Crumb[];
  /** True: the heading is only read aloud, since the top bar shows it. */
  isTitleHidden?: boolean;
  text?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

const none: readonly Crumb[] = [];

export function Page({ title, crumbs = none, isTitleHidden = false, text, actions, children }: Props) {
  useCrumbs(crumbs);
  return (
    <div className="page">
      {isTitleHidden ? (
        <h1 className="hidden-text">{title}</h1>
      ) : (
        <header className="page-head">
          <div className="grow">
            <h1>{title}</h1>
            {text && <div className="muted">{text}</div>}
          </div>
          {actions && <div className="row wrap">{actions}</div>}
        </header>
      )}
      {children}
    </div>
  );
}
