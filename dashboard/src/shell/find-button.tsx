// The way to everything from the keyboard: a button of the top bar and Ctrl K, which open the palette. Its code is loaded then.
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { useEffect, useState } from 'react';
import { isApple } from '../design/apple.ts';
import { LoadedDialog } from '../design/loaded-dialog.tsx';
import { loadTexts, textsOf } from '../text/texts.ts';

const load = async () => {
  const [module] = await Promise.all([import('../palette/palette.tsx'), loadTexts('palette')]);
  return module.Palette;
};

export function FindButton() {
  const text = textsOf('shell');
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.ctrlKey || event.metaKey) ||
        event.altKey ||
        event.shiftKey
      )
        return;
      event.preventDefault();
      setOpen((isNow) => !isNow);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        className="find-button"
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <IconSearch size={15} aria-hidden />
        <span className="find-label">{text('find')}</span>
        <kbd className="wide-only" dir="ltr">
          {isApple ? '⌘ K' : 'Ctrl K'}
        </kbd>
      </button>
      <LoadedDialog isOpen={isOpen} load={load} onClose={() => setOpen(false)} />
    </>
  );
}
