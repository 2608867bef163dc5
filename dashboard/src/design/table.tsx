// A table: its columns, and the rows that the page draws. Below 760 px each row becomes a card; see table.css.
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import './table.css';

export interface Column {
  label: string;
  /** Default: a share of what is left. */
  widthPx?: number;
  /** A number: at the end of its cell. */
  isFigure?: boolean;
  /** Only read aloud, such as above buttons. */
  isLabelHidden?: boolean;
  /** Only in wide windows: there is no room beside the others. Its cells have the class `extra` too. */
  isExtra?: boolean;
}

/** What a column without a width of its own keeps. */
const flexiblePx = 140;

/** The width below which the table scrolls, so that no column is lost. */
const leastOf = (columns: Column[]): string =>
  `${columns.reduce((sum, { widthPx = flexiblePx }) => sum + widthPx, 0)}px`;

interface Props {
  columns: Column[];
  /** Rows of two lines. */
  isTall?: boolean;
  bodyRef?: RefObject<HTMLTableSectionElement | null>;
  /** The rows. */
  children: ReactNode;
}

/** Lets the keyboard scroll a table that is cut and has nothing to focus. */
function useReachable(): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const frame = ref.current;
    if (!frame?.firstElementChild) return;
    const observer = new ResizeObserver(() => {
      const isCut = frame.scrollWidth > frame.clientWidth;
      if (isCut && !frame.querySelector('a, button, input, select')) frame.tabIndex = 0;
      else frame.removeAttribute('tabindex');
    });
    observer.observe(frame);
    observer.observe(frame.firstElementChild);
    return () => observer.disconnect();
  }, []);
  return ref;
}

export function Table({ columns, isTall = false, bodyRef, children }: Props) {
  const least = {
    '--least': leastOf(columns.filter(({ isExtra }) => !isExtra)),
    '--least-all': leastOf(columns),
  } as CSSProperties;
  const frame = useReachable();
  const classOf = ({ isFigure = false, isExtra = false }: Column) =>
    [isFigure ? 'figure' : '', isExtra ? 'extra' : ''].filter(Boolean).join(' ');
  return (
    <div ref={frame} className="table-frame">
      <table className={isTall ? 'table tall' : 'table'} style={least}>
        <colgroup>
          {columns.map(({ label, widthPx, isExtra = false }) => (
            <col
              key={label}
              className={isExtra ? 'extra' : ''}
              {...(widthPx === undefined ? {} : { width: widthPx })}
            />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" className={classOf(column)}>
                {column.isLabelHidden ? <span className="hidden-text">{column.label}</span> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={bodyRef}>{children}</tbody>
      </table>
    </div>
  );
}
