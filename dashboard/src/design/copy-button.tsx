// A button that copies a text, and says so.
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import { textsOf } from '../text/texts.ts';
import { Button } from './button.tsx';
import { useCopied } from './use-copied.ts';

export function CopyButton({ value, label }: { value: string; label: string }) {
  const { isCopied, copy } = useCopied();
  const text = textsOf('common');
  return (
    <Button
      kind="quiet"
      icon={isCopied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      onClick={() => void copy(value)}
    >
      {isCopied ? text('copied') : label}
    </Button>
  );
}
