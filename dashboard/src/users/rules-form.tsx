// The rules of a schedule: length and start of slots, free time around them, notice, window and limit.
import { Card } from '../design/card.tsx';
import { textsOf } from '../text/texts.ts';
import type { Rules } from './schedule-draft.ts';

/** The rules in their order, with the limits of the API. */
const rows = [
  ['slotMinutes', 5, 1_440, 'min'],
  ['slotStepMinutes', 5, 1_440, 'min'],
  ['bufferBeforeMinutes', 0, 1_440, 'min'],
  ['bufferAfterMinutes', 0, 1_440, 'min'],
  ['minimumNoticeMinutes', 0, 525_600, 'min'],
  ['bookingWindowDays', 0, 730, 'days'],
  ['dailyLimit', 1, 1_000, 'bookings'],
] as const;

interface Props {
  rules: Rules;
  saved: Rules;
  onChange: (rules: Rules) => void;
}

export function RulesForm({ rules, saved, onChange }: Props) {
  const text = textsOf('users');
  return (
    <Card title={text('rules')}>
      <div className="rules">
        {rows.map(([rule, min, max, unit]) => {
          const isOptional = rule === 'dailyLimit';
          return (
            <label key={rule}>
              <span>{text(rule)}</span>
              <input
                className={`time-input number ${rules[rule] === saved[rule] ? '' : 'changed'}`}
                type="number"
                required={!isOptional}
                placeholder={isOptional ? '–' : ''}
                {...{ min, max }}
                value={rules[rule] ?? ''}
                onChange={({ target }) =>
                  onChange({
                    ...rules,
                    [rule]: target.value === '' ? (isOptional ? null : 0) : Number(target.value),
                  })
                }
              />
              <span className="note small">{text(`unit_${unit}`)}</span>
            </label>
          );
        })}
      </div>
    </Card>
  );
}
