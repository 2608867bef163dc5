// `?` lists the keys. The list is loaded when it is first opened.
import { lazy, Suspense, useState } from 'react';
import { loadTexts } from '../text/texts.ts';
import { usePageKeys } from './use-page-keys.ts';

const KeyList = lazy(async () => {
  const [module] = await Promise.all([import('./key-list.tsx'), loadTexts('shortcuts')]);
  return { default: module.KeyList };
});

/** Of the frame, so that it is there on every page. */
export function KeyHelp() {
  const [isOpen, setOpen] = useState(false);
  usePageKeys([{ text: 'list', run: { '?': () => setOpen(true) } }]);
  return <OpenKeyList isOpen={isOpen} onClose={() => setOpen(false)} />;
}

export function OpenKeyList({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  if (!isOpen) return null;
  return (
    <Suspense>
      <KeyList onClose={onClose} />
    </Suspense>
  );
}
