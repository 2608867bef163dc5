// The foot of a step: back, what is noted, and on.
import type { ReactNode } from 'react';
import './sends.css';

interface Props {
  back?: ReactNode;
  note?: ReactNode;
  /** The button that goes on. */
  children: ReactNode;
}

export const StepFoot = ({ back, note, children }: Props) => (
  <footer className="foot-bar">
    {back}
    <span className="end muted small" role="status">
      {note}
    </span>
    {children}
  </footer>
);
