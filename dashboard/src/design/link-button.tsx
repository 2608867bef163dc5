// A link that looks like the page's first button.
import type { ReactNode } from 'react';
import './link-button.css';

export const LinkButton = ({ icon, children }: { icon?: ReactNode; children: ReactNode }) => (
  <span className="link-button">
    {icon}
    {children}
  </span>
);
