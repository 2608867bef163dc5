// The product's mark.
export const Mark = () => (
  <span className="mark" aria-hidden="true">
    <svg
      width="14"
      height="14"
      viewBox="0 0 14 14"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
    >
      <path d="M1.5 4h7.2a3.2 3.2 0 0 1 0 6.4H6.6M6 1.5L3.4 4 6 6.5" />
    </svg>
  </span>
);
