// Buttons: one look for what can be done. A button says what happens, with its number.
import type { MouseEventHandler, ReactNode } from 'react';
import './button.css';
import { shapes } from './icons.tsx';

interface Props {
  children: ReactNode;
  onClick?: MouseEventHandler<HTMLButtonElement>;
  kind?: 'primary' | 'default' | 'quiet' | 'danger';
  icon?: ReactNode;
  isDisabled?: boolean;
  /** True while it works: it turns, and cannot be pressed again. */
  isBusy?: boolean;
  type?: 'button' | 'submit';
  size?: 'small' | 'large';
}

export function Button({
  children,
  onClick,
  kind = 'default',
  icon,
  isDisabled = false,
  isBusy = false,
  type = 'button',
  size = 'small',
}: Props) {
  return (
    <button
      type={type}
      className={`button ${kind} ${size}`}
      disabled={isDisabled || isBusy}
      aria-busy={isBusy}
      onClick={(event) => {
        // the second click of a double click; a fast gateway has answered the first one by then
        if (event.detail > 1) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {isBusy ? shapes.turningArc : icon}
      {children}
    </button>
  );
}

interface IconButtonProps {
  /** Read aloud, and shown on hover. */
  label: string;
  children: ReactNode;
  onClick?: MouseEventHandler<HTMLButtonElement>;
}

/** A button that is only an icon. */
export const IconButton = ({ label, children, onClick }: IconButtonProps) => (
  <button type="button" className="icon-button" title={label} aria-label={label} onClick={onClick}>
    {children}
  </button>
);
