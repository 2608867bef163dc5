// A surface with a title.
import type { ReactNode } from 'react';

interface Props {
  title?: string;
  /** What the figures are about: "last 24 hours". */
  note?: string;
  end?: ReactNode;
  /** False: the content reaches the edges, such as a table. */
  isPadded?: boolean;
  children: ReactNode;
}

export function Card({ title, note, end, isPadded = true, children }: Props) {
  return (
    <section className="card" {...(title ? { 'aria-label': title } : {})}>
      {title && (
        <div className="card-head">
          <h2>{title}</h2>
          {note && <span className="note small">{note}</span>}
          {end && <div className="end row">{end}</div>}
        </div>
      )}
      <div className={isPadded ? 'card-body' : ''}>{children}</div>
    </section>
  );
}
