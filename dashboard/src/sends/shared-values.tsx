// What is the same for everybody: values that no column gives, and the country code of numbers without one.
import type { TemplateInput } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { FileField } from '../templates/file-field.tsx';
import { isAddress, isTyped } from '../templates/values.ts';
import { textsOf } from '../text/texts.ts';
import type { Mapping } from './mapping.ts';

interface Props {
  inputs: TemplateInput[];
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
}

export function SharedValues({ inputs, mapping, onChange }: Props) {
  const text = textsOf('sends');
  const { targets, shared, countryCode } = mapping;
  const open = inputs.filter(({ key, required }) => required && !targets.includes(key));
  const byApi = open.filter((input) => !isTyped(input) && !isAddress(input));
  const set = (key: string, value: string) => onChange({ ...mapping, shared: { ...shared, [key]: value } });
  return (
    <Card title={text('shared')} note={text('sharedNote')}>
      <div className="value-grid">
        <div>
          <label className="field-head" htmlFor="country-code">
            {text('countryCode')}
          </label>
          <input
            id="country-code"
            className="input"
            inputMode="numeric"
            dir="ltr"
            maxLength={4}
            placeholder="91"
            aria-describedby="country-code-note"
            value={countryCode}
            onChange={({ target }) => onChange({ ...mapping, countryCode: target.value.replace(/\D/g, '') })}
          />
          <div id="country-code-note" className="field-note">
            {text('countryCodeNote')}
          </div>
        </div>
        {open.filter(isTyped).map(({ key, example }) => (
          <div key={key}>
            <label className="field-head" htmlFor={`shared-${key}`}>
              {text('valueFor')}{' '}
              <span className="mono note" dir="ltr">
                {key}
              </span>
            </label>
            <input
              id={`shared-${key}`}
              className="input"
              dir="auto"
              placeholder={example ?? ''}
              value={shared[key] ?? ''}
              onChange={({ target }) => set(key, target.value)}
            />
            <div className="field-note">{text('noColumn')}</div>
          </div>
        ))}
        {open.filter(isAddress).map((input) => (
          <FileField
            key={input.key}
            input={input}
            value={shared[input.key] ?? ''}
            onChange={(value) => set(input.key, value)}
          />
        ))}
      </div>
      {byApi.length > 0 && (
        <div className="note-box warn" role="status">
          {text('byApi', { keys: byApi.map(({ key }) => key).join(', ') })}
        </div>
      )}
    </Card>
  );
}
