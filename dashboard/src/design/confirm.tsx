// A button that asks first. The dialog is loaded when a page has such a button, after the page itself.
import { type ComponentProps, lazy, Suspense, useEffect, useState } from 'react';
import { loadTexts } from '../text/texts.ts';
import { Button } from './button.tsx';
import type { Question } from './confirm-dialog.tsx';

const load = async () => {
  const [module] = await Promise.all([import('./confirm-dialog.tsx'), loadTexts('dialog')]);
  return { default: module.ConfirmDialog };
};
const ConfirmDialog = lazy(load);

interface Props {
  isOpen: boolean;
  question: Question;
  /** What is asked about. The dialog stays open with the error if it fails. */
  run: () => Promise<unknown>;
  onClose: () => void;
}

/** The question, for what is not asked by a button alone. */
export function Confirm({ isOpen, question, run, onClose }: Props) {
  useEffect(() => {
    // one that cannot be loaded is tried again when it is opened
    void load().catch(() => undefined);
  }, []);
  if (!isOpen) return null;
  return (
    <Suspense>
      <ConfirmDialog {...question} run={run} onClose={onClose} />
    </Suspense>
  );
}

type ButtonProps = Omit<ComponentProps<typeof Button>, 'onClick' | 'type' | 'children'>;

/** Says what the button of its dialog says. */
export function ConfirmButton({ question, run, ...button }: Pick<Props, 'question' | 'run'> & ButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)}>
        {question.verb}
      </Button>
      <Confirm {...{ isOpen, question, run }} onClose={() => setOpen(false)} />
    </>
  );
}
