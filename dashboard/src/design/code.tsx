// Text as it is, which scrolls by keyboard too.
import type { ReactNode } from 'react';
import './code.css';

export const Code = ({ children, label }: { children: ReactNode; label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling code must take the keyboard
  <section className="code" aria-label={label} tabIndex={0} dir="ltr">
    {children}
  </section>
);
