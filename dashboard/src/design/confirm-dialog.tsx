// Asks before something that cannot be undone: what happens, and a button that says it with its number.
import { useMutation } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { textsOf } from '../text/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './messages.tsx';
import { TextField } from './text-field.tsx';
import { isTyped } from './typed-number.ts';
import './confirm-dialog.css';

export interface Question {
  /** The question. */
  title: string;
  /** What happens, and what stays. */
  effect: string;
  /** The text of the button: what happens, with its number. */
  verb: string;
  /** True if it deletes or ends something. */
  isDestructive?: boolean;
  /** A number that has to be typed first, and the words that ask for it. */
  typed?: { count: number; label: string };
}

interface Props extends Question {
  /** What is asked about. The dialog stays open with the error if it fails. */
  run: () => Promise<unknown>;
  /** The dialog has closed, whether or not it ran. */
  onClose: () => void;
}

export function ConfirmDialog({ title, effect, verb, isDestructive = false, typed, run, onClose }: Props) {
  const text = textsOf('dialog');
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  const [entered, setEntered] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: run,
    onSuccess: () => element.current?.close(),
  });
  const isReady = isTyped(entered, typed?.count);
  return (
    <Dialog
      element={element}
      className="confirm"
      labelledBy={`${id}-title`}
      alertText={`${id}-effect`}
      isHeld={isPending}
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // React hands it on to a form around the dialog
          event.stopPropagation();
          if (isReady) mutate();
        }}
      >
        <h2 id={`${id}-title`} className="confirm-title">
          <bdi>{title}</bdi>
        </h2>
        <p id={`${id}-effect`} className="muted">
          {effect}
        </p>
        {typed && (
          <TextField
            label={typed.label}
            inputMode="numeric"
            autoComplete="off"
            dir="ltr"
            value={entered}
            onChange={setEntered}
          />
        )}
        {error && <ErrorNote error={error} />}
        <div className="confirm-foot">
          <Button isDisabled={isPending} onClick={() => element.current?.close()}>
            {text(isDestructive ? 'keep' : 'notNow')}
          </Button>
          <Button
            type="submit"
            kind={isDestructive ? 'danger' : 'primary'}
            isBusy={isPending}
            isDisabled={!isReady}
          >
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
