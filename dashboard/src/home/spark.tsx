// A figure's last days as a line, for the eye only: the charts below say the numbers.
const width = 56;
const height = 20;

export function Spark({ values, isBad }: { values: number[]; isBad: boolean }) {
  const most = Math.max(...values);
  if (values.length < 2 || most === 0) return null;
  const points = values
    .map((value, at) => `${(at / (values.length - 1)) * width},${1 + (height - 2) * (1 - value / most)}`)
    .join(' ');
  return (
    <svg width={width} height={height} className="spark" aria-hidden="true">
      <polyline
        points={points}
        fill="none"
        stroke={isBad ? 'var(--chart-failed)' : 'var(--ink3)'}
        strokeWidth="1.4"
        strokeLinejoin="round"
      />
    </svg>
  );
}
