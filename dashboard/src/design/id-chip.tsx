// An id that copies itself on a click.
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import { textsOf } from '../text/texts.ts';
import { useCopied } from './use-copied.ts';
import { usePageKeys } from './use-page-keys.ts';
import './id-chip.css';

/** The first and last part of a value that is too long. */
export function middleCut(value: string, keep: number): string {
  if (value.length <= keep + 1) return value;
  return `${value.slice(0, Math.ceil(keep * 0.6))}…${value.slice(-Math.floor(keep * 0.4))}`;
}

interface Props {
  value: string;
  /** What it is: "message id". */
  label: string;
  /** Characters that stay visible. */
  keep?: number;
  /** Copied by the key C too. */
  hasKey?: boolean;
}

export function IdChip({ value, label, keep = 14, hasKey = false }: Props) {
  const { isCopied, copy } = useCopied();
  const text = textsOf('common');
  usePageKeys([{ text: 'copyId', run: { c: hasKey ? () => void copy(value) : undefined } }]);
  return (
    <button type="button" className="id-chip" dir="ltr" title={value} onClick={() => void copy(value)}>
      <span className="hidden-text">{text('copyLabel', { label })} </span>
      <span className="cut">{middleCut(value, keep)}</span>
      {isCopied ? <IconCheck size={12} aria-hidden /> : <IconCopy size={12} aria-hidden />}
      <span className="hidden-text" role="status">
        {isCopied ? text('copied') : ''}
      </span>
    </button>
  );
}
