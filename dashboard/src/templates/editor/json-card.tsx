// Components as the platform documents them, for kinds that the form does not have.
import { Card } from '../../design/card.tsx';
import { textsOf } from '../../text/texts.ts';
import { type StarterKind, starterKinds } from './starters.ts';

interface Props {
  value: string;
  isValid: boolean;
  onChange: (value: string) => void;
  /** Undefined: the kind of the template is decided. */
  onStart: ((kind: StarterKind) => void) | undefined;
}

export function JsonCard({ value, isValid, onChange, onStart }: Props) {
  const text = textsOf('editor');
  return (
    <Card title={text('components')} note={text('componentsNote')}>
      <div className="column">
        {onStart && (
          <div className="row wrap">
            {starterKinds.map((kind) => (
              <button key={kind} type="button" className="chip" onClick={() => onStart(kind)}>
                {text(`kind_${kind}`)}
              </button>
            ))}
          </div>
        )}
        <textarea
          className="input editor-area mono"
          dir="ltr"
          rows={22}
          spellCheck={false}
          aria-label={text('components')}
          aria-invalid={!isValid}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
        {!isValid && <p className="bad-text">{text('notJson')}</p>}
      </div>
    </Card>
  );
}
