// What stands for a list or a card while it is read: grey rows, after a moment only.
import './loading.css';

const widths = [72, 58, 66, 80, 54, 70, 62, 76];

export const Loading = () => (
  <div className="card loading" aria-hidden="true">
    {widths.map((width) => (
      <i key={width} style={{ inlineSize: `${width}%` }} />
    ))}
  </div>
);
