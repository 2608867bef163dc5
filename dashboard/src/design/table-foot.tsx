// The line below a table: what its rows are, and a button for more of them.
import type { ReactNode } from 'react';
import { textsOf } from '../text/texts.ts';

interface Props {
  /** Shows more rows; undefined: there are none. */
  onMore?: (() => void) | undefined;
  isLoading?: boolean;
  /** What the button says. Default: "Load older". */
  label?: string;
  /** Before the button. */
  children?: ReactNode;
  /** After it. */
  end?: ReactNode;
}

/** Nothing where there is neither a text nor more rows. */
export function TableFoot({ onMore, isLoading = false, label, children, end }: Props) {
  if (!onMore && !children) return null;
  return (
    <div className="table-foot">
      {children}
      {onMore && (
        <button type="button" className="text-button" disabled={isLoading} onClick={onMore}>
          {label ?? textsOf('common')('older')}
        </button>
      )}
      {end}
    </div>
  );
}
