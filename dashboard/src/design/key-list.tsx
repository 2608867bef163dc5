// The keys that do something on this page, and everywhere.
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { useRef } from 'react';
import { textsOf } from '../text/texts.ts';
import { isApple } from './apple.ts';
import { IconButton } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { useLetterKeys } from './letter-keys.ts';
import { keysNow, type PageKey } from './page-keys.ts';
import './key-list.css';

/** What is written on keys. */
const signs: Record<string, string> = {
  ...{ ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' },
  ...{ Enter: '↵', Escape: 'Esc', Ctrl: isApple ? '⌘' : 'Ctrl' },
};
/** What is there on every page: declared by the frame, or the browser's own. */
const everywhere: PageKey['text'][] = ['list'];

export function KeyList({ onClose }: { onClose: () => void }) {
  const text = textsOf('shortcuts');
  const element = useRef<HTMLDialogElement>(null);
  const isOn = useLetterKeys();
  const all = keysNow();
  const ofPage = all.filter((key) => !everywhere.includes(key.text));
  const general = [
    { text: 'find' as const, shown: ['Ctrl', 'K'] },
    ...all.filter((key) => everywhere.includes(key.text)),
    { text: 'close' as const, shown: ['Escape'] },
  ];
  return (
    <Dialog element={element} className="key-list" label={text('title')} onClose={onClose}>
      <header className="row">
        <h2 className="grow">{text('title')}</h2>
        <IconButton label={text('close')} onClick={() => element.current?.close()}>
          <IconX size={17} aria-hidden />
        </IconButton>
      </header>
      {ofPage.length > 0 && <Keys title={text('onPage')} keys={ofPage} />}
      <Keys title={text('everywhere')} keys={general} />
      <p className="note small">{text(isOn ? 'whenOff' : 'areOff')}</p>
    </Dialog>
  );
}

interface KeysProps {
  title: string;
  keys: { text: PageKey['text']; shown: string[] }[];
}

function Keys({ title, keys }: KeysProps) {
  const text = textsOf('shortcuts');
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl>
        {keys.map((key) => (
          <div key={key.text} className="row">
            <dt className="grow">{text(key.text)}</dt>
            <dd className="row tight" dir="ltr">
              {key.shown.map((one) => (
                <kbd key={one}>{signs[one] ?? one.toUpperCase()}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
