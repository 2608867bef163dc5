// The space on the disks of the machine that answered.
import type { OperatorHealth } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { formatBytes, formatShare } from '../text/format.ts';
import { textIfAny, textsOf } from '../text/texts.ts';

export function Disks({ disks }: { disks: OperatorHealth['disks'] }) {
  const text = textsOf('health');
  return (
    <Card title={text('disks')}>
      <ul className="column loose">
        {disks.map(({ use, path, freeBytes, totalBytes }) => (
          <li key={use}>
            <div className="row">
              <span className="strong">{textIfAny('health', `use_${use}`) ?? use}</span>
              <span className="mono note cut" dir="ltr">
                {path}
              </span>
            </div>
            <meter
              className="disk"
              min={0}
              max={totalBytes}
              value={totalBytes - freeBytes}
              low={totalBytes * 0.8}
              high={totalBytes * 0.9}
              optimum={0}
              aria-label={text('used', { share: formatShare(totalBytes - freeBytes, totalBytes) })}
            />
            <div className="small muted number">
              {text('free', { free: formatBytes(freeBytes), total: formatBytes(totalBytes) })}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
