// `?` lists the keys. The list is loaded when it is first opened.
import { useState } from 'react';
import { loadTexts } from '../text/texts.ts';
import { LoadedDialog } from './loaded-dialog.tsx';
import { usePageKeys } from './use-page-keys.ts';

const load = async () => {
  const [module] = await Promise.all([import('./key-list.tsx'), loadTexts('shortcuts')]);
  return module.KeyList;
};

/** Of the frame, so that it is there on every page. */
export function KeyHelp() {
  const [isOpen, setOpen] = useState(false);
  usePageKeys([{ text: 'list', run: { '?': () => setOpen(true) } }]);
  return <OpenKeyList isOpen={isOpen} onClose={() => setOpen(false)} />;
}

export const OpenKeyList = (props: { isOpen: boolean; onClose: () => void }) => (
  <LoadedDialog load={load} {...props} />
);
