// A dialog above the page. The browser keeps the focus in it, closes it on Escape, and gives the focus back.
import { type ReactNode, type RefObject, useLayoutEffect } from 'react';
import { createPortal } from 'react-dom';
import './dialog.css';

interface Props {
  /** To close it: `close()` gives the focus back, and calls `onClose`. */
  element: RefObject<HTMLDialogElement | null>;
  className: string;
  /** What it is called, or the id of its heading. */
  label?: string;
  labelledBy?: string;
  /** The id of its text: it interrupts, and is read aloud when it opens. */
  alertText?: string;
  /** True while it must stay, such as during a call. */
  isHeld?: boolean;
  /** The dialog has closed. */
  onClose: () => void;
  children: ReactNode;
}

/** At the end of the document, so that it inherits nothing from where it was opened. */
export function Dialog({
  element,
  className,
  label,
  labelledBy,
  alertText,
  isHeld = false,
  onClose,
  children,
}: Props) {
  useLayoutEffect(() => element.current?.showModal(), [element]);
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too, which is the browser's own
    <dialog
      ref={element}
      className={`dialog ${className}`}
      {...(alertText ? { role: 'alertdialog', 'aria-describedby': alertText } : {})}
      aria-label={label}
      aria-labelledby={labelledBy}
      onCancel={(event) => isHeld && event.preventDefault()}
      onClose={onClose}
      onClick={({ target }) => target === element.current && !isHeld && element.current?.close()}
    >
      {children}
    </dialog>,
    document.body,
  );
}
