// The shapes of states. A state has a shape, a tone and a word, so that colour alone says nothing.
import type { ReactNode } from 'react';

const size = { width: 15, height: 15, viewBox: '0 0 16 16', 'aria-hidden': true } as const;
const drawn = (paths: ReactNode, className?: string) => (
  <svg
    {...size}
    className={className}
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    {paths}
  </svg>
);
const filled = (paths: ReactNode) => <svg {...size}>{paths}</svg>;
const cut = { stroke: 'var(--surface)', strokeWidth: 1.6, strokeLinecap: 'round', fill: 'none' } as const;
const ring = <circle cx="8" cy="8" r="5.6" />;
const disc = <circle cx="8" cy="8" r="6.4" fill="currentColor" />;
const cross = <path {...cut} d="M5.7 5.7l4.6 4.6m0-4.6l-4.6 4.6" />;

export const shapes = {
  clock: drawn(
    <>
      {ring}
      <path d="M8 5v3.2l2 1.3" />
    </>,
  ),
  turningArc: drawn(
    <>
      <circle cx="8" cy="8" r="5.6" opacity=".25" />
      <path d="M8 2.4a5.6 5.6 0 0 1 5.6 5.6" />
    </>,
    'spin',
  ),
  dottedRing: drawn(
    <>
      {ring}
      <circle cx="8" cy="8" r="1.8" fill="currentColor" stroke="none" />
    </>,
  ),
  dashedRing: drawn(<circle cx="8" cy="8" r="5.6" strokeDasharray="2.4 2.6" />),
  tick: drawn(<path d="M3.2 8.4l3.2 3.2 6.4-7" />),
  twoTicks: drawn(<path d="M1.4 8.6l2.9 2.9 5.6-6.6M7.2 10.6l.9.9 6.4-6.9" />),
  eye: drawn(
    <>
      <path d="M1.4 8S3.8 3.7 8 3.7 14.6 8 14.6 8 12.2 12.3 8 12.3 1.4 8 1.4 8z" />
      <circle cx="8" cy="8" r="1.9" fill="currentColor" stroke="none" />
    </>,
  ),
  tickDisc: filled(
    <>
      {disc}
      <path {...cut} d="M5 8.2l2.1 2.1L11.2 6" strokeLinejoin="round" />
    </>,
  ),
  crossDisc: filled(
    <>
      {disc}
      {cross}
    </>,
  ),
  crossSquare: filled(
    <>
      <rect x="1.8" y="1.8" width="12.4" height="12.4" rx="2.4" fill="currentColor" />
      {cross}
    </>,
  ),
  octagon: filled(
    <>
      <path d="M5.2 1.6h5.6l3.6 3.6v5.6l-3.6 3.6H5.2l-3.6-3.6V5.2z" fill="currentColor" />
      <path {...cut} d="M4.9 8h6.2" />
    </>,
  ),
  triangle: filled(
    <>
      <path d="M8 1.8l6.6 11.8H1.4z" fill="currentColor" stroke="currentColor" strokeLinejoin="round" />
      <path {...cut} d="M8 6.2v3.4" />
      <circle cx="8" cy="11.8" r="1" fill="var(--surface)" />
    </>,
  ),
  bars: drawn(<path d="M5.6 3.6v8.8M10.4 3.6v8.8" strokeWidth="2.2" />),
  hourglass: drawn(
    <path d="M4.4 2.4h7.2M4.4 13.6h7.2M5 2.6c0 3.6 6 3.4 6 7.4v3.4M11 2.6c0 3.6-6 3.4-6 7.4v3.4" />,
  ),
  slashedRing: drawn(
    <>
      {ring}
      <path d="M4.2 4.2l7.6 7.6" />
    </>,
  ),
  backArrow: drawn(<path d="M5.6 3L2.8 5.8l2.8 2.8M3 5.8h6.4a3.6 3.6 0 0 1 0 7.2H6" />),
  arrow: drawn(<path d="M3 8h10M9.6 4.6L13 8l-3.4 3.4" />),
  mutedHorn: drawn(<path d="M3 3l10 10M5 5.2H2.8v5.6h2.5L8.6 13V9M8.6 6V3L6.8 4.4" />),
  pencil: drawn(<path d="M3 13l.6-2.9L10.7 3l2.3 2.3-7.1 7.1z" />),
  personCross: drawn(
    <>
      <circle cx="8" cy="5.4" r="2.6" />
      <path d="M3 13.4c.6-2.6 2.6-4 5-4 1 0 1.9.2 2.7.7M11 12l3 3m0-3l-3 3" />
    </>,
  ),
} as const;

export type Shape = keyof typeof shapes;
