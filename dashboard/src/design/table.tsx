// A table: its columns, and the rows that the page draws. Below 760 px each row becomes a card; see table.css.
import type { ReactNode, RefObject } from 'react';
import './table.css';

export interface Column {
  label: string;
  /** Default: a share of what is left. */
  widthPx?: number;
  /** A number: at the end of its cell. */
  isFigure?: boolean;
  /** Only read aloud, such as above buttons. */
  isLabelHidden?: boolean;
}

interface Props {
  columns: Column[];
  /** Rows of two lines. */
  isTall?: boolean;
  bodyRef?: RefObject<HTMLTableSectionElement | null>;
  /** The rows. */
  children: ReactNode;
}

export function Table({ columns, isTall = false, bodyRef, children }: Props) {
  return (
    <div className="table-frame">
      <table className={isTall ? 'table tall' : 'table'}>
        <colgroup>
          {columns.map(({ label, widthPx }) => (
            <col key={label} {...(widthPx === undefined ? {} : { width: widthPx })} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map(({ label, isFigure = false, isLabelHidden = false }) => (
              <th key={label} scope="col" className={isFigure ? 'figure' : ''}>
                {isLabelHidden ? <span className="hidden-text">{label}</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={bodyRef}>{children}</tbody>
      </table>
    </div>
  );
}
