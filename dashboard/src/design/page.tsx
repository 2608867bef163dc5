// The frame of a page: its heading, what it says in a line, and what can be done.
import type { ReactNode } from 'react';
import './page.css';

interface Props {
  title: ReactNode;
  /** True: the heading is only read aloud, since the top bar shows it. */
  isTitleHidden?: boolean;
  text?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, isTitleHidden = false, text, actions, children }: Props) {
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
